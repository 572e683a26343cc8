/** What the OAuth client does about challenges: where it looks, which scopes it requests, and when it stops. */
import { inspect } from 'node:util';
import { type AuthStep, clientCredentials, oauth, terminalSignIn } from 'tenon/auth';
import { describe, expect, it } from 'vitest';
import { memoryCredentials } from '../../../src/store/parts/memory-credentials.ts';
import { failureOf, metadataPath, scopesOf, setUp } from '../../kit/auth/challenging-server.ts';
import { type ScriptedAuthority, startScriptedAuthority } from '../../kit/auth/scripted-authority.ts';
import { type Received, refuse } from '../../kit/http/scripted-server.ts';

describe('The metadata of a server', () => {
  it('is that of the challenge, without asking elsewhere [e-auth-66]', async () => {
    const setting = await setUp((origin) => `Bearer realm="a, b", resource_metadata="${origin}${metadataPath}"`);
    const client = await setting.connect();
    await client.close();
    expect(setting.steps[1]).toMatchObject({ step: 'resource-metadata', rule: expect.stringContaining('challenge') });
    expect(setting.server.received.filter(({ path }) => path !== '/mcp').length).toBe(1);
  });

  it('is looked for at the path, then at the root [e-auth-66, e-auth-68, s-auth-20]', async () => {
    const setting = await setUp();
    setting.metadata.resource = undefined;
    await failureOf(setting.connect());
    const asked = setting.server.received.map(({ path }) => path).filter((path) => path.includes('resource'));
    expect(asked).toEqual([metadataPath, '/.well-known/oauth-protected-resource']);
  });

  it('must be for this server [e-auth-31]', async () => {
    const setting = await setUp();
    setting.metadata.resource = 'https://other.example/mcp';
    const error = await failureOf(setting.connect());
    expect(error).toMatchObject({ code: 'authorization-failed', details: { step: 'resource-metadata' } });
    expect(setting.authority.requests).toEqual([]);
  });

  it('gives the resource that is sent, byte for byte [s-auth-49, s-auth-50, s-auth-51]', async () => {
    const setting = await setUp();
    setting.metadata.resource = setting.server.origin;
    await (await setting.connect()).close();
    expect(setting.authority.pages[0]?.searchParams.get('resource')).toBe(setting.server.origin);
    expect(setting.authority.requested('/token')[0]?.body.resource).toBe(setting.server.origin);
  });
});

describe('The metadata of an authorization server', () => {
  it('must have the issuer that it was requested for, character by character [e-auth-71, e-auth-72]', async () => {
    const setting = await setUp();
    setting.authority.metadata.issuer = `${setting.authority.issuer}/`;
    const error = await failureOf(setting.connect());
    expect(error).toMatchObject({ code: 'authorization-failed', details: { step: 'server-metadata' } });
    expect(setting.authority.requested('/register')).toEqual([]);
  });

  it.each([undefined, [], ['plain']])(
    'must support PKCE with S256, and not %j [e-auth-105, e-auth-107, s-auth-86, s-auth-88]',
    async (methods) => {
      const setting = await setUp();
      setting.authority.metadata.code_challenge_methods_supported = methods;
      const error = await failureOf(setting.connect());
      expect(error).toMatchObject({ details: { step: 'authorization' }, hint: expect.stringContaining('S256') });
      expect(setting.authority.pages).toEqual([]);
    },
  );

  it('is not followed to another place, nor read without end', async () => {
    const setting = await setUp();
    const redirect = () => ({ status: 302, headers: { location: 'http://127.0.0.1:1/' } });
    const long = () => ({ body: `"${'x'.repeat(300_000)}"` });
    setting.authority.routes['/.well-known/oauth-authorization-server'] = redirect;
    setting.authority.routes['/.well-known/openid-configuration'] = long;
    const error = await failureOf(setting.connect());
    const found = (error.details.steps as AuthStep[]).map((step) => step.found);
    expect(found.slice(-3)).toEqual([
      'It redirects (302), which is not followed.',
      'It answered with more than 262144 bytes.',
      'The authorization server has no metadata.',
    ]);
  });

  it('is that of the server itself where it names none, as in 2025-03-26', async () => {
    const setting = await setUp();
    setting.metadata.resource = undefined;
    const error = await failureOf(setting.connect());
    // The scripted server has no /register: the default endpoint was used.
    expect(error).toMatchObject({ details: { step: 'registration' } });
    expect(setting.server.received.some(({ method, path }) => method === 'POST' && path === '/register')).toBe(true);
  });
});

