/** The metadata of a protected resource is public: at both well-known paths, for every origin, in every kind of endpoint. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createMcpServer, TenonError, toFetchHandler, toNodeHandler } from 'tenon';
import { type ProtectOptions, protect } from 'tenon/auth';
import { describe, expect, it, onTestFinished } from 'vitest';
import { send } from '../kit/http/raw-http.ts';
import { serve } from '../kit/http/sample-server.ts';

const wellKnown = '/.well-known/oauth-protected-resource';
const options: ProtectOptions = {
  issuers: ['https://id.example', 'https://other.example/tenant'],
  resource: 'https://mcp.example/mcp',
  scopes: ['files:read'],
  scopesSupported: ['files:read', 'files:write'],
  resourceName: 'Files',
};
const document = {
  resource: 'https://mcp.example/mcp',
  authorization_servers: ['https://id.example', 'https://other.example/tenant'],
  scopes_supported: ['files:read', 'files:write'],
  bearer_methods_supported: ['header'],
  resource_name: 'Files',
};

describe('the metadata', () => {
  it.each([wellKnown, `${wellKnown}/mcp`])(
    'is served at %s without a token, for pages of every origin [s-auth-11, s-auth-15, e-auth-08, e-auth-62]',
    async (path) => {
      const { url } = await serve({ authenticate: protect(options) });
      const at = new URL(path, url).href;
      const headers = { origin: 'https://any.example' };
      const got = await send(at, { method: 'GET', headers });
      expect(got).toMatchObject({ status: 200, headers: { 'access-control-allow-origin': '*' }, json: document });
      expect(await send(at, { method: 'HEAD', headers })).toMatchObject({ status: 200, text: '' });
      const preflight = await send(at, { method: 'OPTIONS', headers });
      expect(preflight).toMatchObject({ status: 204, headers: { 'access-control-allow-origin': '*' } });
      expect(preflight.headers['access-control-allow-headers']).toContain('mcp-protocol-version');
      expect((await send(at, { body: {} })).status).toBe(405);
    },
  );

  it('names the algorithms of DPoP proofs where those are accepted, and whether they are required', () => {
    const contentFor = (dpop: NonNullable<ProtectOptions['dpop']>) =>
      protect({ ...options, dpop }).documents[0]?.content;
    const algorithms = { dpop_signing_alg_values_supported: expect.arrayContaining(['ES256']) };
    expect(contentFor('optional')).toEqual({ ...document, ...algorithms });
    const required = { ...document, ...algorithms, dpop_bound_access_tokens_required: true };
    expect(contentFor('required')).toEqual(required);
    expect(contentFor({ nonces: true })).toEqual(required);
  });

  it('is at no other path', async () => {
    const { url } = await serve({ authenticate: protect(options) });
    for (const path of [`${wellKnown}/other`, `${wellKnown}/`, '/mcp/.well-known/oauth-protected-resource'])
      expect((await send(new URL(path, url).href, { method: 'GET' })).status).toBe(404);
  });

  it.each([
    ['https://mcp.example', wellKnown, `https://mcp.example${wellKnown}`],
    ['https://mcp.example/', wellKnown, `https://mcp.example${wellKnown}`],
    ['https://mcp.example/api/files', `${wellKnown}/api/files`, `https://mcp.example${wellKnown}/api/files`],
    ['https://mcp.example/mcp/', `${wellKnown}/mcp/`, `https://mcp.example${wellKnown}/mcp/`],
    ['https://mcp.example/mcp?tenant=a', `${wellKnown}/mcp`, `https://mcp.example${wellKnown}/mcp?tenant=a`],
  ])(
    'of %s is at %s and at the root, whatever the path of the endpoint, and challenges name its URL [e-auth-65]',
    async (resource, path, url) => {
      const served = await serve({ authenticate: protect({ ...options, resource }), path: '/own/path' });
      for (const at of [path, wellKnown])
        expect((await send(new URL(at, served.url).href, { method: 'GET' })).json).toMatchObject({ resource });
      const refused = await send(served.url, { body: {} });
      expect(refused.headers['www-authenticate']).toContain(`resource_metadata="${url}"`);
      // It would be the document of another resource there (RFC 9728, 3.3).
      expect((await send(new URL(`${wellKnown}/own/path`, served.url).href, { method: 'GET' })).status).toBe(404);
    },
  );

  it('is in documents, for a framework that serves it itself', () => {
    const { documents } = protect(options);
    expect(documents).toEqual([{ paths: [`${wellKnown}/mcp`, wellKnown], content: document }]);
    expect(JSON.parse(JSON.stringify(documents[0]?.content))).toEqual(document);
  });

  it('is served by a fetch handler and a handler of node:http that get the request', async () => {
    const server = createMcpServer({ name: 'files', version: '1' });
    const authenticate = protect(options);
    const fetchHandler = toFetchHandler(server, { authenticate, allowedHosts: ['mcp.example'] });
    const fetched = await fetchHandler(new Request(`https://mcp.example${wellKnown}/mcp`));
    expect([fetched.status, await fetched.json()]).toEqual([200, document]);
    const refused = await fetchHandler(
      new Request('https://mcp.example/mcp', {
        method: 'POST',
        body: '{}',
        headers: { 'content-type': 'application/json' },
      }),
    );
    expect(refused.headers.get('www-authenticate')).toContain(`https://mcp.example${wellKnown}/mcp`);

    const listener = createServer(toNodeHandler(server, { authenticate }));
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void listener.close());
    const { port } = listener.address() as AddressInfo;
    expect((await send(`http://127.0.0.1:${port}${wellKnown}`, { method: 'GET' })).json).toEqual(document);
  });

  it.each([wellKnown, '/.well-known'])('is served by a handler that Express has mounted at %s', async (mounted) => {
    const handler = toNodeHandler(createMcpServer({ name: 'files', version: '1' }), { authenticate: protect(options) });
    const listener = createServer((request, response) => {
      const { url = '' } = request;
      handler(Object.assign(request, { originalUrl: url, url: url.slice(mounted.length) || '/' }), response);
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void listener.close());
    const { port } = listener.address() as AddressInfo;
    for (const path of [wellKnown, `${wellKnown}/mcp?a`])
      expect((await send(`http://127.0.0.1:${port}${path}`, { method: 'GET' })).json).toEqual(document);
  });
});

const valid = { issuer: 'https://id.example', resource: 'https://mcp.example/mcp' };
const several = { resource: valid.resource };
const wrong: [string, unknown, string][] = [
  ['no options', undefined, 'options'],
  ['no issuer', { resource: valid.resource }, 'issuer'],
  ['both issuer and issuers', { ...valid, issuers: ['https://id.example'] }, 'issuer'],
  ['an issuer without TLS', { ...valid, issuer: 'http://id.example' }, 'issuer'],
  ['an issuer with a query', { ...valid, issuer: 'https://id.example?a' }, 'issuer'],
  ['no resource', { issuer: valid.issuer }, 'resource'],
  ['a resource with a fragment', { ...valid, resource: 'https://mcp.example/mcp#a' }, 'resource'],
  ['a resource that is no URL', { ...valid, resource: 'mcp.example' }, 'resource'],
  ['a scope with a quote', { ...valid, scopes: ['a"b'] }, 'scopes'],
  ['offline_access', { ...valid, scopes: ['offline_access'] }, 'scopes'],
  [
    'keys without TLS',
    { ...valid, issuer: { issuer: valid.issuer, jwksUri: 'http://id.example/keys' } },
    'issuer.jwksUri',
  ],
  [
    'a second issuer without TLS',
    { ...several, issuers: [valid.issuer, { issuer: 'http://b.example' }] },
    'issuers[1].issuer',
  ],
  ['an issuer twice', { ...several, issuers: [valid.issuer, { issuer: valid.issuer }] }, 'issuers[1]'],
  ['audiences that verify() does not use', { ...valid, verify: () => undefined, audiences: ['a'] }, 'audiences'],
  [
    'keys that verify() does not use',
    { ...valid, verify: () => undefined, issuer: { issuer: valid.issuer, jwksUri: 'https://id.example/keys' } },
    'issuer.jwksUri',
  ],
  ['an unknown option', { ...valid, audience: 'x' }, 'audience'],
  ['an unknown mode of DPoP', { ...valid, dpop: 'on' }, 'dpop'],
  ['an unknown option of DPoP', { ...valid, dpop: { nonce: true } }, 'dpop.nonce'],
  ['no secrets of nonces', { ...valid, dpop: { secrets: [] } }, 'dpop.secrets'],
  ['a short secret of nonces', { ...valid, dpop: { secrets: ['x'.repeat(16), 'short'] } }, 'dpop.secrets[1]'],
  ['a store that is none', { ...valid, dpop: { once: {} } }, 'dpop.once'],
  ['a URL of DPoP that is none', { ...valid, dpop: { urls: ['/mcp'] } }, 'dpop.urls'],
  ['an unknown limit', { ...valid, limits: { maxTokens: 1 } }, 'limits.maxTokens'],
];

it.each(wrong)(
  'protect() with %s throws invalid-argument, which names the place [e-auth-49]',
  (_what, given, place) => {
    expect(() => protect(given as ProtectOptions)).toThrow(TenonError);
    expect(() => protect(given as ProtectOptions)).toThrow(
      expect.objectContaining({ code: 'invalid-argument', details: { place } }),
    );
  },
);
