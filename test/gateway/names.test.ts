/** Many upstreams behind one gateway: names, URIs, what is served of each, and what happens to one that fails. */
import { createServer, prompt, promptResult, resource, resourceTemplate, type Server, tool, toolResult } from 'tenon';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openClient, startGateway, textOf } from './start.ts';

const notes = (name: string): Server =>
  createServer({
    name,
    version: '1.0.0',
    instructions: `Use ${name}.`,
    tools: {
      read: tool({ _meta: { ui: { resourceUri: 'ui://page' } } } as never, () => name),
      write: tool({}, () => name),
      link: tool({}, () =>
        toolResult({
          content: [
            { type: 'resource_link', uri: 'notes://one', name: 'one' },
            { type: 'resource', resource: { uri: 'notes://one', text: 'inside' } },
            { type: 'text', text: 'see notes://one' },
          ],
        }),
      ),
    },
    prompts: {
      plan: prompt({ argsSchema: z.object({ city: z.string() }), complete: { city: () => [name] } }, () =>
        promptResult({
          messages: [{ role: 'user', content: { type: 'resource', resource: { uri: 'notes://one', text: name } } }],
        }),
      ),
    },
    resources: {
      'notes://one': resource({}, () => name),
      'ui://page': resource({ mimeType: 'text/html' }, () => name),
    },
    resourceTemplates: {
      'notes://days/{day}': resourceTemplate({ complete: { day: () => [name] } }, ({ day }) => `${name} ${day}`),
    },
  }) as Server;

const failing = {
  accept: () => {
    throw new Error('no such server');
  },
} as never;
const two = () => ({ first: { server: notes('first') }, second: { server: notes('second') } });

describe('Two upstreams', () => {
  it('have tools and prompts under their names, each with the results of its own', async () => {
    const { gateway } = startGateway(two());
    const client = await openClient(gateway.server);
    const names = (await client.tools.list().all()).map(({ name }) => name);
    expect(names).toEqual([
      'first__read',
      'first__write',
      'first__link',
      'second__read',
      'second__write',
      'second__link',
    ]);
    for (const one of ['first', 'second']) {
      expect(textOf(await client.tools.call(`${one}__read`))).toBe(one);
      const { messages } = await client.prompts.get(`${one}__plan`, { city: 'x' });
      expect(messages).toMatchObject([{ content: { resource: { uri: `via:${one}/notes://one`, text: one } } }]);
      const ref = { type: 'ref/prompt' as const, name: `${one}__plan` };
      expect((await client.complete(ref, { name: 'city', value: '' })).values).toEqual([one]);
    }
    expect(client.instructions).toBe('first:\nUse first.\n\nsecond:\nUse second.');
    await expect(client.tools.call('read')).rejects.toMatchObject({ message: 'Unknown tool: read' });
  });

  it('have URIs of their own in lists, contents, links and pages of apps, but not in texts', async () => {
    const { gateway } = startGateway(two());
    const client = await openClient(gateway.server);
    const uris = (await client.resources.list().all()).map(({ uri }) => uri);
    expect(uris).toEqual([
      'via:first/notes://one',
      'ui://via.first/page',
      'via:second/notes://one',
      'ui://via.second/page',
    ]);
    for (const one of ['first', 'second']) {
      for (const uri of [`via:${one}/notes://one`, `ui://via.${one}/page`])
        expect(await client.resources.read(uri)).toMatchObject({ contents: [{ uri, text: one }] });
      const day = `via:${one}/notes://days/monday`;
      expect(await client.resources.read(day)).toMatchObject({ contents: [{ uri: day, text: `${one} monday` }] });
      const linked = await client.tools.call(`${one}__link`);
      expect(linked.content).toMatchObject([
        { uri: `via:${one}/notes://one` },
        { resource: { uri: `via:${one}/notes://one` } },
        { text: 'see notes://one' },
      ]);
      const ref = { type: 'ref/resource' as const, uri: `via:${one}/notes://days/{day}` };
      expect((await client.complete(ref, { name: 'day', value: '' })).values).toEqual([one]);
      const missing = await client.resources.read(`via:${one}/notes://none`).catch((error) => error);
      expect(missing).toMatchObject({ data: { uri: `via:${one}/notes://none` } });
    }
    const [read] = await client.tools.list().all();
    expect(read?._meta).toMatchObject({ ui: { resourceUri: 'ui://via.first/page' } });
  });

  it('serve what is exposed and not hidden, under other names where they are renamed', async () => {
    const { gateway } = startGateway({
      first: {
        server: notes('first'),
        expose: ['re*', 'write', 'notes:*'],
        hide: ['notes://days*'],
        rename: { write: 'save' },
      },
      second: { server: notes('second'), hide: ['*'], prefix: 'other' },
    });
    const client = await openClient(gateway.server);
    expect((await client.tools.list().all()).map(({ name }) => name)).toEqual(['first__read', 'first__save']);
    expect((await client.resources.list().all()).map(({ uri }) => uri)).toEqual(['via:first/notes://one']);
    expect(await client.resources.listTemplates().all()).toEqual([]);
    expect(textOf(await client.tools.call('first__save'))).toBe('first');
    for (const name of ['first__link', 'first__write', 'other__read'])
      await expect(client.tools.call(name)).rejects.toMatchObject({ message: `Unknown tool: ${name}` });
    await expect(client.resources.read('via:first/notes://days/monday')).rejects.toMatchObject({
      message: 'Resource not found',
    });
  });

  it('without prefixes: the earlier one has a name, and the other is reported', async () => {
    const { gateway, warnings } = startGateway({
      first: { server: notes('first'), prefix: '' },
      second: { server: notes('second'), prefix: '' },
    });
    const client = await openClient(gateway.server);
    expect((await client.tools.list().all()).map(({ name }) => name)).toEqual(['read', 'write', 'link']);
    expect(textOf(await client.tools.call('read'))).toBe('first');
    expect(warnings.map(({ message }) => message).join()).toContain('second: read');
  });

  it('of which one fails: lists have the others, say so in _meta, and its tools are refused by name', async () => {
    const { gateway } = startGateway({ first: { server: notes('first') }, broken: { server: failing } });
    const client = await openClient(gateway.server);
    const page = await client.request('tools/list', {});
    expect(page._meta).toEqual({ 'tenon/unavailable': ['broken'] });
    expect((page.tools as unknown[]).length).toBe(3);
    expect(textOf(await client.tools.call('first__read'))).toBe('first');
    const refused = await client.tools.call('broken__read').catch((error) => error);
    expect(refused.message).toBe('The upstream "broken" is not reachable.');
    expect(gateway.status().upstreams).toMatchObject({ first: { state: 'connected' }, broken: { connections: 0 } });
  });
});

