/** Every request is authenticated before it is served, for all verbs and both lifecycles. */
import { tool } from 'tenon';
import type { Authenticate } from 'tenon/server';
import { describe, expect, it } from 'vitest';
import {
  call,
  initialize,
  lone,
  loneCall,
  notification,
  request,
  sessionRevisions,
  startSession,
} from '../../../kit/http/messages.ts';
import { send } from '../../../kit/http/raw-http.ts';
import { serve } from '../../../kit/http/sample-server.ts';
import { allNotFound, at, statuses } from '../session/two-nodes.ts';

const users: Record<string, string> = { 'Bearer one': 'https://issuer ada', 'Bearer two': 'https://issuer eve' };
const byToken: Authenticate = ({ header }) => users[header('authorization') ?? ''];
const byTokenAsync: Authenticate = async (request) => byToken(request);
const challenge = 'Bearer resource_metadata="https://example.com/.well-known/oauth-protected-resource"';
const ada = { authorization: 'Bearer one' };
const eve = { authorization: 'Bearer two' };

const whoami = { tools: { whoami: tool({}, (_given, { caller }) => caller.principal?.key ?? 'anonymous') } };
const text = (answer: { readonly json: unknown }): unknown =>
  (answer.json as { result: { content: { text: string }[] } }).result.content[0]?.text;

const verbs = (headers: Readonly<Record<string, string>>) => [
  { body: initialize('2025-11-25'), headers },
  { body: request('ping'), headers },
  { body: notification('notifications/initialized'), headers },
  { body: { jsonrpc: '2.0', id: 1, result: {} }, headers },
  { ...loneCall('whoami'), headers: { ...loneCall('whoami').headers, ...headers } },
  { ...lone('subscriptions/listen', { notifications: {} }), headers },
  { method: 'GET', headers: { accept: 'text/event-stream', ...headers } },
  { method: 'GET', headers: { accept: 'text/event-stream', 'last-event-id': '0.0', ...headers } },
  { method: 'DELETE', headers },
];

describe.each([
  ['synchronous', byToken],
  ['asynchronous', byTokenAsync],
])('a client behind a %s authenticate function', (_when, authenticate) => {
  it('gets 401 and a challenge without a principal, whatever it sends [s-security-36]', async () => {
    const { url, stats } = await serve({ authenticate }, {}, whoami);
    for (const headers of [{}, { authorization: 'Bearer three' }])
      for (const sent of verbs(headers as Record<string, string>))
        expect(await send(url, sent)).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
    expect(stats()).toMatchObject({ sessions: 0, streams: 0, activeCalls: 0 });
  });

  it('has its principal passed to handlers, in both lifecycles', async () => {
    const { url } = await serve({ authenticate }, {}, whoami);
    const single = loneCall('whoami');
    expect(text(await send(url, { ...single, headers: { ...single.headers, ...ada } }))).toBe('https://issuer ada');
    const session = await startSession(url, '2025-11-25', { headers: eve });
    expect(text(await session.post(call('whoami')))).toBe('https://issuer eve');
  });

  it.each(sessionRevisions)(
    'cannot reach a session at %s of another principal, by any verb [s-security-37, s-security-40]',
    async (revision) => {
      const served = await serve({ authenticate }, {}, whoami);
      const session = await startSession(served.url, revision, { headers: ada });
      const foreign = { ...session, headers: { ...session.headers, ...eve } };
      expect(await statuses(at(served, foreign))).toEqual(allNotFound);
      const unknown = { ...session, headers: { ...session.headers, authorization: undefined } };
      expect(await statuses(at(served, unknown))).toEqual([401, 401, 401, 401, 401, 401]);
      expect((await session.post(call('whoami'))).status).toBe(200);
    },
  );

  it('is authenticated for HTTP+SSE as well', async () => {
    const { url } = await serve({ authenticate });
    const sse = url.replace('/mcp', '/sse');
    const messages = url.replace('/mcp', '/messages?session=x');
    expect((await send(sse, { method: 'GET', headers: { accept: 'text/event-stream' } })).status).toBe(401);
    expect((await send(messages, { body: request('ping') })).status).toBe(401);
    expect((await send(messages, { body: request('ping'), headers: ada })).status).toBe(404);
  });
});

it('authenticate can set the challenge, and the status 403 for a principal without permission', async () => {
  const refusing: Authenticate = ({ header }) =>
    header('authorization') === undefined ? { challenge } : { challenge, status: 403 };
  const { url } = await serve({ authenticate: refusing });
  const body = request('ping');
  expect(await send(url, { body })).toMatchObject({ status: 401, headers: { 'www-authenticate': challenge } });
  expect(await send(url, { body, headers: ada })).toMatchObject({
    status: 403,
    headers: { 'www-authenticate': challenge },
  });
});

it.each([
  [
    'throws',
    () => {
      throw new Error('a secret');
    },
  ],
  ['rejects', () => Promise.reject(new Error('a secret'))],
])(
  'an authenticate function that %s admits no client, and the error is passed to onWarning, not to the client [S36]',
  async (_how, authenticate) => {
    const { url, warnings } = await serve({ authenticate: authenticate as Authenticate });
    const answer = await send(url, { body: request('ping'), headers: { 'x-request-id': 'mine-1' } });
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain('secret');
    expect(warnings).toMatchObject([{ code: 'callback-failed', details: { requestId: 'mine-1' } }]);
  },
);

describe('the id of a request', () => {
  const failing = async (id: string | undefined) => {
    const requestIds: unknown[] = [];
    const { url } = await serve({}, { onError: (_error, request) => requestIds.push(request.requestId) });
    const single = loneCall('fail');
    await send(url, { ...single, headers: { ...single.headers, 'x-request-id': id } });
    const session = await startSession(url, '2025-11-25');
    await session.post(call('fail'), { 'x-request-id': id });
    return requestIds;
  };

  it('is taken from x-request-id and passed to onError [S32]', async () => {
    expect(await failing('01J-abc.7:x/y+z=')).toEqual(['01J-abc.7:x/y+z=', '01J-abc.7:x/y+z=']);
  });

  it.each([undefined, '', 'two words', 'a"b', '<b>', 'x'.repeat(129)])(
    'is generated for x-request-id %j, a new one for each request',
    async (id) => {
      const [first, second] = await failing(id);
      expect(first).toMatch(/^[0-9a-f-]{36}$/);
      expect(second).toMatch(/^[0-9a-f-]{36}$/);
      expect(first).not.toBe(second);
    },
  );
});

describe('a request', () => {
  it('is admitted without a principal when authenticate returns anonymous', async () => {
    const { url } = await serve({ authenticate: () => ({ anonymous: true }) }, {}, whoami);
    expect(text(await send(url, loneCall('whoami')))).toBe('anonymous');
    const session = await startSession(url, '2025-11-25');
    expect(text(await session.post(call('whoami')))).toBe('anonymous');
  });

  it.each([{}, { anonymous: false }, null, '', 0])(
    'gets 401 when authenticate returns %j, which is neither a principal nor anonymous',
    async (result) => {
      const { url } = await serve({ authenticate: (() => result) as unknown as Authenticate }, {}, whoami);
      expect((await send(url, loneCall('whoami'))).status).toBe(401);
    },
  );

  it('is passed to authenticate as the IncomingMessage of Node', async () => {
    const { url } = await serve({ authenticate: ({ raw }) => `socket ${raw.socket.remoteAddress}` }, {}, whoami);
    expect(text(await send(url, loneCall('whoami')))).toMatch(/^socket (::ffff:)?127\.0\.0\.1$/);
  });
});
