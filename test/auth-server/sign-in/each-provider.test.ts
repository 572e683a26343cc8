/** A server behind each kind of provider, played with how it differs: clients sign in, call, and refresh while the provider is asked. */
import { entra, github, google, keycloak, okta, type SignInProvider } from 'tenon/auth-server';
import type { DevAuthOptions } from 'tenon/dev-auth';
import { expect, it } from 'vitest';
import { officialV1, officialV2, tenon } from '../../kit/auth-server/real-clients.ts';
import { startSignInServer } from '../../kit/auth-server/sign-in-server.ts';

const tenant = '11111111-2222-3333-4444-555555555555';
const roles = { 'mcp-admins': 'admin' };
const groups = ['mcp-admins', 'staff'];

interface Kind {
  readonly quirks: NonNullable<DevAuthOptions['quirks']>;
  /** What the provider says about Ada. */
  readonly ada: Record<string, unknown>;
  /** The settings of the guide, at the server that plays it. */
  readonly settings: (base: SignInProvider) => SignInProvider;
  readonly principal: string;
}

const at = (own: SignInProvider, { issuer = '' }: SignInProvider): SignInProvider => ({ ...own, issuer });

const kinds: Readonly<Record<string, Kind>> = {
  Google: {
    quirks: ['refresh-by-parameter'],
    ada: { hd: 'acme.example' },
    settings: (base) => at(google({ ...base, name: 'google', hostedDomain: 'acme.example' }), base),
    principal: '"subject":"google:ada","roles":[]',
  },
  GitHub: {
    quirks: ['no-oidc'],
    ada: { id: 1815, teams: [{ slug: 'mcp-admins', organization: { login: 'acme' } }] },
    settings: ({ issuer, ...base }) =>
      github({ ...base, name: 'github', url: `${issuer}`, teams: true, roles: { 'acme/mcp-admins': 'admin' } }),
    principal: '"subject":"github:1815","roles":["admin"]',
  },
  'Entra ID': {
    quirks: ['rejects-resource', 'group-overage'],
    ada: { tid: tenant, oid: 'oid-1', roles: ['mcp-admins'], groups: Array.from({ length: 201 }, (_, n) => `g${n}`) },
    settings: (base) => at(entra({ ...base, name: 'entra', tenant, roles }), base),
    principal: `"subject":"entra:${tenant}.oid-1","roles":["admin"]`,
  },
  Okta: {
    quirks: ['claims-in-id-token-only'],
    ada: { groups },
    settings: (base) => at(okta({ ...base, name: 'okta', domain: 'acme.okta.com', roles }), base),
    principal: '"subject":"okta:ada","roles":["admin"]',
  },
  Keycloak: {
    quirks: ['rotates-refresh-tokens'],
    ada: { groups },
    settings: (base) =>
      at(keycloak({ ...base, name: 'keycloak', url: 'https://login.acme.example', realm: 'acme', roles }), base),
    principal: '"subject":"keycloak:ada","roles":["admin"]',
  },
  'any other': {
    quirks: ['no-iss', 'scope-on-refresh'],
    ada: { groups: ['staff'] },
    settings: (base) => base,
    principal: '"subject":"dev:ada","roles":["staff"]',
  },
};

const clients = {
  'official v1': officialV1('none'),
  'official v2': officialV2('auto', 'none'),
  Tenon: tenon(),
};

const pairs = Object.entries(kinds).flatMap(([provider, kind]) =>
  Object.entries(clients).map(([name, client]) => [provider, name, kind, client] as const),
);

it.each(pairs)(
  'behind %s, the client %s signs in, calls, refreshes and calls again',
  async (_, _name, kind, client) => {
    const { quirks, ada, settings, principal } = kind;
    const server = await startSignInServer({
      provider: { quirks, users: { ada } },
      signIn: settings,
      options: { lifetimes: { providerCheckMs: 1 } },
    });
    const results = await client.run(server);
    expect(results).toHaveLength(2);
    for (const result of results) expect(JSON.stringify(result).replaceAll('\\', '')).toContain(principal);
    expect(server.events.filter(({ type }) => type === 'failed')).toEqual([]);
  },
);
