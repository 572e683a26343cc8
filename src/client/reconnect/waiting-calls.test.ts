/** Calls that wait for a connection. */
import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createDeadlines } from '../../lib/time/deadlines.ts';
import { createFakeClock } from '../../lib/time/fake-clock.ts';
import type { Connection } from '../connection/connection.ts';
import { WaitingCalls } from './waiting-calls.ts';

const connection = { isClosed: false } as Connection;
const codeOf = (waiting: Promise<unknown>): Promise<unknown> =>
  waiting.then(
    () => 'connected',
    (error) => error.code ?? error.message,
  );

function setUp(limit = 3) {
  const clock = createFakeClock();
  return { clock, waiting: new WaitingCalls(createDeadlines(clock), limit, { whyDisconnected: () => ({}) }) };
}

describe('calls that wait for a connection', () => {
  it('get it when it is open, and leave no timer and no listener', async () => {
    const { clock, waiting } = setUp();
    const { signal } = new AbortController();
    const first = waiting.join({ timeoutMs: 100, signal });
    const second = waiting.join({});
    // A call without a time limit also keeps the process alive.
    expect(clock.pending).toBe(2);
    waiting.release(connection);
    expect(await Promise.all([first, second])).toEqual([connection, connection]);
    expect(clock.pending).toBe(0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('wait no longer than their timeoutMs', async () => {
    const { clock, waiting } = setUp();
    const short = waiting.join({ timeoutMs: 100 });
    const long = waiting.join({ timeoutMs: 200 });
    clock.advance(150);
    waiting.release(connection);
    expect(await codeOf(short)).toBe('timeout');
    expect(await long).toBe(connection);
  });

  it('do not count the time in which the connection waits for credentials', async () => {
    const { clock, waiting } = setUp();
    const call = waiting.join({ timeoutMs: 100 });
    clock.advance(60);
    waiting.delayed(true);
    waiting.delayed(true);
    clock.advance(500);
    waiting.delayed(false);
    const late = waiting.join({ timeoutMs: 100 });
    clock.advance(500);
    waiting.delayed(false);
    clock.advance(39);
    expect(clock.pending).toBe(2);
    clock.advance(1);
    expect(await codeOf(call)).toBe('timeout');
    waiting.release(connection);
    expect(await late).toBe(connection);
    expect(clock.pending).toBe(0);
  });

  it('can be cancelled before and while they wait', async () => {
    const { clock, waiting } = setUp();
    const controller = new AbortController();
    const cancelled = waiting.join({ timeoutMs: 100, signal: controller.signal });
    controller.abort();
    expect(await codeOf(cancelled)).toBe('cancelled');
    expect(await codeOf(waiting.join({ signal: controller.signal }))).toBe('cancelled');
    expect(clock.pending).toBe(0);
  });

  it('are limited in number, and a new one can wait when another is done', async () => {
    const { waiting } = setUp(2);
    const joined = [waiting.join({}), waiting.join({})];
    expect(await codeOf(waiting.join({}))).toBe('queue-full');
    waiting.release(connection);
    await Promise.all(joined);
    const again = waiting.join({});
    waiting.release(connection);
    expect(await again).toBe(connection);
  });

  it('are rejected by the first failed attempt with failFast, and wait on without it', async () => {
    const { waiting } = setUp();
    const failingFast = waiting.join({ failFast: true });
    const other = waiting.join({});
    waiting.refuseFailFast(new Error('first failure'));
    expect(await codeOf(failingFast)).toBe('first failure');
    waiting.release(connection);
    expect(await other).toBe(connection);
  });

  it('are rejected when there will be no connection, with the exact error if they fail fast', async () => {
    const { waiting } = setUp();
    const both = [codeOf(waiting.join({ failFast: true })), codeOf(waiting.join({}))];
    waiting.refuse(new Error('circuit open'), new Error('connection refused'));
    expect(await Promise.all(both)).toEqual(['connection refused', 'circuit open']);
    waiting.refuse(new Error('again'));
  });
});
