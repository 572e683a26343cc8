/** What an authorization server accepts from where: options, limits by address, and being served alone or in a framework. */
import { once } from 'node:events';
import { createServer as createHttpServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createServer, serveHttp, toFetchHandler } from 'tenon';
import { protect } from 'tenon/auth';
import { authorizationServer, github } from 'tenon/auth-server';
import { createMemoryStore, type MemoryStore } from 'tenon/store';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Browser } from '../kit/auth-server/browser.ts';
import { redirectUri, secret, startSignInServer } from '../kit/auth-server/sign-in-server.ts';

const signIn = github({ clientId: 'id', clientSecret: 'secret' });
const secrets = [secret];
const resource = 'https://mcp.example.com/mcp';
const server = createServer({ name: 'empty', version: '1' });

describe('options', () => {
  it.each([
    ['secrets', { signIn, secrets: ['short'] }],
    ['secrets', { signIn, secrets: [] }],
    ['signIn', { secrets }],
    [
      'clients.known',
      { signIn, secrets, clients: { known: [{ clientId: 'a b', name: 'x', redirectUris: [redirectUri] }] } },
    ],
    [
      'clients.known',
      { signIn, secrets, clients: { known: [{ clientId: 'a', name: 'x', redirectUris: ['app:/x'] }] } },
    ],
    ['clients.documents', { signIn, secrets, clients: { documents: ['https://x'] } }],
    ['issuer', { signIn, secrets, issuer: 'https://mcp.example.com/auth' }],
    ['resources', { signIn, secrets, resources: [] }],
    ['texts', { signIn, secrets, texts: { alow: 'Erlauben' } }],
    ['texts', { signIn, secrets, texts: { constructor: 'x' } }],
    ['provider', { signIn, secrets, provider: signIn }],
  ])('name what is wrong with %s', (place, options) => {
    expect(() => authorizationServer(options as never)).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
    expect(() => authorizationServer(options as never)).toThrow(new RegExp(place.replaceAll('.', '\\.')));
  });

  it('refuse a resource that they do not list, and an issuer on plain http', () => {
    const auth = authorizationServer({ signIn, secrets, resources: [resource] });
    expect(() => protect({ issuer: auth, resource: 'https://other.example/mcp' })).toThrow(/resources/);
    const open = authorizationServer({ signIn, secrets });
    expect(() => protect({ issuer: open, resource: 'http://mcp.example.com/mcp' })).toThrow(/issuer/);
    expect(() => protect({ issuer: auth, resource, verify: () => undefined })).toThrow(/verify/);
  });

  it('are those of the endpoint: its metadata, and its paths', async () => {
    const auth = authorizationServer({ signIn, secrets });
    const authenticate = protect({ issuer: auth, resource, scopes: ['files:read'] });
    expect(authenticate.documents[0]?.content).toMatchObject({ authorization_servers: ['https://mcp.example.com'] });
    await expect(serveHttp(server, { port: 0, path: '/token', authenticate })).rejects.toMatchObject({
      code: 'invalid-argument',
    });
    expect(() => toFetchHandler(server, { authenticate })).toThrow(/toNodeHandler/);
  });
});

