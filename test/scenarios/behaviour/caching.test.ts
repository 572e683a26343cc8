import { createServer, inputRequired, prompt, resource, resourceTemplate, type ServerDefinition, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { type Json, openAt, request } from '../../kit/transport/raw-connection.ts';
import { sessionVersions } from '../../kit/version-order.ts';

const many = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, tool({}, () => 'x')]));
const definition: ServerDefinition = {
  name: 'fresh',
  version: '1',
  pageSize: 1,
  cache: { ttlMs: 5000, scope: 'public' },
  tools: many,
  resources: {
    'a://plain': resource({}, () => 'x'),
    'a://own': resource({ cache: { ttlMs: 0, scope: 'private' } }, () => 'x'),
    'a://rounds': resource({}, ({ inputResponses: answers }) =>
      'roots' in answers ? 'x' : inputRequired({ roots: 'roots' }),
    ),
  },
  resourceTemplates: { 'b://{x}': resourceTemplate({ cache: { ttlMs: 7, scope: 'public' } }, () => 'x') },
  prompts: { p: prompt({}, () => 'x') },
};

const cases: ReadonlyArray<readonly [method: string, params: Json, hint: Json]> = [
  ['server/discover', {}, { ttlMs: 5000, cacheScope: 'public' }],
  ['tools/list', {}, { ttlMs: 5000, cacheScope: 'public' }],
  ['prompts/list', {}, { ttlMs: 5000, cacheScope: 'public' }],
  ['resources/list', {}, { ttlMs: 5000, cacheScope: 'public' }],
  ['resources/templates/list', {}, { ttlMs: 5000, cacheScope: 'public' }],
  ['resources/read', { uri: 'a://plain' }, { ttlMs: 5000, cacheScope: 'public' }],
  ['resources/read', { uri: 'a://own' }, { ttlMs: 0, cacheScope: 'private' }],
  ['resources/read', { uri: 'b://1' }, { ttlMs: 7, cacheScope: 'public' }],
];

const resultOf = ({ result }: Json): Json => result as Json;

describe('cache hints in exchanges', () => {
  it.each(cases)(
    'are sent with %s %j [e-caching-01, e-caching-10, e-caching-20, e-caching-21, e-schema-24]',
    async (method, params, hint) => {
      const { ask, send, next } = await openAt(createServer(definition), '2026-07-28');
      send(ask(1, method, params));
      expect(resultOf(await next())).toMatchObject({ resultType: 'complete', ...hint });
    },
  );

  it('forbid caching where the definition sets no hint [e-caching-01, e-schema-24]', async () => {
    const { cache: _, resources: __, resourceTemplates: ___, ...silent } = definition;
    const server = createServer({
      ...silent,
      resources: { 'a://plain': resource({}, () => 'x') },
      resourceTemplates: {},
    });
    const { ask, send, settled } = await openAt(server, '2026-07-28');
    cases.slice(0, 6).forEach(([method, params], id) => send(ask(id, method, params)));
    const results = (await settled()).map(resultOf);
    expect(results).toHaveLength(6);
    for (const result of results) expect(result).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
  });

  it('are the same on all pages of a list [e-caching-27]', async () => {
    const { ask, send, next } = await openAt(createServer(definition), '2026-07-28');
    const scopes: unknown[] = [];
    for (let params: Json | undefined = {}; params !== undefined; ) {
      send(ask(1, 'tools/list', params));
      const { cacheScope, nextCursor } = resultOf(await next());
      scopes.push(cacheScope);
      params = nextCursor === undefined ? undefined : { cursor: nextCursor };
    }
    expect(scopes).toEqual(['public', 'public', 'public']);
  });

  it('are never sent with a tool result, a prompt or an input-required result [e-base-11, e-caching-02]', async () => {
    const { ask, send, next } = await openAt(createServer(definition), '2026-07-28');
    const message = ask(3, 'resources/read', { uri: 'a://rounds' });
    const { _meta } = message.params as { _meta: Json };
    const able = { ..._meta, 'io.modelcontextprotocol/clientCapabilities': { roots: {} } };
    send(ask(1, 'tools/call', { name: 'a' }));
    send(ask(2, 'prompts/get', { name: 'p' }));
    send(request(3, 'resources/read', { uri: 'a://rounds', _meta: able }));
    const results = [await next(), await next(), await next()].map(resultOf);
    expect(results.map(({ resultType }) => resultType)).toEqual(['complete', 'complete', 'input_required']);
    for (const result of results) {
      expect(result).not.toHaveProperty('ttlMs');
      expect(result).not.toHaveProperty('cacheScope');
    }
  });
});

describe.each(sessionVersions)('cache hints at %s', (revision) => {
  it('are never sent', async () => {
    const { ask, send, settled } = await openAt(createServer(definition), revision);
    cases.slice(1).forEach(([method, params], id) => send(ask(id, method, params)));
    const received = await settled();
    expect(received).toHaveLength(cases.length - 1);
    expect(JSON.stringify(received)).not.toMatch(/ttlMs|cacheScope|resultType/);
  });
});

describe('an invalid cache hint', () => {
  it.each([
    { ttlMs: -1 },
    { ttlMs: 1.5 },
    { ttlMs: Number.NaN },
    { ttlMs: Number.POSITIVE_INFINITY },
    { scope: 'shared' },
  ])('is refused at definition: %j [e-caching-10]', (wrong) => {
    const cache = { ttlMs: 1, scope: 'public', ...wrong } as never;
    const invalid = expect.objectContaining({ code: 'invalid-definition', message: expect.stringContaining('cache') });
    expect(() => createServer({ name: 's', version: '1', cache })).toThrow(invalid);
    const resources = { 'a://b': resource({ cache }, () => 'x') };
    expect(() => createServer({ name: 's', version: '1', resources })).toThrow(invalid);
    const templates = { 'a://{b}': resourceTemplate({ cache }, () => 'x') };
    expect(() => createServer({ name: 's', version: '1', resourceTemplates: templates })).toThrow(invalid);
  });
});
