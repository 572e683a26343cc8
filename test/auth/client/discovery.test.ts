/** Where the OAuth client finds an authorization server, in every revision with authorization, and what it sends there. */
import { createHash } from 'node:crypto';
import { connect, type TenonError } from 'tenon';
import { type OAuthOptions, oauth } from 'tenon/auth';
import { describe, expect, it } from 'vitest';
import { type ScriptedAuthority, startScriptedAuthority } from '../../kit/auth/scripted-authority.ts';
import { alone, refuse, type Scripted, scripted, session } from '../../kit/http/scripted-server.ts';

type Json = Record<string, unknown>;

/** A server that wants a token. Other paths than /mcp have the answers of the test. */
async function startServer(documents: Record<string, () => Json>, challenge = (_origin: string) => 'Bearer') {
  const server: Scripted = await scripted(({ path, headers, response }) => {
    const document = documents[path]?.();
    if (document !== undefined) {
      response.writeHead(200, { 'content-type': 'application/json' });
      return response.end(JSON.stringify(document));
    }
    if (path !== '/mcp') return refuse(response, 404);
    if (headers.authorization !== undefined) return false;
    return refuse(response, 401, undefined, { 'www-authenticate': challenge(server.origin) });
  });
  return server;
}

/** The paths that a server was asked for, other than that of MCP. */
const asked = ({ received }: Scripted): string[] => received.map(({ path }) => path).filter((path) => path !== '/mcp');

const signInAt = async (server: Scripted, { signIn }: ScriptedAuthority, options: OAuthOptions = {}) => {
  const auth = oauth({ signIn, ...options });
  await (await connect({ url: server.url, auth }, { protocolVersions: [alone] })).close();
};

const failureOf = (promise: Promise<unknown>): Promise<TenonError> =>
  promise.then(
    () => expect.unreachable('It should have failed.'),
    (error: TenonError) => error,
  );

const well = '/.well-known/oauth-protected-resource';

describe('The metadata of a server', () => {
  it.each([
    ['where the challenge says', '/elsewhere.json', ['/elsewhere.json']],
    ['at its path', `${well}/mcp`, [`${well}/mcp`]],
    ['at the root', well, [`${well}/mcp`, well]],
  ])(
    'is found %s, and leads to the authorization server [s-auth-12, s-auth-18, s-auth-19, s-auth-20]',
    async (_where, place, places) => {
      const authority = await startScriptedAuthority();
      const named = place.endsWith('.json');
      const server: Scripted = await startServer(
        { [place]: () => ({ resource: server.url, authorization_servers: [authority.issuer] }) },
        (origin) => (named ? `Bearer resource_metadata="${origin}${place}"` : 'Bearer'),
      );
      await signInAt(server, authority);
      expect(asked(server)).toEqual(places);
      expect(authority.requested('/token')).toHaveLength(1);
    },
  );
});

