/** Users sign in at each kind of provider: what is asked for, who they are, and which wrong setting is named. */
import { describe, expect, it } from 'vitest';
import { entra } from '../../src/auth-server/providers/entra.ts';
import { github } from '../../src/auth-server/providers/github.ts';
import { google } from '../../src/auth-server/providers/google.ts';
import { keycloak } from '../../src/auth-server/providers/keycloak.ts';
import { okta } from '../../src/auth-server/providers/okta.ts';
import { readProvider } from '../../src/auth-server/providers/read-provider.ts';
import type { SignInProvider } from '../../src/auth-server/providers/sign-in-provider.ts';
import { credentials, startProvider } from '../kit/auth/provider.ts';

const tenant = '11111111-2222-3333-4444-555555555555';
const plain: SignInProvider = { name: 'acme', issuer: 'https://replaced.example', ...credentials };

describe('plain OpenID Connect', () => {
  it('gives the user of the ID token, with groups as roles and a refresh token', async () => {
    const groups = ['admins', 7, 'staff'];
    const provider = await startProvider({ users: { ada: { name: 'Ada', groups, email: 'ada@acme.example' } } });
    const { user, tokens, warnings } = await provider.signIn(provider.client(plain));
    expect(user).toEqual({
      subject: 'ada',
      name: 'Ada',
      roles: ['admins', 'staff'],
      claims: { email: 'ada@acme.example' },
    });
    expect(tokens).toMatchObject({ idTokenSubject: 'ada', refreshToken: expect.any(String) });
    expect(warnings).toBeUndefined();
  });

  it('takes roles where there are no groups, 100 at most', async () => {
    const roles = Array.from({ length: 150 }, (_, at) => `role-${at}`);
    const provider = await startProvider({ users: { ada: { roles } } });
    const { user } = await provider.signIn(provider.client(plain));
    expect(user.roles).toEqual(roles.slice(0, 100));
  });

  it('turns groups into the roles of a mapping, and leaves out the others', async () => {
    const provider = await startProvider({
      users: { ada: { groups: ['mcp-admins', 'mcp-owners', 'staff', 'toString'] } },
    });
    const roles = { 'mcp-admins': 'admin', 'mcp-owners': 'admin' };
    expect((await provider.signIn(provider.client({ ...plain, roles }))).user.roles).toEqual(['admin']);
  });

  /** A provider whose ID tokens have only what they must: a client that reads them gets the others from its userinfo endpoint. */
  const sparse =
    (keep: readonly string[], change: (info: Record<string, unknown>) => Response | object = (info) => info) =>
    async (url: string, init?: RequestInit): Promise<Response> => {
      const response = await fetch(url, init);
      if (url.endsWith('/me')) {
        const answer = change(await response.json());
        return answer instanceof Response ? answer : Response.json(answer);
      }
      if (!url.endsWith('/token')) return response;
      const { id_token: idToken, ...body } = (await response.json()) as { readonly id_token: string };
      const [header, payload = '', signature] = idToken.split('.');
      const claims = Object.entries(JSON.parse(Buffer.from(payload, 'base64url').toString()));
      const left = Object.fromEntries(claims.filter(([name]) => !personal.has(name) || keep.includes(name)));
      const changed = Buffer.from(JSON.stringify(left)).toString('base64url');
      return Response.json({ ...body, id_token: [header, changed, signature].join('.') });
    };
  const personal = new Set(['name', 'groups', 'email']);
  const users = { ada: { name: 'Ada', groups: ['staff'], email: 'ada@acme.example' } };

  it('takes from the userinfo endpoint what the ID token lacks, at the sign-in and at each check', async () => {
    const provider = await startProvider({ users });
    const client = provider.client({ ...plain, roles: { staff: 'reader' } }, { fetch: sparse([]) });
    const signedIn = await provider.signIn(client);
    const user = { subject: 'ada', name: 'Ada', roles: ['reader'], claims: { email: 'ada@acme.example' } };
    expect([signedIn.user, signedIn.warnings]).toEqual([user, undefined]);
    expect((await client.check(signedIn)).user).toEqual(user);
    const half = provider.client(plain, { fetch: sparse(['groups'], (info) => ({ ...info, groups: ['admins'] })) });
    expect((await provider.signIn(half)).user).toMatchObject({ name: 'Ada', roles: ['staff'] });
  });

  it('takes nothing of another user from there, and needs no answer that is valid', async () => {
    const provider = await startProvider({ users });
    const bare = { subject: 'ada', roles: [], claims: {} };
    const answers = [
      (info: object) => ({ ...info, sub: 'eve', groups: ['admins'] }),
      () => new Response('', { status: 403 }),
      () => new Response('a JWT', { headers: { 'content-type': 'application/jwt' } }),
    ];
    for (const answer of answers)
      expect((await provider.signIn(provider.client(plain, { fetch: sparse([], answer) }))).user).toEqual(bare);
    const away = provider.client(plain, { fetch: sparse([], () => new Response('', { status: 503 })) });
    await expect(provider.signIn(away)).rejects.toMatchObject({ code: 'unreachable' });
  });

  it('works with providers that send no iss, or take the secret in the body only', async () => {
    for (const quirk of ['no-iss', 'post-only'] as const) {
      const registered = { client_id: credentials.clientId, client_secret: credentials.clientSecret };
      const provider = await startProvider({
        quirks: [quirk],
        clients: [
          {
            ...registered,
            redirect_uris: ['http://127.0.0.1:5998/callback'],
            ...(quirk === 'post-only' && { token_endpoint_auth_method: 'client_secret_post' }),
          },
        ],
      });
      expect((await provider.signIn(provider.client(plain))).user.subject).toBe('ada');
    }
  });
});

