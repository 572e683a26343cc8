/** Pages as users may meet them, short and long, for the tests in a browser. */
import { accountPage } from '../../src/auth-pages/account.ts';
import { type ApprovalPage, approvalListPage, approvalPage, type ShownCall } from '../../src/auth-pages/approvals.ts';
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

const call: ShownCall = {
  id: 'K7M29QXF3T',
  address: '/approvals/K7M29QXF3T',
  server: 'ops',
  tool: 'deploy',
  given: '{ "env": "prod", "services": [ "web", "mail" ] }',
  requester: { name: 'ada', issuer: 'https://id.example.com', client: 'claude' },
  openUntil: '2026-11-19 15:00 UTC',
};

export const approval: ApprovalPage = {
  call,
  list: '/approvals',
  arguments: JSON.stringify({ env: 'prod', services: ['web', 'mail'], note: 'ada\\u202eevil' }, undefined, 2),
  validated: JSON.stringify({ env: 'prod', force: false, services: ['web', 'mail'] }, undefined, 2),
  rule: 'deployments',
  requestedAt: '2026-11-19 14:00 UTC',
  digest: '3f'.repeat(32),
  mayDecide: true,
  maxReasonChars: 500,
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
  approval: approvalPage(approval),
  'approval-used': approvalPage({
    ...approval,
    decided: {
      state: 'used',
      by: 'grace',
      at: '2026-11-19 14:05 UTC',
      reason: 'Agreed',
      usedAt: '2026-11-19 14:06 UTC',
    },
  }),
  'approval-own': approvalPage({ ...approval, mayDecide: false, validated: undefined }),
  'approval-long': approvalPage({
    ...approval,
    call: { ...call, tool: long, server: long, requester: undefined },
    arguments: JSON.stringify({ [long]: long, list: Array.from({ length: 60 }, (_, at) => at) }, undefined, 2),
    rule: long,
  }),
  approvals: approvalListPage({
    user: 'grace',
    calls: [call, { ...call, tool: long, given: `{ "env": "${long}…`, requester: undefined }],
  }),
  'approvals-none': approvalListPage({ user: 'grace', calls: [] }),
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
