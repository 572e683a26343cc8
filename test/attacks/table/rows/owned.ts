/** Attacks by what belongs to another principal: sessions, streams, events, request states, idempotency keys, answers. */
import { call, initialize, notification, request } from '../../../kit/http/messages.ts';
import type { Attack, HttpStep, Json, Refusal, Who } from '../attack.ts';
import { post, postCall } from '../messages.ts';

const other = { attacker: 'another principal' } as const;
const revision = '2025-11-25';

/** Alice opens a session. */
const opens: HttpStep = { body: initialize(revision), keeps: { session: { header: 'mcp-session-id' } } };
const ready: HttpStep = { body: notification('notifications/initialized'), headers: inSession('{session}') };
function inSession(session: string) {
  return { 'mcp-session-id': session, 'mcp-protocol-version': revision };
}
const unknownSession: Refusal = { status: 404, code: -32600 };

const uses = (as: Who, step: HttpStep): readonly HttpStep[] => [
  opens,
  ready,
  { headers: { ...inSession('{session}'), ...step.headers }, ...step, as },
];
const stream = { accept: 'text/event-stream', ...inSession('{session}') };

const sessions: readonly Attack[] = [
  ...(['bob', 'mallory'] as const).map(
    (as, index): Attack => ({
      id: `owned-${`${index + 1}`.padStart(2, '0')}`,
      ...other,
      does:
        as === 'bob'
          ? 'calls a tool in a session of alice'
          : 'has the subject of alice at another issuer, and her session',
      sends: { http: uses(as, { body: call('echo', { text: 'x' }) }) },
      gets: unknownSession,
      audited: 'refusals',
    }),
  ),
  {
    id: 'owned-03',
    attacker: 'a stranger',
    does: 'uses a session of alice without credentials',
    sends: { http: uses('anonymous', { body: call('echo', { text: 'x' }) }) },
    gets: { status: 401 },
    audited: 'refusals',
  },
  {
    id: 'owned-04',
    ...other,
    does: 'listens to the stream of a session of alice',
    sends: { http: uses('bob', { method: 'GET', headers: stream }) },
    gets: unknownSession,
    audited: 'refusals',
  },
  {
    id: 'owned-05',
    ...other,
    does: 'ends a session of alice',
    sends: { http: uses('bob', { method: 'DELETE' }) },
    gets: unknownSession,
    audited: 'refusals',
  },
  {
    id: 'owned-06',
    ...other,
    does: 'subscribes to a resource in a session of alice',
    sends: { http: uses('bob', { body: request('resources/subscribe', { uri: 'memo://public/a' }) }) },
    gets: unknownSession,
    audited: 'refusals',
  },
  {
    id: 'owned-07',
    ...other,
    does: 'cancels a call of alice',
    sends: { http: uses('bob', { body: notification('notifications/cancelled', { requestId: 1 }) }) },
    gets: unknownSession,
    audited: 'refusals',
  },
  {
    id: 'owned-08',
    ...other,
    does: 'guesses the ID of a session: an unknown one looks the same',
    sends: { http: [{ as: 'bob', headers: inSession('x'.repeat(60)), body: call('echo', { text: 'x' }) }] },
    gets: { ...unknownSession, sameAs: { http: uses('bob', { body: call('echo', { text: 'x' }) }) } },
    audited: 'refusals',
  },
];

/** A call of alice that reports progress and goes on. */
const runs: HttpStep = {
  headers: inSession('{session}'),
  body: call('wait', {}, 1, { progressToken: 1 }),
  leavesOpenAfter: 2,
  keeps: { event: 'last event' },
};