describe('The metadata of an authorization server', () => {
  const places = (path: string): string[] =>
    path === ''
      ? ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']
      : [
          `/.well-known/oauth-authorization-server${path}`,
          `/.well-known/openid-configuration${path}`,
          `${path}/.well-known/openid-configuration`,
        ];
  const start = async (path: string, found: string) => {
    const authority = await startScriptedAuthority({ path });
    for (const place of places(path))
      authority.routes[place] = () => (place === found ? { body: authority.metadata } : { status: 404 });
    const server: Scripted = await startServer({
      [`${well}/mcp`]: () => ({ resource: server.url, authorization_servers: [authority.issuer] }),
    });
    return { authority, server };
  };
  const cases = ['', '/tenant'].flatMap((path) => places(path).map((found) => [path, found] as const));

  it.each(cases)(
    'of an issuer with the path "%s" is found at %s, after the places before it, and has the endpoints [s-auth-14, s-auth-28, s-auth-29, s-auth-30, s-auth-14@2025-06-18, s-auth-201@2025-06-18]',
    async (path, found) => {
      const { authority, server } = await start(path, found);
      const origin = new URL(authority.issuer).origin;
      const { routes, metadata } = authority;
      Object.assign(metadata, {
        authorization_endpoint: `${origin}/own/page`,
        token_endpoint: `${origin}/own/tokens`,
        registration_endpoint: `${origin}/own/clients`,
      });
      routes['/own/clients'] = () => ({ status: 201, body: { client_id: 'registered' } });
      routes['/own/tokens'] = () => ({ body: { access_token: 'token', token_type: 'Bearer' } });
      await signInAt(server, authority);
      const upTo = places(path).slice(0, places(path).indexOf(found) + 1);
      expect(authority.requests.map((one) => one.path)).toEqual([...upTo, '/own/clients', '/own/tokens']);
      expect(authority.pages[0]?.pathname).toBe('/own/page');
    },
  );

  it.each(cases)(
    '(issuer with the path "%s", document at %s) must list S256 [s-auth-88, s-auth-89]',
    async (path, found) => {
      const { authority, server } = await start(path, found);
      authority.metadata.code_challenge_methods_supported = undefined;
      const error = await failureOf(signInAt(server, authority));
      expect(error).toMatchObject({ details: { step: 'authorization' }, hint: expect.stringContaining('S256') });
      expect([authority.pages, authority.requested('/token')]).toEqual([[], []]);
    },
  );

  it.each([
    ['authorization_endpoint', 'javascript:alert(1)'],
    ['authorization_endpoint', 'data:text/html,x'],
    ['authorization_endpoint', 'file:///etc/passwd'],
    ['authorization_endpoint', 'vbscript:x'],
    ['authorization_endpoint', 'http://id.example/authorize'],
    ['token_endpoint', 'http://id.example/token'],
    ['registration_endpoint', 'file:///register'],
    ['revocation_endpoint', 'no url'],
    ['device_authorization_endpoint', 'http://id.example/device'],
  ])(
    'is refused for the %s %s: nothing is opened or sent [e-secbp-13, e-secbp-15, s-security-51, s-security-55, s-security-61]',
    async (name, url) => {
      const { authority, server } = await start('', '/.well-known/oauth-authorization-server');
      authority.metadata[name] = url;
      const error = await failureOf(signInAt(server, authority));
      expect(error).toMatchObject({ code: 'authorization-failed', message: expect.stringContaining(name) });
      expect([authority.pages, authority.requests.length]).toEqual([[], 1]);
    },
  );

  it.each(['javascript:alert(1)', 'http://id.example', 'file:///etc'])(
    'is not fetched for the issuer %s [e-secbp-15, s-security-51, s-security-61]',
    async (issuer) => {
      const authority = await startScriptedAuthority();
      const server: Scripted = await startServer({
        [`${well}/mcp`]: () => ({ resource: server.url, authorization_servers: [issuer] }),
      });
      expect(await failureOf(signInAt(server, authority))).toMatchObject({ details: { step: 'server-metadata' } });
      expect(authority.pages).toEqual([]);
    },
  );

  it('without registration leads to a client that was registered by hand [s-auth-46@2025-06-18]', async () => {
    const { authority, server } = await start('', '/.well-known/oauth-authorization-server');
    authority.metadata.registration_endpoint = undefined;
    const error = await failureOf(signInAt(server, authority));
    expect(error).toMatchObject({ details: { step: 'registration' }, hint: expect.stringContaining('clientId') });
    await signInAt(server, authority, { client: { clientId: 'by-hand' } });
    expect(authority.pages.map((page) => page.searchParams.get('client_id'))).toEqual(['by-hand']);
  });
});

