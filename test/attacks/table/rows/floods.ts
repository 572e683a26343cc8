/** Attacks by number: a caller wants more than its share, and other ways to the same tool. */
import { call, initialize, notification } from '../../../kit/http/messages.ts';
import type { Attack, HttpStep, Refusal, Who } from '../attack.ts';
import { callTool, postCall } from '../messages.ts';

const caller = { attacker: 'a caller' } as const;
const limited: Refusal = { status: 429, because: 'Too many requests' };
/** The first refusal is a record of its own, those after it are counted. */
const counted = ['limit', 'refusals'] as const;
const rings = (as: Who, meta = {}): HttpStep => ({ ...postCall('siren', {}, meta), as });
const inSession = { 'mcp-session-id': '{session}', 'mcp-protocol-version': '2025-11-25' };

export const floods: readonly Attack[] = [
  {
    id: 'flood-01',
    ...caller,
    does: 'calls a tool more often than it may',
    sends: { http: [rings('alice'), rings('alice'), rings('alice')] },
    gets: limited,
    audited: counted,
  },
  {
    id: 'flood-02',
    ...caller,
    does: 'goes on in a session when its calls without one are used up',
    sends: {
      http: [
        rings('bob'),
        rings('bob'),
        { as: 'bob', body: initialize('2025-11-25'), keeps: { session: { header: 'mcp-session-id' } } },
        { as: 'bob', headers: inSession, body: notification('notifications/initialized') },
        { as: 'bob', headers: inSession, body: call('siren') },
      ],
    },
    gets: { because: 'Too many requests' },
    audited: counted,
  },
  {
    id: 'flood-03',
    ...caller,
    does: 'repeats a call under other idempotency keys',
    sends: {
      http: ['a', 'b', 'c'].map((key) => rings('mallory', { 'dev.tenon/idempotency-key': key })),
    },
    gets: limited,
    audited: counted,
  },
  {
    id: 'flood-04',
    ...caller,
    does: 'goes on over another transport when its calls over HTTP are used up',
    sends: callTool('siren'),
    gets: { because: 'Too many requests' },
    audited: counted,
  },
  {
    id: 'flood-05',
    ...caller,
    does: 'runs more calls at once than it may',
    sends: {
      http: [{ ...postCall('bell', {}, { progressToken: 1 }), leavesOpenAfter: 1 }, postCall('bell')],
    },
    gets: limited,
    audited: counted,
  },
  {
    id: 'flood-06',
    ...caller,
    does: 'sends arguments that cost more than anyone may spend',
    sends: callTool('weigh', { weight: 1_000_000_000 }),
    gets: { because: 'Ask for less' },
    audited: counted,
  },
  {
    id: 'flood-07',
    ...caller,
    does: 'sends arguments with a negative cost, to be paid for them',
    sends: callTool('weigh', { weight: -1_000_000 }),
    gets: { code: -32603, because: 'The cost of this call cannot be computed.' },
    audited: counted,
  },
  {
    id: 'flood-08',
    ...caller,
    does: 'puts more calls into a batch than it may make',
    sends: {
      http: [
        rings('alice'),
        rings('alice'),
        { body: initialize('2025-03-26'), keeps: { session: { header: 'mcp-session-id' } } },
        { headers: { 'mcp-session-id': '{session}' }, body: notification('notifications/initialized') },
        { headers: { 'mcp-session-id': '{session}' }, body: [call('siren', {}, 1), call('siren', {}, 2)] },
      ],
    },
    gets: { status: 200, lacks: 'loud' },
    audited: counted,
  },
];
