/** The doctor names the wrong setting of the provider where users sign in, without a user. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startProtected } from '../kit/auth/protected-server.ts';
import { providerSecret, type StartOptions, startSignInServer } from '../kit/auth-server/sign-in-server.ts';
import { typed } from './terminal.ts';

async function doctor(given: StartOptions = {}) {
  const server = await startSignInServer(given);
  const { out } = await typed(`tenon doctor ${server.resource}`);
  const json = await typed(`tenon doctor ${server.resource} --json`);
  return { server, out, signIn: JSON.parse(json.out).result.signIn as { readonly problems: string[] } };
}

describe('tenon doctor of a server with an authorization server of Tenon', () => {
  it('finds nothing where all is right, and changes nothing there', async () => {
    const { server, out, signIn } = await doctor();
    expect(signIn).toEqual({ provider: 'dev', problems: [] });
    expect(out).toMatch(/✗ authorize\n[\s\S]*✓ sign-in {7}dev: no wrong setting was found without a user\n$/);
    expect(server.events.map(({ type }) => type)).not.toContain('signed-in');
  });

  it('names a callback that is not registered', async () => {
    const clients = [
      { client_id: 'tenon', client_secret: providerSecret, redirect_uris: ['http://127.0.0.1:1/other'] },
    ];
    const { server, signIn } = await doctor({ provider: { clients } });
    expect(signIn.problems).toEqual([
      `dev answers 400 to the sign-in. Register ${server.issuer}/callback as the callback there, and check clientId and scopes.`,
    ]);
  });

  it('names a wrong secret', async () => {
    const refuse = async (url: string, init?: RequestInit) =>
      url.endsWith('/token') ? Response.json({ error: 'invalid_client' }, { status: 401 }) : fetch(url, init);
    const { out } = await doctor({ options: { fetch: refuse } });
    expect(out).toContain('✗ sign-in       dev refused the client ID or its secret. Check clientId and clientSecret.');
  });

  it('names scopes that the provider refuses', async () => {
    const { signIn } = await doctor({ provider: { quirks: ['refresh-by-parameter'] } });
    expect(signIn.problems).toEqual(['dev refused the scopes. Set scopes to those that it knows.']);
  });

  it('names a provider that cannot be reached, and an issuer that is wrong', async () => {
    const away = () => Promise.reject(new TypeError('fetch failed'));
    expect((await doctor({ options: { fetch: away } })).signIn.problems).toEqual([
      'dev cannot be reached. Try again later.',
    ]);
    const other = async () => Response.json({ issuer: 'https://other.example' });
    expect((await doctor({ options: { fetch: other } })).signIn.problems).toEqual([
      expect.stringMatching(/^The issuer of dev is https:\/\/other\.example, not http.* Check issuer\.$/),
    ]);
  });
});

/** Another host: how it answers can be set once it listens. */
async function listening(): Promise<{ readonly origin: string; readonly http: Server }> {
  const http = createServer();
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    http.close();
    http.closeAllConnections();
  });
  return { origin: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, http };
}

/** A server behind a proxy that forwards only some paths. */
async function doctorBehind(isForwarded: (path: string) => boolean) {
  const { origin, http } = await listening();
  const server = await startSignInServer({ origin });
  http.on('request', (request, response) => {
    const { url = '', method = '', headers } = request;
    if (!isForwarded(url)) return void response.writeHead(404).end('<h1>404 Not Found</h1>');
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const { accept = '*/*', 'content-type': type = 'text/plain', origin: from, cookie } = headers;
      const answer = await fetch(`${server.nodes[0]?.base}${url}`, {
        method,
        redirect: 'manual',
        headers: { accept, 'content-type': type, ...(from && { origin: from }), ...(cookie && { cookie }) },
        ...(method === 'POST' && { body: Buffer.concat(chunks).toString() }),
      });
      const cookies = answer.headers.getSetCookie();
      response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), 'set-cookie': cookies });
      response.end(await answer.text());
    });
  });
  const { out } = await typed(`tenon doctor ${server.resource} --json`);
  return { origin, problems: JSON.parse(out).result.signIn?.problems };
}

const forward = 'Forward all paths of this host to the server, not that of MCP alone.';

describe('the settings around it', () => {
  it('finds nothing wrong where the authorization server has a host of its own', async () => {
    const { origin, http } = await listening();
    const clients = [{ client_id: 'tenon', client_secret: providerSecret, redirect_uris: [`${origin}/callback`] }];
    const options = { issuer: origin };
    const server = await startSignInServer({ options, provider: { clients } });
    http.on('request', (request, response) => void server.auth.handle(request, response));
    const { out } = await typed(`tenon doctor ${server.resource} --json`);
    expect(JSON.parse(out).result.signIn).toEqual({ provider: 'dev', problems: [] });
  });

  it('names a resource that is another one than the URL of the server', async () => {
    const { server, signIn } = await doctor({ protection: { resource: 'http://127.0.0.1:1/mcp' } });
    expect(signIn.problems).toEqual([
      `The server is protected as http://127.0.0.1:1/mcp, so that clients refuse it at ${server.resource}. Connect by its own URL, or set resource of protect() to this one.`,
    ]);
  });

  it('names the paths that a proxy does not forward', async () => {
    const bare = await doctorBehind((path) => path.startsWith('/mcp'));
    expect(bare.problems).toEqual([
      `There is no metadata at ${bare.origin}/.well-known/oauth-protected-resource/mcp. ${forward}`,
    ]);
    const resource = await doctorBehind((path) => /^\/mcp|protected-resource/.test(path));
    expect(resource.problems).toEqual([
      expect.stringContaining(`The metadata of ${resource.origin} cannot be read at`),
    ]);
    const metadata = await doctorBehind((path) => /^\/mcp|well-known/.test(path));
    expect(metadata.problems).toEqual([expect.stringContaining(`${metadata.origin}/register registers no client.`)]);
    const noPages = await doctorBehind((path) => !path.startsWith('/authorize'));
    expect(noPages.problems).toEqual([`${noPages.origin}/authorize answers 404. ${forward}`]);
    const noCallback = await doctorBehind((path) => !path.startsWith('/callback'));
    expect(noCallback.problems).toEqual([`${noCallback.origin}/callback answers 404. ${forward}`]);
  });

  it('does not say that nothing is wrong where it could not look', async () => {
    const { out, signIn } = await doctor({
      options: { clients: { registration: false } },
      provider: { clients: [] },
    });
    expect(signIn).toMatchObject({
      provider: 'dev',
      problems: [],
      unchecked: expect.stringContaining('findProblems()'),
    });
    expect(out).toMatch(/- sign-in {7}dev: not checked, since clients cannot register themselves\./);
  });
});

it('registers no client at an authorization server of others', async () => {
  const { url, events } = await startProtected((resource) => ({ resources: [resource] }));
  const { out } = await typed(`tenon doctor ${url}`);
  expect(out).toContain('✗ authorize');
  expect(out).not.toContain('sign-in  ');
  expect(events).toEqual([]);
});