describe('Google', () => {
  it('refresh-by-parameter: asks for a refresh token by access_type and prompt, never by offline_access', async () => {
    const provider = await startProvider({ quirks: ['refresh-by-parameter'] });
    const client = provider.client(google(credentials));
    const { url } = await client.begin();
    expect(url.searchParams.get('scope')).toBe('openid profile email');
    expect([url.searchParams.get('access_type'), url.searchParams.get('prompt')]).toEqual(['offline', 'consent']);
    expect((await provider.signIn(client)).tokens.refreshToken).toEqual(expect.any(String));
  });

  it('warns of the setting where no refresh token comes', async () => {
    const provider = await startProvider({ quirks: ['refresh-by-parameter'] });
    const client = provider.client(google({ ...credentials, parameters: { access_type: 'online' } }));
    const { tokens, warnings } = await provider.signIn(client);
    expect(tokens.refreshToken).toBeUndefined();
    expect(warnings).toEqual([
      'Google sent no refresh token: users sign in again when its token expires. Remove parameters that replace access_type and prompt.',
    ]);
  });

  it('checks the domain by the claim hd, since the parameter is a hint', async () => {
    const users = { ada: { hd: 'acme.example' }, eve: { hd: 'evil.example' }, home: {} };
    const provider = await startProvider({ quirks: ['refresh-by-parameter'], users });
    const client = provider.client(google({ ...credentials, hostedDomain: 'acme.example' }));
    expect((await client.begin()).url.searchParams.get('hd')).toBe('acme.example');
    expect((await provider.signIn(client, 'ada')).user.subject).toBe('ada');
    for (const user of ['eve', 'home'])
      await expect(provider.signIn(client, user)).rejects.toMatchObject({
        code: 'not-allowed',
        message: 'This Google account is not one of acme.example.',
      });
  });
});

