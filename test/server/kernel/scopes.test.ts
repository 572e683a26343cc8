/** `scopes` on tools, resources, templates and prompts: checked for the principal of the current request, before anything runs. */
import {
  type Authenticate,
  connect,
  createServer,
  type Middleware,
  prompt,
  resource,
  resourceTemplate,
  rpcError,
  serveHttp,
  tool,
} from 'tenon';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { call, lone, loneCall, request, sessionRevisions, startSession } from '../../kit/http/messages.ts';
import { send } from '../../kit/http/raw-http.ts';
import { serve } from '../../kit/http/sample-server.ts';

const issuer = 'https://issuer.example';
/** A request names its user and scopes in a header; without it, it is anonymous. */
const authenticate: Authenticate = ({ header }) => {
  const scopes = header('x-scopes');
  return scopes === undefined ? { anonymous: true } : { issuer, subject: 'ada', scopes: scopes.split(' ') };
};

const ran: string[] = [];
beforeEach(() => void ran.splice(0));
const run = (name: string) => () => {
  ran.push(name);
  return name;
};

const features = {
  tools: {
    write: tool({ scopes: ['files:write', 'files:read'], inputSchema: z.object({ path: z.string() }) }, run('write')),
    wipe: tool({ scopes: ['files:wipe'] }, run('wipe')),
    free: tool({}, run('free')),
  },
  resources: {
    'secret://one': resource({ scopes: ['secrets'] }, run('secret://one')),
    'open://one': resource({}, run('open://one')),
  },
  resourceTemplates: {
    'vault://{id}': resourceTemplate({ scopes: ['vault'], complete: { id: () => [run('completed')()] } }, run('vault')),
  },
  prompts: { plan: prompt({ scopes: ['plans'] }, run('plan')) },
};
const start = (middleware: Middleware[] = []) => serve({ authenticate }, { middleware }, features);

/** Without the features of the sample server. */
const server = (more: Partial<Parameters<typeof createServer>[0]> = {}) =>
  createServer({ name: 'scoped', version: '1', ...features, ...more });

const challenge = (scope: string) => `Bearer error="insufficient_scope", scope="${scope}"`;

describe('a tool with scopes', () => {
  it('needs them before its arguments are read, without a session [S22, s-auth-69, s-auth-70, e-auth-51, e-auth-52]', async () => {
    const { url } = await start();
    const post = (scopes: string | undefined, given = {}) => {
      const sent = loneCall('write', given);
      return send(url, { ...sent, headers: { ...sent.headers, 'x-scopes': scopes } });
    };
    const refused = await post('files:read other');
    expect(refused).toMatchObject({
      status: 403,
      headers: { 'www-authenticate': challenge('files:read other files:write') },
    });
    expect(refused.json).toMatchObject({
      error: {
        code: -31433,
        message: expect.stringContaining('files:write'),
        data: { scope: 'files:read other files:write' },
      },
    });
    const anonymous = await post(undefined);
    expect(anonymous).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer scope="files:write files:read"' },
    });
    expect(ran).toEqual([]);
    expect((await post('files:read files:write', { path: 'a' })).json).toMatchObject({
      result: { content: [{ text: 'write' }] },
    });
  });

  it.each(sessionRevisions)(
    'in a session at %s has the scopes of each request, not those of initialize [S22, s-auth-69]',
    async (revision) => {
      const { url } = await start();
      const session = await startSession(url, revision, { headers: { 'x-scopes': 'files:wipe' } });
      expect((await session.post(call('wipe'))).status).toBe(200);
      const refused = await session.post(call('wipe'), { 'x-scopes': 'files:read' });
      expect(refused).toMatchObject({
        status: 403,
        headers: { 'www-authenticate': challenge('files:read files:wipe') },
      });
      expect((await session.post(call('free'), { 'x-scopes': 'files:read' })).status).toBe(200);
      expect((await session.post(call('wipe'))).status).toBe(200);
      expect(ran).toEqual(['wipe', 'free', 'wipe']);
    },
  );

  it('is refused inside the middleware, which sees why', async () => {
    const seen: unknown[] = [];
    const { url } = await start([
      async (_call, next) => {
        try {
          return await next();
        } catch (error) {
          seen.push((error as { reason: string }).reason);
          throw error;
        }
      },
    ]);
    const sent = loneCall('wipe');
    await send(url, { ...sent, headers: { ...sent.headers, 'x-scopes': 'x' } });
    expect(seen).toEqual(['insufficient-scope']);
    expect(ran).toEqual([]);
  });

  it('keeps its scopes where it is mounted', async () => {
    const outer = createServer({ name: 'outer', version: '1', mounts: { inner: server() } });
    const client = await connect(outer);
    await expect(client.tools.call('inner_wipe')).rejects.toMatchObject({
      reason: 'unauthorized',
      data: { scope: 'files:wipe' },
    });
    expect(ran).toEqual([]);
    await client.close();
  });

  it('does not repeat a stored result to a request with fewer scopes', async () => {
    const { url } = await start();
    const sent = loneCall('wipe', {}, { 'dev.tenon/idempotency-key': 'k-1' });
    const post = (scopes: string) => send(url, { ...sent, headers: { ...sent.headers, 'x-scopes': scopes } });
    expect((await post('files:wipe')).status).toBe(200);
    expect((await post('files:read')).status).toBe(403);
    expect((await post('files:read files:wipe')).status).toBe(200);
    expect(ran).toEqual(['wipe']);
  });
});