describe('The authorization request and the token request', () => {
  it('have the challenge of PKCE with S256, and its verifier [s-auth-85, s-auth-87]', async () => {
    const authority = await startScriptedAuthority();
    const server: Scripted = await startServer({
      [`${well}/mcp`]: () => ({ resource: server.url, authorization_servers: [authority.issuer] }),
    });
    await signInAt(server, authority);
    const { method, challenge, verifier } = pkceOf(authority.pages[0], authority.requested('/token')[0]?.body);
    expect(verifier).toMatch(/^[\w.~-]{43,128}$/);
    expect([method, challenge]).toEqual(['S256', sha256(verifier)]);
  });

  it('of two servers are separate: each server gets tokens of its own issuer only [s-auth-65]', async () => {
    const authorities = [await startScriptedAuthority(), await startScriptedAuthority()];
    const servers: Scripted[] = [];
    for (const [at, authority] of authorities.entries()) {
      authority.routes['/token'] = () => ({ body: { access_token: `of-${at}`, token_type: 'Bearer' } });
      const server: Scripted = await startServer({
        [`${well}/mcp`]: () => ({ resource: server.url, authorization_servers: [authority.issuer] }),
      });
      servers.push(server);
    }
    const auth = oauth({ signIn: (authorities[0] as ScriptedAuthority).signIn });
    for (const { url } of [...servers, ...servers])
      await (await connect({ url, auth }, { protocolVersions: [session] })).close();
    for (const [at, { received }] of servers.entries()) {
      const sent = new Set(received.map(({ headers }) => headers.authorization).filter((one) => one !== undefined));
      expect([...sent]).toEqual([`Bearer of-${at}`]);
    }
  });
});

/** RFC 7636: the challenge is the SHA-256 of the verifier. */
const sha256 = (verifier: unknown): string => createHash('sha256').update(String(verifier)).digest('base64url');

/** What the page and the token request have of PKCE. */
const pkceOf = (page: URL | undefined, body: Json | undefined) => ({
  method: page?.searchParams.get('code_challenge_method'),
  challenge: page?.searchParams.get('code_challenge'),
  verifier: body?.code_verifier,
});

describe('A server without metadata of its own, as in 2025-03-26,', () => {
  const place = '/.well-known/oauth-authorization-server';

  it('is its own authorization server: the metadata is at its origin [s-auth-14@2025-03-26, s-auth-215@2025-03-26]', async () => {
    const authority = await startScriptedAuthority();
    const own = { authorization_endpoint: `${authority.issuer}/page` };
    const server: Scripted = await startServer({
      [place]: () => ({ ...authority.metadata, issuer: server.origin, ...own }),
    });
    await signInAt(server, authority);
    expect(asked(server)).toEqual([`${well}/mcp`, well, place]);
    expect(authority.pages[0]?.pathname).toBe('/page');
    expect(authority.requested('/token')).toHaveLength(1);
  });

  it('has the default endpoints at its origin, once its metadata was looked for; PKCE and resource are sent [s-auth-49, s-auth-56, s-auth-85@2025-03-26, s-auth-215@2025-03-26, s-auth-217@2025-03-26, s-auth-218@2025-03-26]', async () => {
    const authority = await startScriptedAuthority();
    const forms: URLSearchParams[] = [];
    const server: Scripted = await startServer({
      '/register': () => ({ client_id: 'registered' }),
      '/token': () => ({ access_token: 'token', token_type: 'Bearer' }),
    });
    const send: typeof fetch = (url, init) => {
      if (String(url).endsWith('/token')) forms.push(new URLSearchParams(String(init?.body)));
      // The scripted server reads JSON only.
      return fetch(url, String(url).endsWith('/token') ? { ...init, body: '{}' } : init);
    };
    await signInAt(server, authority, { fetch: send });
    expect(asked(server)).toEqual([
      `${well}/mcp`,
      well,
      place,
      '/.well-known/openid-configuration',
      '/register',
      '/token',
    ]);
    const [page, form] = [authority.pages[0], Object.fromEntries(forms[0] ?? [])];
    expect([page?.origin, page?.pathname]).toEqual([server.origin, '/authorize']);
    expect([page?.searchParams.get('resource'), form.resource]).toEqual([server.url, server.url]);
    const { method, challenge, verifier } = pkceOf(page, form);
    expect([method, challenge]).toEqual(['S256', sha256(verifier)]);
  });
});
