/** Pages as users may meet them, short and long, for the tests in a browser. */
import { accountPage } from '../../src/auth-pages/account.ts';
import { type ConsentPage, consentPage } from '../../src/auth-pages/consent.ts';
import { errorPage, signedOutPage } from '../../src/auth-pages/messages.ts';

export const consent: ConsentPage = {
  action: '/consent/Zr3k1',
  csrf: 'token',
  client: { name: 'Claude', host: 'claude.ai', isKnown: false },
  redirectUri: 'https://claude.ai/api/mcp/auth_callback',
  resource: 'https://mcp.example.com/mcp',
  scopes: ['files:read', 'files:write'],
  providerName: 'GitHub',
  providerScopes: ['read:org'],
  isLoopbackOnly: false,
};

const long = 'x'.repeat(180);

export const samples: Readonly<Record<string, string>> = {
  consent: consentPage(consent),
  'consent-local': consentPage({
    ...consent,
    client: { name: 'MCP Inspector', isKnown: false },
    redirectUri: 'http://127.0.0.1:6274/oauth/callback',
    scopes: [],
    providerScopes: [],
    isLoopbackOnly: true,
    user: 'Ada Lovelace',
  }),
  'consent-long': consentPage({
    ...consent,
    client: { name: `Client ${long}`.slice(0, 100), host: `${long.slice(0, 60)}.example`, isKnown: true },
    redirectUri: `https://login.example.com@evil.example/${long}`,
    resource: `https://mcp.example.com/${long}`,
    scopes: Array.from({ length: 12 }, (_, at) => `scope-${at}:${'y'.repeat(30)}`),
  }),
  error: errorPage({
    text: 'GitHub refused the callback address. Register https://mcp.example.com/callback as its callback URL.',
    eventId: 'f3a9c1d2',
  }),
  'signed-out': signedOutPage(),
  account: accountPage({
    action: '/account',
    csrf: 'token',
    user: 'Ada Lovelace',
    providerName: 'GitHub',
    clients: [
      {
        id: 'a',
        name: 'Claude',
        host: 'claude.ai',
        isKnown: false,
        scopes: ['files:read'],
        approvedAt: Date.UTC(2026, 10, 18),
      },
      { id: 'b', name: `Tool ${long}`.slice(0, 100), isKnown: true, scopes: [] },
    ],
  }),
  'account-empty': accountPage({ action: '/account', csrf: 't', user: 'ada', providerName: 'Okta', clients: [] }),
};
