import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createDeadlines } from '../../jsonrpc/deadlines.ts';
import { createFakeClock } from '../../jsonrpc/fake-clock.ts';
import type { Connection } from '../connection/connection.ts';
import { WaitingCalls } from './waiting-calls.ts';

const connection = { isClosed: false } as Connection;
const codeOf = (waiting: Promise<unknown>): Promise<unknown> =>
  waiting.then(
    () => 'line',
    (error) => error.code ?? error.message,
  );

function setUp(limit = 3) {
  const clock = createFakeClock();
  return { clock, waiting: new WaitingCalls(createDeadlines(clock), limit, { whyDisconnected: () => ({}) }) };
}

describe('Those who wait for a connection', () => {
  it('get it when it is there, and leave no timer and no listener behind', async () => {
    const { clock, waiting } = setUp();
    const { signal } = new AbortController();
    const first = waiting.join({ timeoutMs: 100, signal });
    const second = waiting.join({});
    // Whoever waits without a bound holds the process all the same.
    expect(clock.pending).toBe(2);
    waiting.release(connection);
    expect(await Promise.all([first, second])).toEqual([connection, connection]);
    expect(clock.pending).toBe(0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('wait no longer than they want to', async () => {
    const { clock, waiting } = setUp();
    const short = waiting.join({ timeoutMs: 100 });
    const long = waiting.join({ timeoutMs: 200 });
    clock.advance(150);
    waiting.release(connection);
    expect(await codeOf(short)).toBe('timeout');
    expect(await long).toBe(connection);
  });

  it('can be given up before and while they wait', async () => {
    const { clock, waiting } = setUp();
    const controller = new AbortController();
    const given = waiting.join({ timeoutMs: 100, signal: controller.signal });
    controller.abort();
    expect(await codeOf(given)).toBe('cancelled');
    expect(await codeOf(waiting.join({ signal: controller.signal }))).toBe('cancelled');
    expect(clock.pending).toBe(0);
  });

  it('are no more than the limit, and a place that becomes free can be taken', async () => {
    const { waiting } = setUp(2);
    const joined = [waiting.join({}), waiting.join({})];
    expect(await codeOf(waiting.join({}))).toBe('queue-full');
    waiting.release(connection);
    await Promise.all(joined);
    const again = waiting.join({});
    waiting.release(connection);
    expect(await again).toBe(connection);
  });

  it('hear at once what an attempt came to where they are impatient, and go on waiting where they are not', async () => {
    const { waiting } = setUp();
    const impatient = waiting.join({ failFast: true });
    const patient = waiting.join({});
    waiting.refuseFailFast(new Error('first failure'));
    expect(await codeOf(impatient)).toBe('first failure');
    waiting.release(connection);
    expect(await patient).toBe(connection);
  });

  it('hear that nothing will come, the impatient exactly why', async () => {
    const { waiting } = setUp();
    const both = [codeOf(waiting.join({ failFast: true })), codeOf(waiting.join({}))];
    waiting.refuse(new Error('circuit open'), new Error('connection refused'));
    expect(await Promise.all(both)).toEqual(['connection refused', 'circuit open']);
    waiting.refuse(new Error('again'));
  });
});