describe('a batch', () => {
  it('is refused as a whole with all scopes of its requests, and nothing of it runs [S22, e-auth-52]', async () => {
    const { url } = await serveAlone(server());
    const batch = [call('free', {}, 1), call('wipe', {}, 2), request('resources/read', { uri: 'secret://one' }, 3)];
    const session = await startSession(url, '2025-03-26', { headers: { 'x-scopes': 'files:read' } });
    const refused = await session.post(batch);
    expect(refused).toMatchObject({
      status: 403,
      headers: { 'www-authenticate': challenge('files:read files:wipe secrets') },
    });
    expect(refused.json).toMatchObject({ id: null, error: { code: -31433 } });
    expect(ran).toEqual([]);
    const served = await session.post(batch, { 'x-scopes': 'files:wipe secrets' });
    expect(served.status).toBe(200);
    expect(ran).toEqual(['free', 'wipe', 'secret://one']);
  });

  it('without a session is refused alike', async () => {
    const { url } = await serve({ authenticate, sessions: false }, {}, features);
    const body = [call('free', {}, 1), call('wipe', {}, 2)];
    const headers = { 'mcp-protocol-version': '2025-03-26' };
    const refused = await send(url, { body, headers: { ...headers, 'x-scopes': 'a' } });
    expect(refused).toMatchObject({ status: 403, headers: { 'www-authenticate': challenge('a files:wipe') } });
    expect((await send(url, { body, headers })).status).toBe(401);
    expect(ran).toEqual([]);
  });
});

describe('a resource, template or prompt with scopes', () => {
  const reads: [string, string, object, string][] = [
    ['reads a resource', 'resources/read', { uri: 'secret://one' }, 'secrets'],
    ['reads a resource of a template', 'resources/read', { uri: 'vault://7' }, 'vault'],
    ['gets a prompt', 'prompts/get', { name: 'plan' }, 'plans'],
    [
      'completes a template',
      'completion/complete',
      { ref: { type: 'ref/resource', uri: 'vault://{id}' }, argument: { name: 'id', value: '' } },
      'vault',
    ],
    [
      'listens to a resource',
      'subscriptions/listen',
      { notifications: { resourceSubscriptions: ['secret://one'] } },
      'secrets',
    ],
    [
      'listens to all below a URI',
      'subscriptions/listen',
      { notifications: { resourceSubscriptions: ['vault://'] } },
      'secrets vault',
    ],
  ];
  it.each(reads)('is checked where a client %s [S22]', async (_what, method, params, scope) => {
    const served = server();
    const { url } = await serveAlone(served);
    const sent = lone(method, { ...params });
    const refused = await send(url, { ...sent, headers: { ...sent.headers, 'x-scopes': 'other' } });
    expect(refused).toMatchObject({ status: 403, headers: { 'www-authenticate': challenge(`other ${scope}`) } });
    expect(ran).toEqual([]);
  });

  it('is checked where a session subscribes, and not where it unsubscribes', async () => {
    const { url } = await serveAlone(server());
    const session = await startSession(url, '2025-11-25', { headers: { 'x-scopes': 'secrets' } });
    const params = { uri: 'secret://one' };
    const subscribe = () => session.post(request('resources/subscribe', params), { 'x-scopes': 'other' });
    expect((await subscribe()).status).toBe(403);
    expect((await session.post(request('resources/subscribe', params))).status).toBe(200);
    expect((await session.post(request('resources/unsubscribe', params), { 'x-scopes': 'other' })).status).toBe(200);
  });

  it('has contents that no shared cache may hold, and lists that are the same for all', async () => {
    const cache = { ttlMs: 60_000, scope: 'public' } as const;
    const { url } = await serveAlone(server({ cache }));
    const post = async (method: string, params: object, scopes: string | undefined) => {
      const sent = lone(method, { ...params });
      const { json } = await send(url, { ...sent, headers: { ...sent.headers, 'x-scopes': scopes } });
      return json.result as { cacheScope: string };
    };
    expect(await post('resources/read', { uri: 'secret://one' }, 'secrets')).toMatchObject({ cacheScope: 'private' });
    expect(await post('resources/read', { uri: 'vault://1' }, 'vault')).toMatchObject({ cacheScope: 'private' });
    expect(await post('resources/read', { uri: 'open://one' }, undefined)).toMatchObject({ cacheScope: 'public' });
    const everyone = await post('tools/list', {}, undefined);
    expect(await post('tools/list', {}, 'files:wipe')).toEqual(everyone);
    expect(JSON.stringify(everyone)).not.toContain('scopes');
  });
});

