/** What a caller sees and may not use is refused with the id of the decision, before its handler runs. */
import { createServer, resource } from 'tenon';
import { createPolicy, guard } from 'tenon/guard';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { type Json, openAt } from '../../kit/transport/raw-connection.ts';
import { createGuarded, rules } from './kit.ts';

const complete = (ref: Json, name: string): Json => ({ ref, argument: { name, value: '' } });

const uses: readonly (readonly [what: string, ids: string, method: string, params: Json])[] = [
  ['calling a tool', 's-tools-27', 'tools/call', { name: 'seen_wipe', arguments: { path: '/' } }],
  ['reading a resource', 's-resources-15, e-resources-22', 'resources/read', { uri: 'seen://one' }],
  ['reading through a template', 's-resources-15, e-resources-22', 'resources/read', { uri: 'seen://7' }],
  ['getting a prompt', 'S23', 'prompts/get', { name: 'seen_plan' }],
  ['completing a template', 'S23', 'completion/complete', complete({ type: 'ref/resource', uri: 'seen://{id}' }, 'id')],
  ['completing a prompt', 'S23', 'completion/complete', complete({ type: 'ref/prompt', name: 'seen_plan' }, 'x')],
];

describe.each(protocolVersions)('under %s', (revision) => {
  it.each(uses)(
    '%s that the policy does not allow is refused, and explained [e-caching-30, S23, %s]',
    async (_what, _ids, method, params) => {
      const { server, guarded, ran } = createGuarded();
      const { send, next, ask } = await openAt(server, revision);
      send(ask(1, method, params));
      const { error } = (await next()) as { error: { code: number; message: string; data: { decisionId: string } } };
      expect(error).toMatchObject({ code: -31403, data: { reason: 'denied' } });
      expect(guarded.explain(error.data.decisionId)?.text).toMatch(
        /^Denied: no rule allows (?:call|read|get|complete)\.$/,
      );
      expect(ran).toEqual([]);
    },
  );

  it('subscribing to a visible resource without the permission is refused [S23]', async () => {
    const { server } = createGuarded();
    const { send, next, ask, exchange } = await openAt(server, revision);
    const uri = 'seen://one';
    if (exchange)
      send(ask(1, 'subscriptions/listen', { notifications: { resourceSubscriptions: ['open://one', uri] } }));
    else send(ask(1, 'resources/subscribe', { uri }));
    expect(await next()).toMatchObject({ error: { code: -31403 } });
  });

  it('a rule that asks refuses, since a server has no user to ask [S23]', async () => {
    const { server, guarded, ran } = createGuarded();
    const { send, next, ask } = await openAt(server, revision);
    send(ask(1, 'tools/call', { name: 'asked_mail' }));
    const { error } = (await next()) as { error: { data: { decisionId: string } } };
    expect(error).toMatchObject({ code: -31403, data: { reason: 'consent-required' } });
    expect(guarded.explain(error.data.decisionId)).toMatchObject({ effect: 'ask', rule: 'asked' });
    expect(ran).toEqual([]);
  });

  it.each([
    ['a default', {}],
    ['a value that the schema changes', { env: 'PROD' }],
    ['a value', { env: 'prod' }],
  ])('a condition gets validated arguments: %s [S23]', async (_what, given) => {
    const { server, guarded, ran } = createGuarded();
    const { send, next, ask } = await openAt(server, revision);
    send(ask(1, 'tools/call', { name: 'open_deploy', arguments: given }));
    const { error } = (await next()) as { error: { data: { decisionId: string } } };
    expect(guarded.explain(error.data.decisionId)?.text).toContain('no-prod');
    expect(guarded.explain(error.data.decisionId)?.text).toContain('args.env == "prod" is true');
    send(ask(2, 'tools/call', { name: 'open_deploy', arguments: { env: 'Dev' } }));
    expect(await next()).toMatchObject({ result: { content: [{ text: 'open_deploy' }] } });
    expect(ran).toEqual(['open_deploy']);
  });

  it.each(['open://ONE/../two', 'open://a%2e', 'OPEN://one'])(
    'the URI %s, which is not canonical, is one that does not exist [S23]',
    async (uri) => {
      const { server, ran } = createGuarded();
      const { send, next, ask } = await openAt(server, revision);
      send(ask(1, 'resources/read', { uri }));
      const { error } = (await next()) as { error: Json };
      expect(error).toMatchObject({ data: { uri } });
      expect(error.code).not.toBe(-31403);
      expect(ran).toEqual([]);
    },
  );
});

it('a stored result of an idempotent call is not repeated to a caller that may not call any more [S23]', async () => {
  const { server, ran } = createGuarded(`
version: 1
rules:
  - { id: open, allow: [list], to: any, on: { tool: "open*" } }
  - { id: ada, allow: [call], to: { scope: echo }, on: { tool: open_echo } }
`);
  const call = async (scopes: string[]): Promise<Json> => {
    const { send, next, ask } = await openAt(server, '2025-11-25', {
      principal: { issuer: 'i', subject: 'ada', scopes },
    });
    send(ask(1, 'tools/call', { name: 'open_echo', _meta: { 'dev.tenon/idempotency-key': 'k' } }));
    return next();
  };
  expect(await call(['echo'])).toMatchObject({ result: {} });
  expect(await call([])).toMatchObject({ error: { code: -31403 } });
  expect(await call(['echo'])).toMatchObject({ result: {} });
  expect(ran).toEqual(['open_echo']);
});

it('what a guarded server returns is cached for one caller only, whatever the definition says [e-caching-31]', async () => {
  const cache = { ttlMs: 60_000, scope: 'public' } as const;
  const server = createServer(
    { name: 'x', version: '1', cache, resources: { 'open://one': resource({ cache }, () => 'text') } },
    { guard: guard({ policy: createPolicy(rules), unknownNames: 'warn' }), onError: () => undefined },
  );
  const { send, next, ask } = await openAt(server, '2026-07-28');
  send(ask(1, 'resources/list'));
  expect(await next()).toMatchObject({ result: { cacheScope: 'private', ttlMs: 60_000 } });
  send(ask(2, 'resources/read', { uri: 'open://one' }));
  expect(await next()).toMatchObject({ result: { cacheScope: 'private', ttlMs: 60_000 } });
});
