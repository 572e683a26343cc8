/** Credentials: whose they are, where they are sent, and that no client gets them. */
import { expect, it } from 'vitest';
import { bearerToken } from '../../src/auth/index.ts';
import { openapiServer } from '../../src/openapi/index.ts';
import { createTestConnection } from '../../src/test/index.ts';
import { connected, documentOf, json, loopback, parameter, startApi } from './api.ts';

const schemes = {
  token: { type: 'http', scheme: 'bearer' },
  login: { type: 'http', scheme: 'basic' },
  key: { type: 'apiKey', in: 'query', name: 'api_key' },
  header: { type: 'apiKey', in: 'header', name: 'X-Key' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
};
const secured = (security: unknown, more: object = {}) =>
  documentOf(
    { '/me': { get: { operationId: 'me', security, ...more } } },
    { components: { securitySchemes: schemes } },
  );

it.each([
  ['token', 'abc123', { authorization: 'Bearer abc123' }, '/me'],
  ['login', 'ada:pass word', { authorization: `Basic ${btoa('ada:pass word')}` }, '/me'],
  ['header', 'abc123', { 'x-key': 'abc123' }, '/me'],
  ['key', 'a&b', {}, '/me?api_key=a%26b'],
])('a credential of the scheme %s is sent where the document says', async (name, secret, headers, url) => {
  const api = await startApi();
  const { call } = await connected(secured([{ [name]: [] }]), { baseUrl: api.url, auth: { [name]: secret } });
  await call('me');
  expect(api.received[0]).toMatchObject({ url, headers });
});

it('each user has the credentials of their own, in calls at the same time', async () => {
  const api = await startApi(({ headers }, response) =>
    json(response, { user: String(headers.authorization).slice(-3) }),
  );
  const tokens: Record<string, string> = { ada: 'token-of-ada', bob: 'token-of-bob' };
  const server = openapiServer(secured([{ token: [] }]), {
    baseUrl: api.url,
    allowedNetworks: loopback,
    auth: { token: ({ principal }) => tokens[principal?.subject ?? ''] },
  });
  const users = ['ada', 'bob', 'eve'];
  const connections = await Promise.all(users.map((principal) => createTestConnection(server, { principal })));
  const calls = connections.flatMap(({ client }) => [client.tools.call('me', {}), client.tools.call('me', {})]);
  const results = await Promise.all(calls);
  const [ada, bob] = [{ user: 'ada' }, { user: 'bob' }];
  expect(results.map(({ structuredContent, isError }) => structuredContent ?? isError)).toEqual([
    ada,
    ada,
    bob,
    bob,
    true,
    true,
  ]);
  expect(api.received).toHaveLength(4);
  await Promise.all(connections.map(({ close }) => close()));
});

it('a refused token is replaced once, and the same one is not sent again', async () => {
  const api = await startApi(({ headers }, response) =>
    headers.authorization === 'Bearer new-token' ? json(response, { ok: true }) : json(response, {}, 401),
  );
  const renewed = await connected(secured([{ token: [] }]), {
    baseUrl: api.url,
    auth: { token: ({ refused }) => (refused ? 'new-token' : 'old-token') },
  });
  await expect(renewed.call('me')).resolves.toMatchObject({ structuredContent: { ok: true } });
  const fixed = await connected(secured([{ token: [] }]), { baseUrl: api.url, auth: { token: 'old-token' } });
  await expect(fixed.call('me')).resolves.toMatchObject({ isError: true });
  expect(api.received).toHaveLength(3);
});

it('bearerToken() of tenon/auth and a function of headers give credentials to every operation', async () => {
  const api = await startApi();
  const ofToken = await connected(secured([{ cookie: [] }]), { baseUrl: api.url, auth: bearerToken(() => 'abcdef') });
  await ofToken.call('me');
  const ofFunction = await connected(secured([{ cookie: [] }]), {
    baseUrl: api.url,
    auth: () => ({ Cookie: 'sid=1' }),
  });
  await ofFunction.call('me');
  expect(api.received[0]?.headers.authorization).toBe('Bearer abcdef');
  expect(api.received[1]?.headers.cookie).toBe('sid=1');
});

it('bearerToken() renews a token that the API refuses', async () => {
  const api = await startApi(({ headers }, response) =>
    json(response, {}, headers.authorization === 'Bearer fresh' ? 200 : 401),
  );
  const { call } = await connected(secured([{ token: [] }]), {
    baseUrl: api.url,
    auth: bearerToken(({ refused }) => (refused === undefined ? 'stale' : 'fresh')),
  });
  expect((await call('me')).isError).toBeUndefined();
});

it('an operation whose credentials are not set is left out by name; optional ones are sent if they are set', async () => {
  const api = await startApi();
  const document = documentOf(
    {
      '/a': { get: { operationId: 'a', security: [{ token: [] }] } },
      '/b': { get: { operationId: 'b', security: [{}, { header: [] }] } },
    },
    { components: { securitySchemes: schemes } },
  );
  const omitted: string[] = [];
  const { client, call } = await connected(document, {
    baseUrl: api.url,
    auth: { header: 'abcdef' },
    onOmitted: ({ operation, reason }) => omitted.push(`${operation.id}: ${reason}`),
  });
  expect((await client.tools.list().all()).map(({ name }) => name)).toEqual(['b']);
  expect(omitted).toEqual(['a: it needs credentials: set auth for token']);
  await call('b');
  expect(api.received[0]?.headers['x-key']).toBe('abcdef');
});

it('a model can set neither the credentials nor the headers of the connection', async () => {
  const names = ['Authorization', 'Host', 'Cookie', 'Content-Length', 'X-Key', 'x-forwarded-for'];
  const parameters = [
    ...names.map((name) => parameter(name, 'header')),
    parameter('api_key', 'query'),
    parameter('q', 'query'),
  ];
  const { client } = await connected(secured(undefined, { parameters }), { baseUrl: 'http://127.0.0.1:1' });
  const [tool] = await client.tools.list().all();
  expect(Object.keys(tool?.inputSchema.properties ?? {})).toEqual(['q']);
});

it('what an API repeats of the credentials reaches no client', async () => {
  const secret = 'pa"ss/wörd'.replace('ö', 'o');
  const api = await startApi(({ method, url, headers }, response) => {
    response.setHeader('link', `<${url}&page=${headers['x-key']}>; rel="next"`);
    json(response, { url, headers }, method === 'GET' ? 200 : 400);
  });
  const parameters = [parameter('page', 'query')];
  const security = [{ login: [], key: [], header: [] }];
  const document = documentOf(
    { '/echo': { get: { operationId: 'get', security, parameters }, post: { operationId: 'post', security } } },
    { components: { securitySchemes: schemes } },
  );
  const auth = { login: `ada:${secret}`, key: `${secret}1`, header: `${secret}2` };
  const { call } = await connected(document, { baseUrl: api.url, auth });
  for (const name of ['get', 'post']) {
    const text = JSON.stringify(await call(name));
    expect(text).toContain('[masked]');
    for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), btoa(`ada:${secret}`)])
      expect(text).not.toContain(form);
  }
  expect(api.received[0]?.url).toContain(encodeURIComponent(secret));
});