describe('One upstream', () => {
  it('keeps its names and URIs; with a prefix its names have it', async () => {
    const alone = await openClient(startGateway({ first: { server: notes('first') } }).gateway.server);
    expect((await alone.tools.list().all())[0]?.name).toBe('read');
    expect((await alone.resources.list().all())[0]?.uri).toBe('notes://one');
    const { gateway } = startGateway({ first: { server: notes('first'), prefix: 'a' } });
    const prefixed = await openClient(gateway.server);
    expect((await prefixed.tools.list().all())[0]?.name).toBe('a__read');
  });

  it('that fails: a client can introduce itself, and gets the error of the upstream for its list', async () => {
    const { gateway } = startGateway({ broken: { server: failing } });
    const client = await openClient(gateway.server);
    await expect(client.tools.list().all()).rejects.toMatchObject({
      message: 'The upstream "broken" is not reachable.',
    });
  });
});

it.each([
  [{}, 'upstreams must have at least one'],
  [{ 'a b': { url: 'https://a.example/mcp' } }, 'must be named by'],
  [{ a: {} }, 'upstreams.a must have exactly one of command, url and server'],
  [{ a: { url: 'a.example' } }, 'upstreams.a.url must be a URL'],
  [{ a: { command: 'x', share: 'user' } }, 'upstreams.a.share must be principal, session, call or all'],
  [{ a: { command: 'x', headers: {} } }, 'headers and auth only with url'],
  [{ a: { command: 'x', limits: { idleMs: 0 } } }, 'upstreams.a.limits.idleMs'],
  [{ a: { command: 'x', prefix: 'p' }, b: { command: 'x', prefix: 'p' } }, 'prefix "p"'],
  [{ a: { command: 'x', prefx: 'p' } }, 'upstreams.a.prefx'],
])('refuses %j by its place', (upstreams, text) => {
  expect(() => startGateway(upstreams as never)).toThrow(
    expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(text) }),
  );
});
