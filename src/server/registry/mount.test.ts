import { connect, createServer, prompt, resource, resourceTemplate, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import type { Middleware } from 'tenon/server';
import { eachProtocolVersion } from 'tenon/test';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const github = () =>
  createServer({
    name: 'github',
    version: '1.0.0',
    tools: {
      star: tool({ inputSchema: z.object({ repo: z.string() }) }, ({ repo }) => `starred ${repo}`),
      who: tool({}, async (_, ctx) => {
        const answer = await ctx.elicit('who', { message: 'Who?', schema: z.object({ name: z.string() }) });
        return answer.action === 'accept' ? answer.content.name : 'none';
      }),
    },
    resources: { 'gh://me': resource({}, () => 'me') },
    resourceTemplates: {
      'gh://repos/{repo}': resourceTemplate({ complete: { repo: () => ['tenon'] } }, ({ repo }) => `repo ${repo}`),
    },
    prompts: {
      review: prompt(
        { argsSchema: z.object({ pr: z.string() }), complete: { pr: () => ['17'] } },
        ({ pr }) => `Review ${pr}`,
      ),
    },
  });

const around = (inner = github()) =>
  createServer({ name: 'desk', version: '1.0.0', tools: { own: tool({}, () => 'own') }, mounts: { gh: inner } });

const namesOf = async (list: Promise<{ name: string }[]>) => (await list).map(({ name }) => name);

describe.each(protocolVersions)('a server that mounts another, under %s', (revision) => {
  const options = { protocolVersions: [revision] };

  it('offers its tools and prompts under the prefix, its resources under their own URIs', async () => {
    await using client = await connect(around(), options);
    expect(await namesOf(client.tools.list().all())).toEqual(['own', 'gh_star', 'gh_who']);
    expect(await namesOf(client.prompts.list().all())).toEqual(['gh_review']);
    expect(await client.resources.list().all()).toMatchObject([{ uri: 'gh://me' }]);
    expect(await client.resources.listTemplates().all()).toMatchObject([{ uriTemplate: 'gh://repos/{repo}' }]);
  });

  it('runs mounted features', async () => {
    await using client = await connect(around(), options);
    const starred = await client.tools.call('gh_star', { repo: 'tenon' });
    expect(starred.content).toEqual([{ type: 'text', text: 'starred tenon' }]);
    expect((await client.tools.call('own')).content).toMatchObject([{ text: 'own' }]);
    expect((await client.resources.read('gh://repos/tenon')).contents).toMatchObject([{ text: 'repo tenon' }]);
    expect((await client.prompts.get('gh_review', { pr: '3' })).messages).toMatchObject([
      { content: { text: 'Review 3' } },
    ]);
  });

  it('completes the arguments of mounted features', async () => {
    await using client = await connect(around(), options);
    const ofPrompt = await client.complete({ type: 'ref/prompt', name: 'gh_review' }, { name: 'pr', value: '1' });
    const ofTemplate = await client.complete(
      { type: 'ref/resource', uri: 'gh://repos/{repo}' },
      { name: 'repo', value: 't' },
    );
    expect([ofPrompt.values, ofTemplate.values]).toEqual([['17'], ['tenon']]);
  });

  it('notifies its clients of changes of the mounted server', async () => {
    const inner = github();
    await using client = await connect(around(inner), options);
    await using changes = await client.subscribe({ toolsListChanged: true, resourceSubscriptions: ['gh://me'] });
    const received = changes[Symbol.asyncIterator]();
    inner.update((draft) => {
      draft.tools.fork = tool({}, () => 'forked');
    });
    expect((await received.next()).value).toEqual({ type: 'tools' });
    expect(await namesOf(client.tools.list().all())).toEqual(['own', 'gh_star', 'gh_who', 'gh_fork']);
    inner.sendResourceUpdated('gh://me');
    expect((await received.next()).value).toEqual({ type: 'resource', uri: 'gh://me' });
  });
});

it('a mounted tool can request input under every protocol version that has elicitation', async () => {
  const results: unknown[] = [];
  const revisions = ['2025-06-18', '2025-11-25', '2026-07-28'] as const;
  for await (const { client } of eachProtocolVersion(around(), {
    protocolVersions: revisions,
    handlers: { elicitForm: [{ name: 'Ada' }] },
  })) {
    results.push((await client.tools.call('gh_who')).content);
  }
  expect(results).toEqual(revisions.map(() => [{ type: 'text', text: 'Ada' }]));
});

it('a mounted tool runs behind the middleware of the server that mounts it', async () => {
  const seen: string[] = [];
  const watch: Middleware = (call, next) => {
    seen.push(`${call.method} ${call.target}`);
    return next();
  };
  const server = createServer({ name: 'desk', version: '1', mounts: { gh: github() } }, { middleware: [watch] });
  await using client = await connect(server);
  await client.tools.call('gh_star', { repo: 'tenon' });
  expect(seen).toEqual(['tools/call gh_star']);
});

it('mounts can be nested, and a change of the innermost server reaches the clients of the outermost', async () => {
  const inner = github();
  const server = createServer({ name: 'house', version: '1', mounts: { desk: around(inner) } });
  await using client = await connect(server);
  expect((await client.tools.call('desk_gh_star', { repo: 'x' })).content).toMatchObject([{ text: 'starred x' }]);
  inner.update((draft) => {
    delete draft.tools.who;
  });
  expect(await namesOf(client.tools.list().all())).toEqual(['desk_own', 'desk_gh_star']);
});

it('one server can be mounted twice, and its changes apply to both prefixes', async () => {
  const inner = createServer({ name: 'inner', version: '1', tools: { a: tool({}, () => 'a') } });
  const server = createServer({ name: 'twice', version: '1', mounts: { one: inner, two: inner } });
  inner.update((draft) => {
    draft.tools.b = tool({}, () => 'b');
  });
  expect(Object.keys(server.features.tools ?? {})).toEqual(['one_a', 'one_b', 'two_a', 'two_b']);
});

it('a change of a server that is mounted through two others applies to both', () => {
  const inner = createServer({ name: 'inner', version: '1', tools: {} });
  const left = createServer({ name: 'left', version: '1', mounts: { in: inner } });
  const right = createServer({ name: 'right', version: '1', mounts: { in: inner } });
  const server = createServer({ name: 'both', version: '1', mounts: { left, right } });
  inner.update((draft) => {
    draft.tools.a = tool({}, () => 'a');
  });
  expect(Object.keys(server.features.tools ?? {})).toEqual(['left_in_a', 'right_in_a']);
});

describe('two features with the same name', () => {
  const a = () => 'a';

  it('are rejected by createServer()', () => {
    const clash = (): unknown =>
      createServer({ name: 'x', version: '1', tools: { gh_star: tool({}, a) }, mounts: { gh: github() } });
    expect(clash).toThrow(expect.objectContaining({ code: 'invalid-definition' }));
  });

  it('are rejected if both are resources with the same URI', () => {
    const clash = (): unknown => createServer({ name: 'x', version: '1', mounts: { a: github(), b: github() } });
    expect(clash).toThrow(expect.objectContaining({ code: 'invalid-definition' }));
  });

  it('are rejected if the mounted server adds one later, and nothing changes', () => {
    const inner = github();
    const server = createServer({
      name: 'x',
      version: '1',
      resources: { 'x://y': resource({}, a) },
      mounts: { gh: inner },
    });
    const before = { inner: inner.features, server: server.features };
    const clash = (): void =>
      inner.update((draft) => {
        draft.resources['x://y'] = resource({}, a);
      });
    expect(clash).toThrow(expect.objectContaining({ code: 'invalid-definition' }));
    expect([inner.features, server.features]).toEqual([before.inner, before.server]);
  });
});

it('a prefix with characters that names cannot have is rejected', () => {
  const wrong = (): unknown => createServer({ name: 'x', version: '1', mounts: { 'git hub': github() } });
  expect(wrong).toThrow(expect.objectContaining({ code: 'invalid-definition' }));
});
