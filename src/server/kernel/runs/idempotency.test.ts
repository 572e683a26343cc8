import { describe, expect, it } from 'vitest';
import { RpcError } from '../../../jsonrpc/errors.ts';
import { defaultsOf } from '../../../lib/options/read-options.ts';
import { createDeadlines } from '../../../lib/time/deadlines.ts';
import { createFakeClock } from '../../../lib/time/fake-clock.ts';
import { createDeferred } from '../../../lib/values/deferred.ts';
import type { CallOutcome, Settled } from '../../../ports/call-outcome.ts';
import { notStartedData } from '../../../protocol/error-data.ts';
import { rpcError } from '../../../protocol/errors.ts';
import { idempotencyKey } from '../../../protocol/meta-keys.ts';
import { type KeyedCall } from '../../ports/call-limits.ts';
import { idempotencyOptions } from '../../ports/option-groups.table.ts';
import type { IdempotencySettings } from '../../ports/option-settings.ts';
import { createIdempotentCalls } from './idempotency.ts';

const done = (text: string): CallOutcome => ({ resultType: 'complete', result: { text } });

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
const inputRequired: CallOutcome = { resultType: 'input_required', inputRequests: {}, journal: {} };

/** Calls that the test runs itself, on a clock that the test sets. */
function idempotentCalls(settings: Partial<IdempotencySettings> = {}) {
  const clock = createFakeClock();
  const ports = { store: { current: undefined }, deadlines: createDeadlines(clock), failed: () => undefined };
  const once = createIdempotentCalls({ ...defaultsOf(idempotencyOptions), ...settings }, 'server', ports);
  let runs = 0;
  const arrive = async (
    key: unknown,
    carryOut: () => Settled | Promise<Settled>,
    context: KeyedCall['context'] = { caller: { principal: undefined }, finished: false },
  ): Promise<Settled> => {
    let receive = (_settled: Settled): void => {};
    const arrival: KeyedCall = {
      call: {
        method: 'tools/call',
        params: { name: 'it' },
        meta: { [idempotencyKey]: key },
        introduction: undefined,
        round: undefined,
      },
      target: 'it',
      ports: { address: undefined, origin: { transport: undefined } },
      context,
      reported: (refused) => refused,
      runOn(onResult) {
        receive = onResult;
      },
    };
    const settled = await once.serve(arrival, () => {
      runs++;
      return carryOut();
    });
    receive(settled);
    return settled;
  };
  return {
    arrive,
    at(key: string, text: string, principal?: string) {
      const caller = { principal: principal === undefined ? undefined : { key: principal } };
      return arrive(key, () => done(text), { caller, finished: false });
    },
    pass: (ms: number) => clock.advance(ms),
    get runs() {
      return runs;
    },
  };
}