it('a call in memory gets a JSON-RPC error with the scopes', async () => {
  const client = await connect(server());
  const refused = { reason: 'unauthorized', code: -31401, data: { scope: 'plans' } };
  await expect(client.prompts.get('plan')).rejects.toMatchObject(refused);
  await expect(client.tools.call('free')).resolves.toMatchObject({ content: [{ text: 'free' }] });
  await client.close();
});

it('a refused call can be sent again with the same idempotency key and better credentials', async () => {
  let isAllowed = false;
  const pay = tool({}, () => {
    if (!isAllowed) throw rpcError('insufficient-scope', 'It needs pay', { scope: 'pay' });
    return run('pay')();
  });
  const { url } = await serve({}, {}, { tools: { pay } });
  const sent = loneCall('pay', {}, { 'dev.tenon/idempotency-key': 'k-1' });
  expect((await send(url, sent)).status).toBe(403);
  isAllowed = true;
  expect((await send(url, sent)).status).toBe(200);
  expect((await send(url, sent)).status).toBe(200);
  expect(ran).toEqual(['pay']);
});

it('a call that waits for input needs its scopes in every round, and continues once it has them again', async () => {
  const greet = tool({ scopes: ['greet'] }, async (_given, ctx) => {
    const who = await ctx.elicit('who', { message: 'Who?', schema: z.object({ name: z.string() }) });
    return who.action;
  });
  const { url } = await serve({ authenticate }, {}, { tools: { greet } });
  const post = (scopes: string, more: object = {}) => {
    const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
    const sent = lone('tools/call', { name: 'greet', arguments: {}, ...more }, meta);
    return send(url, { ...sent, headers: { ...sent.headers, 'x-scopes': scopes } });
  };
  const { requestState } = (await post('greet')).json.result as { requestState: string };
  const next = { requestState, inputResponses: { who: { action: 'decline' } } };
  expect((await post('other', next)).status).toBe(403);
  expect((await post('greet', next)).json).toMatchObject({ result: { content: [{ text: 'decline' }] } });
});

it.each([
  ['tools.a.scopes is not a list', { tools: { a: tool({ scopes: 'x' as never }, () => '') } }],
  ['tools.a.scopes[1]: "a b" is not a scope', { tools: { a: tool({ scopes: ['x', 'a b'] }, () => '') } }],
  ['prompts.a.scopes[0]: 1 is not a scope', { prompts: { a: prompt({ scopes: [1 as never] }, () => '') } }],
  ['resources["a://b"].scopes[0]: "" is not', { resources: { 'a://b': resource({ scopes: [''] }, () => '') } }],
  [
    'resourceTemplates["a://{b}"].scopes[0]: "\\"" is not',
    { resourceTemplates: { 'a://{b}': resourceTemplate({ scopes: ['"'] }, () => '') } },
  ],
])('%s: createServer throws invalid-definition', (text, definition) => {
  expect(() => createServer({ name: 'a', version: '1', ...(definition as object) })).toThrow(
    expect.objectContaining({ code: 'invalid-definition', message: expect.stringContaining(text) }),
  );
});

async function serveAlone(served: ReturnType<typeof server>) {
  const service = await serveHttp(served, { port: 0, authenticate });
  onTestFinished(() => service.close());
  return service;
}
