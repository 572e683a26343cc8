import { connect, createServer, prompt, resource, resourceTemplate, rpcError, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import type { Middleware } from 'tenon/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const args = z.object({ pr: z.string() });

/** Middleware that records every call under its own name. */
const note =
  (seen: string[], own: string): Middleware =>
  ({ method, target, params }, next) => {
    const { name = (params.ref as { name?: unknown } | undefined)?.name } = params;
    seen.push(`${own}: ${method} ${target || String(name)}`);
    return next();
  };

const github = (...middleware: Middleware[]) =>
  createServer(
    {
      name: 'github',
      version: '1',
      tools: {
        star: tool({}, () => 'starred'),
        who: tool({}, async (_, ctx) => {
          const answer = await ctx.elicit('who', { message: 'Who?', schema: z.object({ name: z.string() }) });
          return answer.action === 'accept' ? answer.content.name : 'none';
        }),
      },
      resources: { 'gh://me': resource({}, () => 'me') },
      resourceTemplates: { 'gh://repos/{repo}': resourceTemplate({}, ({ repo }) => repo as string) },
      prompts: { review: prompt({ argsSchema: args, complete: { pr: () => ['17'] } }, ({ pr }) => pr) },
    },
    { middleware },
  );

describe.each(protocolVersions)('a mounted server with middleware, under %s', (revision) => {
  const options = { protocolVersions: [revision] };

  it('runs its middleware inside that of the server that mounts it, with its own names', async () => {
    const seen: string[] = [];
    const desk = createServer(
      {
        name: 'desk',
        version: '1',
        tools: { own: tool({}, () => 'own') },
        mounts: { gh: github(note(seen, 'inner')) },
      },
      { middleware: [note(seen, 'outer')] },
    );
    await using client = await connect(desk, options);
    await client.tools.call('gh_star');
    await client.tools.call('own');
    await client.prompts.get('gh_review', { pr: '3' });
    await client.resources.read('gh://me');
    await client.resources.read('gh://repos/tenon');
    await client.complete({ type: 'ref/prompt', name: 'gh_review' }, { name: 'pr', value: '1' });
    expect(seen).toEqual([
      'outer: tools/call gh_star',
      'inner: tools/call star',
      'outer: tools/call own',
      'outer: prompts/get gh_review',
      'inner: prompts/get review',
      'outer: resources/read gh://me',
      'inner: resources/read gh://me',
      'outer: resources/read gh://repos/tenon',
      'inner: resources/read gh://repos/tenon',
      'outer: completion/complete gh_review',
      'inner: completion/complete review',
    ]);
  });

  it('rejects a call as it does unmounted, even if only a mount between them has middleware', async () => {
    const guard: Middleware = ({ target }, next) => {
      if (target === 'star') throw rpcError('permission-denied', 'not you');
      return next();
    };
    const seen: string[] = [];
    const desk = createServer(
      { name: 'desk', version: '1', mounts: { gh: github(guard) } },
      { middleware: [note(seen, 'desk')] },
    );
    const house = createServer({ name: 'house', version: '1', mounts: { desk } });
    await using client = await connect(house, options);
    await expect(client.tools.call('desk_gh_star')).rejects.toMatchObject({ reason: 'permission-denied' });
    expect(seen).toEqual(['desk: tools/call gh_star']);
  });

  it('can reject subscriptions to its resources, and to URIs that may be above one of them', async () => {
    const closed: Middleware = ({ method }, next) => {
      if (method === 'resources/subscribe' || method === 'subscriptions/listen')
        throw rpcError('permission-denied', 'not you');
      return next();
    };
    const desk = createServer({
      name: 'desk',
      version: '1',
      resources: { 'desk://lamp': resource({}, () => 'on') },
      mounts: { gh: github(closed) },
    });
    await using client = await connect(desk, options);
    for (const uri of ['gh://me', 'gh://repos/tenon', 'gh://repos'])
      await expect(client.subscribe({ resourceSubscriptions: [uri] })).rejects.toMatchObject({
        reason: 'permission-denied',
      });
    await using lamp = await client.subscribe({ resourceSubscriptions: ['desk://lamp'] });
    desk.sendResourceUpdated('desk://lamp');
    expect((await lamp[Symbol.asyncIterator]().next()).value).toEqual({ type: 'resource', uri: 'desk://lamp' });
  });
});

it('mounted middleware runs once for a client that subscribes to several of its resources', async () => {
  const seen: string[] = [];
  const desk = createServer({ name: 'desk', version: '1', mounts: { gh: github(note(seen, 'inner')) } });
  await using client = await connect(desk, { protocolVersions: ['2026-07-28'] });
  const uris = ['gh://me', 'gh://repos/one', 'gh://repos/two', 'gh://'];
  await using changes = await client.subscribe({ resourceSubscriptions: uris });
  expect(changes).toBeDefined();
  const notifications = JSON.stringify({ resourceSubscriptions: uris });
  expect(seen).toEqual([`inner: subscriptions/listen ${notifications}`]);
});

it('a mounted tool that requests input passes both chains once per round', async () => {
  const seen: string[] = [];
  const inner = github(note(seen, 'inner'));
  const desk = createServer(
    { name: 'desk', version: '1', mounts: { gh: inner } },
    { middleware: [note(seen, 'outer')] },
  );
  const answers = { elicitForm: () => ({ action: 'accept' as const, content: { name: 'Ada' } }) };
  await using client = await connect(desk, { protocolVersions: ['2026-07-28'], handlers: answers });
  expect((await client.tools.call('gh_who')).content).toMatchObject([{ text: 'Ada' }]);
  const round = ['outer: tools/call gh_who', 'inner: tools/call who'];
  expect(seen).toEqual([...round, ...round]);
});

it('a change of a mounted server with middleware notifies only of the lists that changed', async () => {
  const inner = github((_call, next) => next());
  const desk = createServer({ name: 'desk', version: '1', mounts: { gh: inner } });
  await using client = await connect(desk, { protocolVersions: ['2026-07-28'] });
  await using changes = await client.subscribe({
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
  });
  const received = changes[Symbol.asyncIterator]();
  inner.update(({ prompts }) => {
    delete prompts.review;
  });
  expect((await received.next()).value).toEqual({ type: 'prompts' });
  inner.update(({ tools }) => {
    delete tools.who;
  });
  expect((await received.next()).value).toEqual({ type: 'tools' });
});

describe('a feature that comes from two mounts', () => {
  const pass: Middleware = (_call, next) => next();
  const place = (mounts: Record<string, ReturnType<typeof github>>) =>
    createServer({ name: 'x', version: '1', mounts });

  it.each([
    ['with middleware', github(pass)],
    ['without', github()],
  ])('is offered once if both are the same server, %s', (_how, inner) => {
    const { features: offer } = place({ one: inner, two: inner });
    expect(Object.keys(offer.resources ?? {})).toEqual(['gh://me']);
    expect(Object.keys(offer.tools ?? {})).toEqual(['one_star', 'one_who', 'two_star', 'two_who']);
  });

  it('is rejected behind different middleware, and both places are named', () => {
    const inner = github();
    const guarded = createServer({ name: 'g', version: '1', mounts: { gh: inner } }, { middleware: [pass] });
    const both = (): unknown => createServer({ name: 'x', version: '1', mounts: { plain: inner, guarded } });
    expect(both).toThrow(
      expect.objectContaining({
        code: 'invalid-definition',
        details: { kind: 'resources', name: 'gh://me', places: ['mounts.plain', 'mounts.guarded'] },
      }),
    );
  });

  it('is rejected if two mounts use one name for different features, and both places are named', () => {
    const a = createServer({ name: 'a', version: '1', tools: { b_c: tool({}, () => 'x') } });
    const b = createServer({ name: 'b', version: '1', tools: { c: tool({}, () => 'x') } });
    expect(() => createServer({ name: 'x', version: '1', mounts: { a, a_b: b } })).toThrow(
      expect.objectContaining({
        code: 'invalid-definition',
        message: expect.stringMatching(/mounts\.a_b.*mounts\.a\./),
      }),
    );
  });
});