describe('A call with an idempotency key', () => {
  it('is stored for ttlMs and then deleted', async () => {
    const calls = idempotentCalls({ ttlMs: 1000 });
    await calls.at('a', '1');
    calls.pass(999);
    expect(await calls.at('a', '2')).toEqual(done('1'));
    calls.pass(1);
    expect(await calls.at('a', '3')).toEqual(done('3'));
    expect(calls.runs).toBe(2);
  });

  it('is refused beyond maxEntries until an earlier one is forgotten, and none is dropped for it', async () => {
    const calls = idempotentCalls({ maxEntries: 2, ttlMs: 1000 });
    for (const key of ['a', 'b']) await calls.at(key, key);
    expect(await calls.at('c', 'c')).toMatchObject({
      reason: 'overloaded',
      data: { outcome: 'not-started', retryAfterMs: 1000 },
    });
    expect([await calls.at('a', 'again'), await calls.at('b', 'again')]).toEqual([done('a'), done('b')]);
    calls.pass(1000);
    expect(await calls.at('c', 'c')).toEqual(done('c'));
  });

  it('of one principal leaves room for those of others, and drops none of their results', async () => {
    const calls = idempotentCalls({ maxEntries: 8, maxChars: 1000 });
    await calls.at('k', 'of ada', 'ada');
    const eve: Settled[] = [];
    for (const key of ['1', '2', '3', '4']) eve.push(await calls.at(key, 'x'.repeat(100), 'eve'));
    expect(eve.map((outcome) => outcome instanceof RpcError)).toEqual([false, false, true, true]);
    expect(await calls.at('k', 'again', 'ada')).toEqual(done('of ada'));
    expect(await calls.at('k2', 'more', 'ada')).toEqual(done('more'));
    // A quarter of 1000 characters has room for one of them.
    expect([await calls.at('1', 'again', 'eve'), await calls.at('2', 'again', 'eve')]).toMatchObject([
      { reason: 'server-error' },
      done('x'.repeat(100)),
    ]);
  });

  it('is stored without its result beyond maxChars', async () => {
    const calls = idempotentCalls({ maxChars: 100 });
    await calls.at('long', 'x'.repeat(101));
    await calls.at('a', 'x'.repeat(40));
    await calls.at('b', 'x'.repeat(40));
    expect(await calls.at('b', 'again')).toEqual(done('x'.repeat(40)));
    for (const key of ['long', 'a']) expect(await calls.at(key, 'again')).toMatchObject({ reason: 'server-error' });
    expect(calls.runs).toBe(3);
  });

  it('is rejected while maxEntries calls are running', async () => {
    const calls = idempotentCalls({ maxEntries: 1 });
    void calls.arrive('a', () => new Promise(() => {}));
    expect(await calls.at('b', 'x')).toMatchObject({ reason: 'overloaded' });
  });

  it.each([[5], [''], ['x'.repeat(201)], [null]])('is rejected with an invalid key: %j', async (key) => {
    const calls = idempotentCalls();
    const outcome = await calls.arrive(key, () => done('not run'));
    expect(outcome).toBeInstanceOf(RpcError);
    expect(outcome).toMatchObject({ reason: 'invalid-params' });
    expect(calls.runs).toBe(0);
  });

  it('returns a result that later changes of the original do not affect', async () => {
    const calls = idempotentCalls();
    const own = { resultType: 'complete' as const, result: { list: [1] } };
    await calls.arrive('a', () => own);
    own.result.list.push(2);
    expect(await calls.at('a', 'x')).toEqual({ resultType: 'complete', result: { list: [1] } });
  });

  it('does not run again for a waiting duplicate that was cancelled', async () => {
    const calls = idempotentCalls();
    const { promise, resolve } = createDeferred<Settled>();
    void calls.arrive('a', () => promise);
    const cancelled = { caller: { principal: undefined }, finished: false };
    const waiting = calls.arrive('a', () => done('not run'), cancelled);
    cancelled.finished = true;
    resolve(inputRequired);
    expect(await waiting).toMatchObject({ reason: 'internal-error' });
    expect(calls.runs).toBe(1);
  });

  it('runs again after an error that says that nothing has begun, and not after another one', async () => {
    const calls = idempotentCalls();
    const busy = rpcError('overloaded', 'busy', notStartedData);
    expect(await calls.arrive('a', () => busy)).toBe(busy);
    expect(await calls.at('a', 'now')).toEqual(done('now'));
    const broken = rpcError('server-error', 'broken');
    expect(await calls.arrive('b', () => broken)).toBe(broken);
    expect(await calls.at('b', 'not run')).toMatchObject({ message: 'broken' });
    expect(calls.runs).toBe(3);
  });

  it('runs again for a waiting duplicate when the first run ended to request input', async () => {
    const calls = idempotentCalls();
    const { promise, resolve } = createDeferred<Settled>();
    void calls.arrive('a', () => promise);
    const waiting = calls.at('a', 'answered');
    const behind = calls.at('a', 'not run');
    await settled();
    expect(calls.runs).toBe(1);
    resolve(inputRequired);
    expect([await waiting, await behind]).toEqual([done('answered'), done('answered')]);
    expect(calls.runs).toBe(2);
  });
});