describe('The scopes', () => {
  it('are those of the challenge, not those that the server lists [e-auth-15, e-auth-16, e-auth-19, e-auth-20, s-auth-24]', async () => {
    const setting = await setUp(() => 'Bearer scope="files:read"');
    setting.metadata.scopes_supported = ['files:read', 'files:write'];
    await (await setting.connect()).close();
    expect(scopesOf(setting)).toEqual(['files:read']);
  });

  it.each([
    ['admin', ['files:read']],
    ['files:read admin', ['files:read']],
    ['files:read', []],
  ])(
    'are those of the challenge (%s), whatever the server lists (%j) [s-auth-23, s-auth-24]',
    async (scope, listed) => {
      const setting = await setUp(() => `Bearer scope="${scope}"`);
      setting.metadata.scopes_supported = listed;
      await (await setting.connect()).close();
      expect(scopesOf(setting)).toEqual([scope]);
    },
  );

  it('are all that the server lists where the challenge names none, otherwise none [e-auth-20]', async () => {
    const listed = await setUp();
    listed.metadata.scopes_supported = ['files:read', 'files:write'];
    await (await listed.connect()).close();
    expect(scopesOf(listed)).toEqual(['files:read files:write']);
    const none = await setUp();
    await (await none.connect()).close();
    expect(scopesOf(none)).toEqual([null]);
  });

  it('include offline_access only where the authorization server lists it [e-auth-47]', async () => {
    const setting = await setUp(() => 'Bearer scope="files:read"');
    setting.authority.metadata.scopes_supported = ['offline_access'];
    await (await setting.connect()).close();
    expect(scopesOf(setting)).toEqual(['files:read offline_access']);
    expect(setting.authority.pages[0]?.searchParams.get('prompt')).toBe('consent');
  });

  const writing = ({ headers, message, response }: Received): unknown =>
    message.method === 'tools/call' && headers.authorization === 'Bearer token-1'
      ? refuse(response, 403, undefined, {
          'www-authenticate': 'Bearer error="insufficient_scope", scope="files:write"',
        })
      : false;

  it('are extended for an operation that needs more, and the call is sent again [e-auth-17, e-auth-54, e-auth-55, e-auth-57]', async () => {
    const setting = await setUp(() => 'Bearer scope="files:read"', writing);
    const client = await setting.connect();
    await client.tools.call('write');
    await client.close();
    expect(scopesOf(setting)).toEqual(['files:read', 'files:read files:write']);
  });

  it('that were granted are not requested again: the call fails with forbidden [e-auth-59]', async () => {
    const setting = await setUp(
      () => 'Bearer scope="files:read"',
      ({ message, response }) =>
        message.method === 'tools/call' &&
        refuse(response, 403, undefined, {
          'www-authenticate': 'Bearer error="insufficient_scope", scope="files:write"',
        }),
    );
    const client = await setting.connect();
    const error = await failureOf(client.tools.call('write'));
    expect(error).toMatchObject({ code: 'forbidden', details: { operation: 'tools/call write' } });
    await failureOf(client.tools.call('write'));
    await client.close();
    expect(setting.authority.pages.length).toBe(2);
  });

  it('lead to at most three authorizations for an operation, then to an error that names the limit [e-auth-59]', async () => {
    let asked = 0;
    const setting = await setUp(
      () => 'Bearer scope="files:read"',
      ({ message, response }) =>
        message.method === 'tools/call' &&
        refuse(response, 403, undefined, {
          'www-authenticate': `Bearer error="insufficient_scope", scope="more:${++asked}"`,
        }),
    );
    const client = await setting.connect();
    for (let calls = 0; calls < 5; calls++) await failureOf(client.tools.call('write'));
    const error = await failureOf(client.tools.call('write'));
    await client.close();
    expect(error).toMatchObject({ code: 'authorization-failed', hint: expect.stringContaining('maxAuthorizations') });
    expect(setting.authority.pages.length).toBe(1 + 3);
  });
});