describe('an authorization server', () => {
  it('has the metadata and the paths that clients expect [s-auth-211@2025-03-26, s-auth-216@2025-03-26, s-auth-13, s-auth-90]', async () => {
    const { issuer } = await startSignInServer();
    const metadata = await (await fetch(`${issuer}/.well-known/oauth-authorization-server`)).json();
    expect(metadata).toMatchObject({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      registration_endpoint: `${issuer}/register`,
      revocation_endpoint: `${issuer}/revoke`,
      code_challenge_methods_supported: ['S256'],
      response_modes_supported: ['query'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      scopes_supported: ['files:read', 'files:write'],
    });
  });

  it('is served at the hosts of the endpoint alone', async () => {
    const { issuer } = await startSignInServer();
    const asked = await rawGet(`${issuer}/authorize`, 'attacker.example');
    expect(asked.status).toBe(403);
  });

  it('runs alone, for a server elsewhere', async () => {
    const http = createHttpServer();
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    const auth = authorizationServer({ signIn, secrets, issuer, resources: [resource], scopes: ['files:read'] });
    http.on('request', (request, response) => {
      if (!auth.handle(request, response)) response.writeHead(404).end('of the application');
    });
    onTestFinished(async () => {
      await auth.close();
      http.closeAllConnections();
      http.close();
    });
    const metadata = await (await fetch(`${issuer}/.well-known/oauth-authorization-server`)).json();
    expect(metadata).toMatchObject({ issuer, scopes_supported: ['files:read'] });
    // The application need not check the host: no URL comes from it.
    const claimed = await rawGet(`${issuer}/.well-known/oauth-authorization-server`, 'attacker.example');
    expect(JSON.parse(claimed.body)).toEqual(metadata);
    expect(await (await fetch(`${issuer}/else`)).text()).toBe('of the application');
    expect((await (await fetch(`${issuer}/jwks`)).json()).keys).toHaveLength(1);
    await auth.close();
    expect((await fetch(`${issuer}/jwks`)).status).toBe(503);
  });

  it('works behind a framework that has parsed the body', async () => {
    const started = await startSignInServer();
    const http = createHttpServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const text = Buffer.concat(chunks).toString();
      const isJson = request.headers['content-type']?.includes('json');
      Object.assign(request, { body: isJson ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text)) });
      if (!started.auth.handle(request, response)) response.end();
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      http.closeAllConnections();
      http.close();
    });
    const base = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    const registered = await fetch(`${base}/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' }),
    });
    const { client_id: client } = (await registered.json()) as { client_id: string };
    const back = await started.signIn(client);
    const { status } = await fetch(`${base}/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x', client_id: client }),
    });
    expect([back.searchParams.get('iss'), status]).toEqual([started.issuer, 400]);
  });
});

describe('limits', () => {
  /** Its minute does not pass: buckets gain no tokens, however long the requests take. */
  const stillStore = (): MemoryStore => {
    const began = Date.now();
    return createMemoryStore({ now: () => began });
  };

  it('answer 429 to an address that begins more than 60 sign-ins a minute', async () => {
    const { authorization, events } = await startSignInServer({ store: stillStore() });
    const browser = new Browser();
    const statuses = await Promise.all(Array.from({ length: 61 }, () => browser.get(authorization('unknown'))));
    expect(statuses.filter(({ status }) => status === 400)).toHaveLength(60);
    expect(statuses.filter(({ status }) => status === 429)).toHaveLength(1);
    expect(events).toContainEqual({ type: 'limited', reason: 'sign-in' });
  });

  it('answer 429 to an address that answers pages more than 60 times a minute: each answer is stored', async () => {
    const server = await startSignInServer({ store: stillStore() });
    const browser = server.browser();
    const page = await server.consent(browser, await server.register());
    const statuses: number[] = [];
    for (let count = 0; count < 62; count++) statuses.push((await server.answer(browser, page)).status);
    expect(statuses.slice(0, 60).every((status) => status === 303)).toBe(true);
    expect(statuses.slice(60)).toEqual([429, 429]);
    expect(server.events).toContainEqual({ type: 'limited', reason: 'answer' });
  });

  it('answer 429 to an address whose token requests fail more than 30 times a minute', async () => {
    const { token } = await startSignInServer({ store: stillStore() });
    const wrong = { grant_type: 'refresh_token', refresh_token: 'x', client_id: 'unknown' };
    for (let count = 0; count < 31; count++) expect((await token(wrong)).status).not.toBe(429);
    const refused = await token(wrong);
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, expect.any(Number)]);
  });

  it('answer 413 to more than 16 KiB', async () => {
    const { issuer } = await startSignInServer();
    const body = new URLSearchParams({ grant_type: 'x'.repeat(20_000) });
    expect((await fetch(`${issuer}/token`, { method: 'POST', body })).status).toBe(413);
    const chunked = new ReadableStream({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode('x'.repeat(20_000)));
        controller.close();
      },
    });
    const sent = { method: 'POST', body: chunked, duplex: 'half' };
    expect((await fetch(`${issuer}/register`, sent as RequestInit)).status).toBe(413);
  });
});

async function rawGet(url: string, host: string): Promise<{ readonly status: number; readonly body: string }> {
  const sent = httpRequest(url, { headers: { host } }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: answer.statusCode ?? 0, body: await text(answer) };
}