it('a credential that no header can have is in no error, not even in one for the log', async () => {
  const api = await startApi();
  const errors: unknown[] = [];
  const secret = 'secret-token\nX-Admin: yes';
  for (const auth of [{ token: () => secret }, () => ({ authorization: secret })]) {
    const onError = (error: unknown): number => errors.push(error);
    const { call } = await connected(secured([{ token: [] }]), { baseUrl: api.url, auth, onError });
    expect(JSON.stringify(await call('me'))).not.toContain('secret-token');
  }
  expect(errors.map((error) => (error as { code: string }).code)).toEqual(['callback-failed', 'callback-failed']);
  for (const error of errors)
    expect(`${(error as Error).stack} ${String((error as Error).cause)}`).not.toContain('secret-token');
  expect(api.received).toEqual([]);
});

it('credentials are not sent without TLS, unless a network is named', () => {
  const open = (baseUrl: string, allowedNetworks: string[] = []) =>
    openapiServer(secured([{ token: [] }]), { baseUrl, allowedNetworks, auth: { token: 'abcdef' } });
  expect(() => open('http://api.example.com')).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
  expect(() => open('https://api.example.com')).not.toThrow();
  expect(() => open('http://10.1.2.3', ['10.1.0.0/16'])).not.toThrow();
});

it('a misspelt scheme is an error, with the right one', () => {
  const make = () =>
    openapiServer(secured([{ token: [] }]), { baseUrl: 'https://a.example', auth: { tokn: 'abcdef' } });
  expect(make).toThrow(/auth\.tokn must name a security scheme\. Did you mean token\?/);
});