describe('A token that the server refuses', () => {
  it('is replaced once, then the call fails with the steps', async () => {
    const setting = await setUp(
      () => 'Bearer',
      ({ response }) => refuse(response, 401, undefined, { 'www-authenticate': 'Bearer error="invalid_token"' }),
    );
    const error = await failureOf(setting.connect());
    expect(error).toMatchObject({ code: 'authorization-failed', hint: expect.stringContaining('audience') });
    expect((error.details.steps as AuthStep[]).length).toBeGreaterThan(0);
    expect(setting.authority.pages.length).toBe(1);
  });
});

describe('A token that the server refuses with a reason', () => {
  it('fails the call with that reason, and without the token', async () => {
    const setting = await setUp(
      () => 'Bearer',
      ({ response, headers }) => {
        const token = String(headers.authorization).slice('Bearer '.length);
        const said = `invalid_token", error_description="${token} is for another resource`;
        return refuse(response, 401, undefined, { 'www-authenticate': `Bearer error="${said}"` });
      },
    );
    const error = await failureOf(setting.connect());
    expect(error.message).toContain('It says: [masked] is for another resource.');
  });
});

describe('The client', () => {
  it('is the URL of its metadata document where the server supports it [e-auth-06, e-auth-85]', async () => {
    const clientMetadataUrl = 'https://app.example/oauth/client.json';
    const setting = await setUp();
    setting.authority.metadata.client_id_metadata_document_supported = true;
    await (await setting.connect({ clientMetadataUrl })).close();
    expect(setting.authority.pages[0]?.searchParams.get('client_id')).toBe(clientMetadataUrl);
    expect(setting.authority.requested('/register')).toEqual([]);
  });

  it('is registered where the server does not support that [e-auth-07, e-auth-86, e-auth-88, e-auth-91, e-auth-109, s-auth-91]', async () => {
    const setting = await setUp();
    await (await setting.connect({ clientMetadataUrl: 'https://app.example/oauth/client.json' })).close();
    expect(setting.authority.requested('/register')[0]?.body).toMatchObject({
      application_type: 'native',
      redirect_uris: ['http://127.0.0.1:5999/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
    });
    const web = await setUp();
    await failureOf(web.connect({ signIn: { redirectUri: 'https://app.example/callback' } }));
    expect(web.authority.requested('/register')[0]?.body).toMatchObject({ application_type: 'web' });
  });

  it('of a terminal is registered once: later sign-ins use the same port', async () => {
    const setting = await setUp();
    const redirects: unknown[] = [];
    const visit = async (page: URL): Promise<void> => {
      const back = new URL(page.searchParams.get('redirect_uri') ?? '');
      redirects.push(back.href);
      back.search = `?code=the-code&state=${page.searchParams.get('state')}`;
      await fetch(back);
    };
    const signIn = terminalSignIn({ openBrowser: false, onUrl: (page) => void visit(page) });
    const store = memoryCredentials();
    for (let times = 0; times < 2; times++) {
      await (await setting.connect({ signIn, store })).close();
      await oauth({ store }).signOut();
    }
    expect(redirects[1]).toBe(redirects[0]);
    expect(setting.authority.requested('/register')).toHaveLength(1);
  });

  it('shows no secret that the authorization server quotes', async () => {
    const setting = await setUp();
    const secret = 'canary-secret-of-the-client';
    const body = { error: `bad ${secret}`, error_description: `${'x'.repeat(290)}${secret} is wrong` };
    setting.authority.routes['/token'] = () => ({ status: 401, body });
    const client = { clientId: 'app', clientSecret: secret, issuer: setting.authority.issuer };
    const error = await failureOf(setting.connect({ client, grant: clientCredentials() }));
    expect(error.message).toContain('[masked]');
    expect(inspect(error, { depth: 9 })).not.toContain('canary');
    expect(JSON.stringify(setting.steps)).not.toContain('canary');
  });

  it('reports why its registration was refused [e-auth-92, e-auth-93]', async () => {
    const setting = await setUp();
    const body = { error: 'invalid_redirect_uri', error_description: 'only https' };
    setting.authority.routes['/register'] = () => ({ status: 400, body });
    expect(await failureOf(setting.connect())).toMatchObject({
      message: expect.stringContaining('invalid_redirect_uri: only https'),
      hint: expect.stringContaining('redirect address'),
    });
  });

  it('of one authorization server is not used at another [e-auth-42, e-auth-63, e-auth-64, e-auth-95, e-auth-96, e-auth-97]', async () => {
    let second: ScriptedAuthority | undefined;
    const setting = await setUp(undefined, ({ headers, response }) =>
      second === undefined || headers.authorization === 'Bearer second' ? false : refuse(response, 401),
    );
    const client = await setting.connect();
    second = await startScriptedAuthority();
    second.routes['/register'] = () => ({ status: 201, body: { client_id: 'registered-at-second' } });
    second.routes['/token'] = () => ({ body: { access_token: 'second', token_type: 'Bearer' } });
    setting.metadata.authorization_servers = [second.issuer];
    await client.tools.list().all();
    await client.close();
    const clients = setting.authority.pages.map(({ origin, searchParams }) => [origin, searchParams.get('client_id')]);
    expect(clients).toEqual([
      [setting.authority.issuer, 'registered'],
      [second.issuer, 'registered-at-second'],
    ]);
  });

  it('that was registered by hand at another issuer is refused [e-auth-98]', async () => {
    const setting = await setUp();
    const client = { clientId: 'app', issuer: 'https://id.example' };
    expect(await failureOf(setting.connect({ client }))).toMatchObject({
      message: expect.stringContaining('is registered at https://id.example'),
      details: { step: 'registration' },
    });
  });

  it.each([
    ['client_secret_basic', { authorization: `Basic ${btoa('app:s%3Acret')}` }, {}],
    ['client_secret_post', {}, { client_id: 'app', client_secret: 's:cret' }],
  ] as const)('authenticates with %s', async (authMethod, headers, body) => {
    const setting = await setUp();
    const { issuer } = setting.authority;
    await (await setting.connect({ client: { clientId: 'app', clientSecret: 's:cret', authMethod, issuer } })).close();
    expect(setting.authority.requested('/token')[0]).toMatchObject({ headers, body });
  });

  it('authenticates with private_key_jwt [e-auth-79]', async () => {
    const setting = await setUp();
    const { privateKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, [
      'sign',
      'verify',
    ]);
    await (await setting.connect({ client: { clientId: 'app', privateKey, keyId: 'k1' } })).close();
    const assertion = String(setting.authority.requested('/token')[0]?.body.client_assertion);
    const [header, claims] = assertion
      .split('.')
      .slice(0, 2)
      .map((part) => JSON.parse(atob(part.replace(/-/g, '+').replace(/_/g, '/'))));
    expect([header, claims]).toMatchObject([
      { alg: 'ES256', kid: 'k1' },
      { iss: 'app', sub: 'app' },
    ]);
  });
});
