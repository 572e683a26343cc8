/** The gateway of a file serves, reloads and drains. */
import { createServer, serveHttp, tool } from 'tenon';
import { generateApiKey } from 'tenon/auth';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { createDeferred } from '../../../src/lib/values/deferred.ts';
import { clientOf, serving, textOf, upstreamAt } from './serving.ts';

const names = async (client: Awaited<ReturnType<typeof clientOf>>): Promise<string[]> =>
  (await client.tools.list().all()).map(({ name }) => name).toSorted();

describe('The gateway of a file', () => {
  it('serves its upstreams, and an API of an OpenAPI document', async () => {
    const [one, two] = [await upstreamAt('one'), await upstreamAt('two')];
    const api = {
      openapi: '3.1.0',
      info: { title: 'Pets', version: '1' },
      servers: [{ url: 'https://pets.example' }],
      paths: { '/pets': { get: { operationId: 'listPets', responses: { 200: { description: 'All' } } } } },
    };
    const { url, upstreams } = await serving(
      `listen: 127.0.0.1:0\nupstreams:\n  one: { url: ${one.url} }\n  two: { url: ${two.url}, prefix: second }\n  pets: { openapi: pets.json }\n`,
      { 'pets.json': JSON.stringify(api) },
    );
    const client = await clientOf(url);
    expect(upstreams).toBe(3);
    expect(await names(client)).toEqual(['one__echo', 'one__who', 'pets__listPets', 'second__echo', 'second__who']);
    expect(textOf(await client.tools.call('second__echo', {}))).toBe('two');
  });

  it('lets callers find tools instead of listing all of them', async () => {
    const [one, two] = [await upstreamAt('one'), await upstreamAt('two')];
    const { url } = await serving(
      `listen: 127.0.0.1:0\nsearch: { pinned: [one__who] }\nupstreams:\n  one: { url: ${one.url} }\n  two: { url: ${two.url} }\n`,
    );
    const client = await clientOf(url);
    expect(await names(client)).toEqual(['call_tool', 'find_tools', 'one__who']);
    expect(textOf(await client.tools.call('find_tools', { names: ['echo'] }))).toContain('two__echo');
    expect(textOf(await client.tools.call('call_tool', { name: 'two__echo', arguments: {} }))).toBe('two');
  });

  it('needs no secrets while everything is in the memory of the process', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    const ask = tool({}, async (_args, ctx) => {
      const answer = await ctx.elicit('name', { message: 'Name?', schema: z.object({}) });
      return answer.action;
    });
    const secrets = ['a secret of the upstream, which is not checked'];
    const asking = createServer({ name: 'asking', version: '1.0.0', tools: { ask } }, { secrets });
    const service = await serveHttp(asking, { port: 0 });
    onTestFinished(() => service.close());
    const { url } = await serving(`listen: 127.0.0.1:0\nupstreams:\n  asking: { url: ${service.url} }\n`);
    const client = await clientOf(url, { handlers: { elicitForm: () => ({ action: 'decline' }) } });
    expect(textOf(await client.tools.call('ask', {}))).toBe('decline');
    expect(warn).not.toHaveBeenCalled();
  });

  it('uses a changed file without a restart, and keeps the old one where the new one is wrong', async () => {
    const [one, two] = [await upstreamAt('one'), await upstreamAt('two')];
    const before = `listen: 127.0.0.1:0\nupstreams:\n  one: { url: '${one.url}' }\n  same: { url: '${one.url}' }\n`;
    const gateway = await serving(before);
    const client = await clientOf(gateway.url);
    expect(await names(client)).toEqual(['one__echo', 'one__who', 'same__echo', 'same__who']);
    gateway.rewrite(`${before}  two:\n    url: ${two.url}\n    share: everyone\n`);
    await vi.waitUntil(() => gateway.warnings.length > 0);
    expect(gateway.warnings[0]).toMatch(
      /^gateway\.yaml:7: upstreams\.two\.share must .* The old configuration stays\.$/,
    );
    expect(Object.keys(gateway.status().upstreams)).toEqual(['one', 'same']);
    gateway.rewrite(`${before}  two: { url: ${two.url} }\n`);
    await vi.waitUntil(() => gateway.reloaded.length > 0);
    expect(gateway.reloaded).toMatchObject([{ added: ['two'], removed: [], changed: [], unchanged: ['one', 'same'] }]);
    const later = await clientOf(gateway.url);
    expect(textOf(await later.tools.call('two__echo', {}))).toBe('two');
  });

  it('reloads at once when it is asked to, and says what needs a restart', async () => {
    const one = await upstreamAt('one');
    const text = `listen: 127.0.0.1:0\nupstreams:\n  one: { url: ${one.url} }\n`;
    const gateway = await serving(text);
    gateway.rewrite(`${text}limits: { perPrincipal: 5/min }\n`);
    await gateway.reload();
    expect(gateway.warnings).toEqual([
      'gateway.yaml:4: limits is not the one that runs. Restart the gateway to use it. Upstreams and their secrets are reloaded.',
    ]);
    expect(gateway.reloaded).toMatchObject([{ unchanged: ['one'] }]);
  });

  it('connects anew where only a secret has changed', async () => {
    const tokens: unknown[] = [];
    const one = await upstreamAt('one', {
      authenticate: ({ header }) => {
        tokens.push(header('authorization'));
        return 'gateway';
      },
    });
    const text = `listen: 127.0.0.1:0\nsecretsFile: s.yaml\nupstreams:\n  one: { url: '${one.url}', auth: { type: bearer, secret: key } }\n`;
    const gateway = await serving(text, { 's.yaml': 'key: first' });
    await (await clientOf(gateway.url)).tools.call('echo', {});
    gateway.folder.write('s.yaml', 'key: second');
    await vi.waitUntil(() => gateway.reloaded.length > 0);
    await (await clientOf(gateway.url)).tools.call('echo', {});
    expect(gateway.reloaded).toMatchObject([{ changed: ['one'] }]);
    expect(new Set(tokens)).toEqual(new Set(['Bearer first', 'Bearer second']));
  });

  it('lets running calls finish when it closes, and is not ready meanwhile', async () => {
    const [begun, release] = [createDeferred<void>(), createDeferred<void>()];
    const slow = createServer({
      name: 'slow',
      version: '1.0.0',
      tools: {
        wait: tool({}, async () => {
          begun.resolve();
          await release.promise;
          return 'finished';
        }),
      },
    });
    const service = await serveHttp(slow, { port: 0 });
    onTestFinished(() => service.close());
    const gateway = await serving(
      `listen: 127.0.0.1:0\nadmin: 127.0.0.1:0\nupstreams:\n  slow: { url: ${service.url} }\n`,
    );
    const get = async (path: string) => {
      const response = await fetch(`${gateway.adminUrl}${path}`);
      return [response.status, await response.text()] as const;
    };
    const client = await clientOf(gateway.url, { reconnect: false });
    const call = client.tools.call('wait', {});
    await begun.promise;
    expect(await get('/readyz')).toEqual([200, 'ready\n']);
    expect((await get('/metrics'))[1]).toContain('tenon_gateway_upstream_connections{upstream="slow"} 1');
    const closing = gateway.close();
    expect(await get('/readyz')).toEqual([503, 'draining\n']);
    release.resolve();
    expect(textOf(await call)).toBe('finished');
    await closing;
    await expect(get('/healthz')).rejects.toThrow('fetch failed');
  });

  it('refuses callers without credentials, and applies policy and limits by the names of the gateway', async () => {
    const one = await upstreamAt('one');
    const ada = await generateApiKey();
    const gateway = await serving(
      `listen: 127.0.0.1:0
protect:
  apiKeys: [{ id: ${ada.id}, hash: ${ada.hash}, subject: ada }]
policy: policy.yaml
limits: { perTool: { one__echo: 1/h } }
upstreams:
  one: { url: ${one.url}, prefix: one }
`,
      {
        'policy.yaml':
          'version: 1\nrules:\n  - { id: a, allow: [list, call], to: { subject: ada }, on: { tool: one__echo } }\n',
      },
    );
    await expect(clientOf(gateway.url)).rejects.toMatchObject({ code: 'unauthorized' });
    const client = await clientOf({ url: gateway.url, headers: { 'x-api-key': ada.key } });
    expect(await names(client)).toEqual(['one__echo']);
    expect(textOf(await client.tools.call('one__echo', {}))).toBe('one');
    await expect(client.tools.call('one__echo', {})).rejects.toMatchObject({ reason: 'rate-limited' });
    await expect(client.tools.call('one__who', {})).rejects.toBeDefined();
  });
});