describe('GitHub', () => {
  const teams = [{ slug: 'mcp-admins', organization: { login: 'acme' } }];
  const users = { ada: { id: 1815, name: 'Ada', teams }, eve: { name: 'no id' } };
  const start = () => startProvider({ quirks: ['no-oidc'], users });

  it('no-oidc: reads the user from the API: the subject is the number, roles are teams', async () => {
    const provider = await start();
    const client = provider.client(github({ ...credentials, url: provider.issuer, teams: true }));
    const { url } = await client.begin();
    expect([url.pathname, url.searchParams.get('scope')]).toEqual(['/login/oauth/authorize', 'read:org']);
    expect(url.searchParams.has('nonce')).toBe(false);
    const { user, tokens } = await provider.signIn(client);
    expect(user).toEqual({ subject: '1815', name: 'Ada', roles: ['acme/mcp-admins'], claims: { login: 'ada' } });
    expect(tokens.scopes).toEqual(['read:org']);
  });

  it('no-oidc: asks for no scope without teams, and names the permission where teams cannot be read', async () => {
    const provider = await start();
    const client = provider.client(github({ ...credentials, url: provider.issuer }));
    expect((await client.begin()).url.searchParams.has('scope')).toBe(false);
    expect((await provider.signIn(client)).user).toMatchObject({ subject: '1815', roles: [] });
    const wanting = provider.client(
      github({ ...credentials, url: provider.issuer, teams: true, scopes: ['read:user'] }),
    );
    await expect(provider.signIn(wanting)).rejects.toMatchObject({
      code: 'misconfigured',
      message: expect.stringContaining('a GitHub App needs the permission "Members: read"'),
    });
  });

  it('no-oidc: reads errors that come with 200', async () => {
    const provider = await start();
    const wrong = provider.client(github({ ...credentials, clientSecret: 'wrong', url: provider.issuer }));
    await expect(provider.signIn(wrong)).rejects.toMatchObject({
      code: 'misconfigured',
      message: expect.stringContaining('GitHub refused the client ID or its secret.'),
      cause: { step: 'token', status: 200, error: 'incorrect_client_credentials' },
    });
    const client = provider.client(github({ ...credentials, url: provider.issuer }));
    const { url, pending } = await client.begin();
    const callback = await provider.callback(url);
    await client.complete(callback, pending);
    await expect(client.complete(callback, pending)).rejects.toMatchObject({
      code: 'invalid-response',
      message: 'GitHub refused the code: it was used or has expired. Start again.',
    });
  });

  it('refuses an account without an id', async () => {
    const provider = await start();
    const client = provider.client(github({ ...credentials, url: provider.issuer }));
    await expect(provider.signIn(client, 'eve')).rejects.toMatchObject({
      code: 'misconfigured',
      cause: { step: 'user' },
    });
  });
});

describe('Entra', () => {
  const account = { tid: tenant, oid: 'oid-1' };
  const client = entra({ ...credentials, tenant });

  it('takes no resource, and identifies users by tid and oid; app roles come before groups', async () => {
    const users = { ada: { ...account, roles: ['Admin'], groups: ['g1'] }, bob: { ...account, groups: ['g1'] } };
    const provider = await startProvider({ quirks: ['rejects-resource'], users });
    const ada = await provider.signIn(provider.client(client), 'ada');
    expect(ada.user).toMatchObject({ subject: `${tenant}.oid-1`, roles: ['Admin'] });
    expect((await provider.signIn(provider.client(client), 'bob')).user.roles).toEqual(['g1']);
  });

  it('group-overage: refuses a user whose groups were left out, unless app roles were sent', async () => {
    const groups = Array.from({ length: 201 }, (_, at) => `group-${at}`);
    const users = { ada: { ...account, groups }, bob: { ...account, groups, roles: ['Admin'] } };
    const provider = await startProvider({ quirks: ['group-overage'], users });
    await expect(provider.signIn(provider.client(client), 'ada')).rejects.toMatchObject({
      code: 'not-allowed',
      message:
        'Your Microsoft account has too many groups: none of them was sent. Define app roles, or send only the groups that are assigned to the application.',
    });
    expect((await provider.signIn(provider.client(client), 'bob')).user.roles).toEqual(['Admin']);
  });

  it('refuses an account of another tenant, and settings that stand for several', async () => {
    const provider = await startProvider({ users: { eve: { ...account, tid: 'other' } } });
    await expect(provider.signIn(provider.client(client))).rejects.toMatchObject({ code: 'not-allowed' });
    for (const several of ['common', 'organizations', 'consumers'])
      expect(() => entra({ ...credentials, tenant: several })).toThrow('tenant is not the ID of one tenant');
    const template = { ...plain, issuer: 'https://login.microsoftonline.com/common/v2.0' };
    expect(() => readProvider('test()', template)).toThrow('issuer must be the https issuer of one tenant');
  });
});

