import { expect, it } from 'vitest';
import { RpcError, TenonError } from '../../jsonrpc/errors.ts';
import { revisions } from '../../protocol/revisions/revisions.ts';
import { isConnectionLost, isIdempotent, isTemporary, outcomeOf, outcomeUnknown } from './failure-outcome.ts';

const closed = (details: Readonly<Record<string, unknown>> = {}): TenonError =>
  new TenonError('connection-closed', 'The connection is closed.', { details });
const closedBy = (cause: Error): TenonError => new TenonError('connection-closed', 'closed', { cause });

/** What Node gives, as fetch wraps it. */
const ofCall = (syscall: string): Error => Object.assign(new Error('no'), { code: 'ETIMEDOUT', syscall });
const failed = (syscall: string): Error => new TypeError('fetch failed', { cause: ofCall(syscall) });
const several = (...syscalls: string[]): Error =>
  new TypeError('fetch failed', { cause: new AggregateError(syscalls.map(ofCall)) });
const unreachable = (problem: string, cause: Error): TenonError =>
  new TenonError('unreachable', 'no', { details: { problem }, cause });

it.each([
  ['an answer of the server', new RpcError(-32603, 'no'), 'settled'],
  ['a time-out', new TenonError('timeout', 'late'), 'settled'],
  ['a call that was given up', new TenonError('cancelled', 'no'), 'settled'],
  ['an error of the user', new TypeError('no'), 'settled'],
  ['a connection that broke off', closed(), 'unknown'],
  ['a connection that was over before', closed({ sent: false }), 'unsent'],
  ['a server that is not there', new TenonError('connection-refused', 'no'), 'unsent'],
  ['a name without an address', new TenonError('host-not-found', 'no'), 'unsent'],
  ['a session that the server does not know', new TenonError('session-expired', 'no'), 'unsent'],
  ['a way that ends midway', new TenonError('unreachable', 'no'), 'unknown'],
  ['a connection that was never made', unreachable('UND_ERR_CONNECT_TIMEOUT', new Error('no')), 'unsent'],
  ['an address that cannot be connected to', unreachable('EHOSTUNREACH', failed('connect')), 'unsent'],
  ['addresses none of which can', unreachable('ETIMEDOUT', several('connect', 'connect')), 'unsent'],
  ['addresses one of which could', unreachable('ETIMEDOUT', several('connect', 'read')), 'unknown'],
  ['a connection that fell silent', unreachable('ETIMEDOUT', failed('read')), 'unknown'],
  ['a connection that broke off for want of another', closedBy(unreachable('ETIMEDOUT', failed('connect'))), 'unknown'],
] as const)('After %s a call is %s', (_, error, fate) => {
  expect(outcomeOf(error)).toBe(fate);
});

it('A failure that shows the connection to be of no use is told from one of a single call', () => {
  expect(isConnectionLost(new TenonError('session-expired', 'no'))).toBe(true);
  expect(isConnectionLost(new TenonError('unreachable', 'no'))).toBe(true);
  expect(isConnectionLost(new TenonError('timeout', 'no'))).toBe(false);
  expect(isConnectionLost(new RpcError(-32603, 'no'))).toBe(false);
});

it('Every request of a client but a call of a tool, and what only a connection sends, may be sent again', () => {
  const all = new Set(revisions.flatMap(({ client }) => [...client.requests.keys()]));
  const once = [...all].filter((method) => !isIdempotent(method));
  expect(once.filter((method) => !method.startsWith('tasks/')).sort()).toEqual([
    'initialize',
    'subscriptions/listen',
    'tools/call',
  ]);
});

it('An outcome that nobody knows names the request, the method, and what broke the connection off', () => {
  const cause = new TenonError('server-exited', 'It exited with code 3.');
  const error = outcomeUnknown('tools/call', 7, new TenonError('connection-closed', 'closed', { cause }));
  expect(error).toMatchObject({ code: 'outcome-unknown', details: { method: 'tools/call', requestId: 7 }, cause });
  expect(error.message).toContain('It exited with code 3.');
  expect(outcomeUnknown('tools/call', 7, closed()).cause).toMatchObject({ code: 'connection-closed' });
});

it.each([
  [502, 'unknown'],
  [504, 'unknown'],
  [500, 'unknown'],
  [503, 'unknown'],
  [429, 'settled'],
])('After %i by HTTP a call is %s', (status, fate) => {
  expect(outcomeOf(new TenonError('server-unavailable', 'no', { details: { status } }))).toBe(fate);
});

it.each([
  [500, 'settled'],
  [503, 'settled'],
  [502, 'unknown'],
])('After %i by HTTP with an answer of the protocol a call is %s', (status, fate) => {
  const details = { status, error: { code: -32603, message: 'no' } };
  expect(outcomeOf(new TenonError('server-unavailable', 'no', { details }))).toBe(fate);
});

it.each([
  [{ status: 502 }, true],
  [{ status: 504 }, true],
  [{ status: 429, retryAfterMs: 0 }, true],
  [{ status: 503, retryAfterMs: 1000 }, true],
  [{ status: 503 }, false],
  [{ status: 429 }, false],
  [{ status: 500, retryAfterMs: 1000 }, false],
])('A failure with %j passes: %s', (details, expected) => {
  expect(isTemporary(new TenonError('server-unavailable', 'no', { details }))).toBe(expected);
});