const streams: readonly Attack[] = [
  {
    id: 'owned-09',
    ...other,
    does: 'resumes the stream of a call of alice by the ID of an event, in her session',
    sends: {
      http: [opens, ready, runs, { as: 'bob', method: 'GET', headers: { ...stream, 'last-event-id': '{event}' } }],
    },
    gets: unknownSession,
    audited: 'refusals',
  },
  {
    id: 'owned-10',
    ...other,
    does: 'resumes the stream of a call of alice in a session of its own',
    sends: {
      http: [
        opens,
        ready,
        runs,
        { ...opens, as: 'bob' },
        { ...ready, as: 'bob' },
        { as: 'bob', method: 'GET', headers: { ...stream, 'last-event-id': '{event}' } },
      ],
    },
    gets: { status: 400, code: -32600 },
  },
  {
    id: 'owned-11',
    ...other,
    does: 'posts to the stream of HTTP+SSE of alice',
    sends: {
      http: [
        {
          method: 'GET',
          path: '/sse',
          headers: { accept: 'text/event-stream' },
          leavesOpenAfter: 1,
          keeps: { messages: { text: /data: (\S+)/ } },
        },
        { as: 'bob', path: '{messages}', body: initialize('2024-11-05') },
      ],
    },
    gets: { status: 404 },
    audited: 'refusals',
  },
  {
    id: 'owned-12',
    ...other,
    does: 'answers a question that the server asks alice',
    sends: {
      http: [
        { ...opens, body: initialize(revision, { elicitation: {} }) },
        ready,
        {
          headers: inSession('{session}'),
          body: call('approve'),
          leavesOpenAfter: 2,
          keeps: { asked: { text: /"method":"elicitation.*"id":(\d+)/ } },
        },
        {
          as: 'bob',
          headers: inSession('{session}'),
          body: '{"jsonrpc":"2.0","id":{asked},"result":{"action":"accept","content":{"sure":true}}}',
        },
      ],
    },
    gets: unknownSession,
    audited: 'refusals',
  },
];

const able = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
const agreed: Json = { ok: { action: 'accept', content: { sure: true } } };
/** Alice calls a tool that asks for approval, and gets the state to go on with. */
const asks: HttpStep = { ...postCall('approve', {}, able), keeps: { state: { json: 'result.requestState' } } };
const approves = (requestState: string, name = 'approve', args = {}, inputResponses = agreed): HttpStep =>
  post('tools/call', { name, arguments: args, requestState, inputResponses }, able);
const refusedState: Refusal = { status: 200, code: -32602, because: 'requestState is not valid for this call' };

const states: readonly Attack[] = [
  {
    id: 'owned-13',
    ...other,
    does: 'continues a call of alice with its request state: a made-up one looks the same',
    sends: { http: [asks, { ...approves('{state}'), as: 'bob' }] },
    gets: { ...refusedState, sameAs: { http: [{ ...approves('made up'), as: 'bob' }] } },
    audited: 'refusals',
  },
  {
    id: 'owned-14',
    ...other,
    does: 'has the subject of alice at another issuer, and her request state',
    sends: { http: [asks, { ...approves('{state}'), as: 'mallory' }] },
    gets: refusedState,
    audited: 'refusals',
  },
  {
    id: 'owned-15',
    attacker: 'a caller',
    does: 'uses the approval of one tool for another',
    sends: { http: [asks, approves('{state}', 'echo', { text: 'x' })] },
    gets: refusedState,
    audited: 'refusals',
  },
  {
    id: 'owned-16',
    attacker: 'a caller',
    does: 'uses the approval of one call for other arguments',
    sends: { http: [asks, approves('{state}', 'approve', { more: 1 })] },
    gets: refusedState,
    audited: 'refusals',
  },
  {
    id: 'owned-17',
    attacker: 'a caller',
    does: 'changes a character of its request state',
    sends: { http: [asks, approves('x{state}')] },
    gets: refusedState,
    audited: 'refusals',
  },
  {
    id: 'owned-18',
    attacker: 'a caller',
    does: 'uses an approval again, with another answer',
    sends: { http: [asks, approves('{state}'), approves('{state}', 'approve', {}, { ok: { action: 'decline' } })] },
    gets: { status: 200, code: -32602, because: 'requestState' },
    audited: 'call-end',
  },
];

const once = (as: Who): HttpStep => ({ ...postCall('count', {}, { 'dev.tenon/idempotency-key': 'owned' }), as });

const keys: readonly Attack[] = [
  {
    id: 'owned-19',
    ...other,
    does: 'repeats the idempotency key of alice: its own call runs, and it does not see her result',
    sends: { http: [once('alice'), once('bob')] },
    gets: { status: 200, code: 'served', because: '2' },
  },
  {
    id: 'owned-20',
    attacker: 'a caller',
    does: 'uses an idempotency key for other arguments',
    sends: {
      http: [
        postCall('echo', { text: 'x' }, { 'dev.tenon/idempotency-key': 'other' }),
        postCall('echo', { text: 'y' }, { 'dev.tenon/idempotency-key': 'other' }),
      ],
    },
    gets: { status: 200, code: -32602, because: 'idempotency' },
  },
];

export const owned: readonly Attack[] = [...sessions, ...streams, ...states, ...keys];