describe('Okta', () => {
  it('claims-in-id-token-only: groups come from the ID token, also of a refresh', async () => {
    const provider = await startProvider({
      quirks: ['claims-in-id-token-only'],
      users: { ada: { groups: ['mcp-admins'] } },
    });
    const client = provider.client(okta({ ...credentials, domain: 'acme.okta.com', roles: { 'mcp-admins': 'admin' } }));
    const signedIn = await provider.signIn(client);
    expect(signedIn.user.roles).toEqual(['admin']);
    expect((await client.check(signedIn)).user.roles).toEqual(['admin']);
  });

  it('has the issuer of the organization, or of a custom server, which knows no scope groups', () => {
    const organization = okta({ ...credentials, domain: 'https://acme.okta.com/' });
    expect([organization.issuer, organization.scopes?.includes('groups')]).toEqual(['https://acme.okta.com', true]);
    const custom = okta({ ...credentials, domain: 'acme.okta.com', authorizationServer: 'default' });
    expect([custom.issuer, custom.scopes?.includes('groups')]).toEqual(['https://acme.okta.com/oauth2/default', false]);
  });
});

describe('Keycloak', () => {
  it('no-groups: names the mapper that is missing', async () => {
    const provider = await startProvider({ quirks: ['no-groups'], users: { ada: { groups: ['mcp-admins'] } } });
    const roles = { 'mcp-admins': 'admin' };
    const settings = keycloak({ ...credentials, url: 'https://login.acme.example/', realm: 'acme', roles });
    expect(settings.issuer).toBe('https://login.acme.example/realms/acme');
    const { user, warnings } = await provider.signIn(provider.client(settings));
    expect(user.roles).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(/^Keycloak sent no groups, .* Add the mapper "Group Membership"/)]);
  });
});

describe('wrong options', () => {
  it.each([
    [{ name: 'Acme Inc' }, 'name must be up to 32 lower-case letters'],
    [{ clientSecret: undefined }, 'clientSecret is missing'],
    [{ issuer: undefined }, 'issuer is missing. Set issuer for a provider with OpenID Connect'],
    [{ issuer: 'http://login.acme.example' }, 'issuer must be the https issuer'],
    [{ endpoints: { authorization: 'https://a.example/a', token: 'https://a.example/t' } }, 'are both set'],
    [
      { issuer: undefined, endpoints: { authorization: 'https://a.example/a', token: 'https://a.example/t' } },
      'user must be a function that reads the user',
    ],
    [{ scopes: ['profile'] }, "scopes must contain 'openid'"],
    [{ parameters: { state: 'x' } }, 'parameters must be an object of texts, without client_id'],
    [{ roles: { admins: 1 } }, 'roles must be an object of roles by group'],
    [{ scope: ['openid'] }, 'Did you mean scopes?'],
  ])('%j is refused with the fix', (options, text) => {
    expect(() => readProvider('authorizationServer()', { ...plain, ...options } as never)).toThrow(text);
  });

  it.each([
    [() => okta({ ...credentials, domain: undefined as never }), 'okta(): domain is not valid'],
    [() => okta({ ...credentials, domain: '' }), "domain must be a host such as 'acme.okta.com'"],
    [() => okta({ ...credentials, domain: 'http://acme.okta.com' }), 'okta(): domain is not valid'],
    [() => okta({ ...credentials, domain: 'acme.okta.com/oauth2/default' }), 'okta(): domain is not valid'],
    [() => keycloak({ ...credentials, url: undefined as never, realm: 'acme' }), 'keycloak(): url is not valid'],
    [() => keycloak({ ...credentials, url: 'login.acme.example', realm: 'acme' }), 'url must be an https URL such as'],
    [
      () => keycloak({ ...credentials, url: 'https://login.acme.example', realm: '' }),
      'realm must be the name of a realm',
    ],
    [() => github({ ...credentials, url: 'github.acme.example' }), 'github(): url is not valid'],
    [() => entra({ ...credentials, tenant: undefined as never }), 'entra(): tenant is not the ID of one tenant'],
  ])('%#: a setting of one provider, such as a variable that is not set, is named', (create, text) => {
    expect(create).toThrow(text);
  });

  it('the providers pass the check', () => {
    const all = [
      google(credentials),
      github(credentials),
      entra({ ...credentials, tenant }),
      okta({ ...credentials, domain: 'acme.okta.com' }),
      keycloak({ ...credentials, url: 'https://login.acme.example', realm: 'acme' }),
    ];
    for (const one of all) expect(readProvider('authorizationServer()', one).name).toBe(one.name);
  });
});
