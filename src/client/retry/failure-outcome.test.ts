/** The outcome of a call after a failure. */
import { expect, it } from 'vitest';
import { RpcError } from '../../jsonrpc/errors.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { cutOffData } from '../../protocol/error-data.ts';
import { revisions } from '../../protocol/revisions/revisions.ts';
import { isConnectionLost, isIdempotent, isTemporary, outcomeOf, outcomeUnknown } from './failure-outcome.ts';

const closed = (details: Readonly<Record<string, unknown>> = {}): TenonError =>
  new TenonError('connection-closed', 'The connection is closed.', { details });
const closedBy = (cause: Error): TenonError => new TenonError('connection-closed', 'closed', { cause });

/** Errors of Node, as fetch wraps them. */
const ofCall = (syscall: string): Error => Object.assign(new Error('no'), { code: 'ETIMEDOUT', syscall });
const failed = (syscall: string): Error => new TypeError('fetch failed', { cause: ofCall(syscall) });
const several = (...syscalls: string[]): Error =>
  new TypeError('fetch failed', { cause: new AggregateError(syscalls.map(ofCall)) });
const unreachable = (problem: string, cause: Error): TenonError =>
  new TenonError('unreachable', 'no', { details: { problem }, cause });

it.each([
  ['an answer of the server', new RpcError(-32603, 'no'), 'settled'],
  ['a call that the server cut off', new RpcError(-31503, 'closing', cutOffData), 'unknown'],
  ['a time-out', new TenonError('timeout', 'late'), 'settled'],
  ['a cancelled call', new TenonError('cancelled', 'no'), 'settled'],
  ['an error of the user', new TypeError('no'), 'settled'],
  ['a connection that broke', closed(), 'unknown'],
  ['a connection that was closed before', closed({ sent: false }), 'unsent'],
  ['a refused connection', new TenonError('connection-refused', 'no'), 'unsent'],
  ['an unknown host name', new TenonError('host-not-found', 'no'), 'unsent'],
  ['an expired session', new TenonError('session-expired', 'no'), 'unsent'],
  ['an unreachable server', new TenonError('unreachable', 'no'), 'unknown'],
  ['a connection that was never open', unreachable('UND_ERR_CONNECT_TIMEOUT', new Error('no')), 'unsent'],
  ['an address that cannot be reached', unreachable('EHOSTUNREACH', failed('connect')), 'unsent'],
  ['several addresses that cannot be reached', unreachable('ETIMEDOUT', several('connect', 'connect')), 'unsent'],
  ['several addresses, one of which was reached', unreachable('ETIMEDOUT', several('connect', 'read')), 'unknown'],
  ['a connection that timed out while reading', unreachable('ETIMEDOUT', failed('read')), 'unknown'],
  [
    'a connection that closed because another could not be opened',
    closedBy(unreachable('ETIMEDOUT', failed('connect'))),
    'unknown',
  ],
] as const)('after %s a call is %s', (_, error, outcome) => {
  expect(outcomeOf(error)).toBe(outcome);
});

it('a failure of the connection is distinguished from one of a single call', () => {
  expect(isConnectionLost(new TenonError('session-expired', 'no'))).toBe(true);
  expect(isConnectionLost(new TenonError('unreachable', 'no'))).toBe(true);
  expect(isConnectionLost(new TenonError('timeout', 'no'))).toBe(false);
  expect(isConnectionLost(new RpcError(-32603, 'no'))).toBe(false);
});

it('every request may be sent again, except tools/call, initialize and subscriptions/listen', () => {
  const all = new Set(revisions.flatMap(({ client }) => [...client.requests.keys()]));
  const once = [...all].filter((method) => !isIdempotent(method));
  expect(once.filter((method) => !method.startsWith('tasks/')).sort()).toEqual([
    'initialize',
    'subscriptions/listen',
    'tools/call',
  ]);
});

it('the error of an unknown outcome has the request id, the method and the cause', () => {
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
])('after HTTP status %i a call is %s', (status, outcome) => {
  expect(outcomeOf(new TenonError('server-unavailable', 'no', { details: { status } }))).toBe(outcome);
});

it.each([
  [500, 'settled'],
  [503, 'settled'],
  [502, 'unknown'],
])('after HTTP status %i with a JSON-RPC error a call is %s', (status, outcome) => {
  const details = { status, error: { code: -32603, message: 'no' } };
  expect(outcomeOf(new TenonError('server-unavailable', 'no', { details }))).toBe(outcome);
});

it('after HTTP status 503 with the error of a call that the server cut off its outcome is unknown', () => {
  const details = { status: 503, error: { code: -31503, message: 'closing', data: cutOffData } };
  expect(outcomeOf(new TenonError('server-unavailable', 'no', { details }))).toBe('unknown');
});

it.each([
  [{ status: 502 }, true],
  [{ status: 504 }, true],
  [{ status: 429, retryAfterMs: 0 }, true],
  [{ status: 503, retryAfterMs: 1000 }, true],
  [{ status: 503 }, false],
  [{ status: 429 }, false],
  [{ status: 500, retryAfterMs: 1000 }, false],
])('a failure with %j is temporary: %s', (details, expected) => {
  expect(isTemporary(new TenonError('server-unavailable', 'no', { details }))).toBe(expected);
});
