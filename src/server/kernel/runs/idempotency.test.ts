import { describe, expect, it } from 'vitest';
import { RpcError } from '../../../jsonrpc/errors.ts';
import { defaultsOf } from '../../../lib/options/read-options.ts';
import { createDeadlines } from '../../../lib/time/deadlines.ts';
import { createFakeClock } from '../../../lib/time/fake-clock.ts';
import type { CallOutcome } from '../../../ports/call-outcome.ts';
import { idempotencyKey } from '../../../protocol/meta-keys.ts';
import { type KeyedCall } from '../../ports/call-limits.ts';
import { idempotencyOptions } from '../../ports/option-groups.table.ts';
import type { IdempotencySettings } from '../../ports/option-settings.ts';
import { createIdempotentCalls } from './idempotency.ts';

const done = (text: string): CallOutcome => ({ resultType: 'complete', result: { text } });

/** Calls that the test runs itself, on a clock that the test sets. */
function idempotentCalls(settings: Partial<IdempotencySettings> = {}) {
  const clock = createFakeClock();
  const ports = { store: { current: undefined }, deadlines: createDeadlines(clock), failed: () => undefined };
  const once = createIdempotentCalls({ ...defaultsOf(idempotencyOptions), ...settings }, 'server', ports);
  let runs = 0;
  const arrive = (
    key: unknown,
    carryOut: (finish: (settled: CallOutcome | RpcError) => void) => void,
    context: KeyedCall['context'] = { caller: { principal: undefined }, finished: false },
  ) => {
    const outcomes: Array<CallOutcome | RpcError> = [];
    let receive = (_settled: CallOutcome | RpcError): void => {};
    const arrival: KeyedCall = {
      call: {
        method: 'tools/call',
        params: { name: 'it' },
        meta: { [idempotencyKey]: key },
        introduction: undefined,
        round: undefined,
      },
      target: 'it',
      context,
      finish(settled) {
        receive(settled);
        outcomes.push(settled);
      },
      refuse: (refused) => arrival.finish(refused),
      fail: (error) => arrival.finish(RpcError.from(error)),
      runOn(onResult) {
        receive = onResult;
      },
    };
    once.serve(arrival, () => {
      runs++;
      carryOut((settled) => arrival.finish(settled));
    });
    return outcomes;
  };
  return {
    arrive,
    at(key: string, text: string, principal?: string) {
      const caller = { principal: principal === undefined ? undefined : { key: principal } };
      return arrive(key, (finish) => finish(done(text)), { caller, finished: false });
    },
    pass: (ms: number) => clock.advance(ms),
    get runs() {
      return runs;
    },
  };
}

describe('A call with an idempotency key', () => {
  it('is stored for ttlMs and then deleted', () => {
    const calls = idempotentCalls({ ttlMs: 1000 });
    calls.at('a', '1');
    calls.pass(999);
    expect(calls.at('a', '2')).toEqual([done('1')]);
    calls.pass(1);
    expect(calls.at('a', '3')).toEqual([done('3')]);
    expect(calls.runs).toBe(2);
  });

  it('is refused beyond maxEntries until an earlier one is forgotten, and none is dropped for it', () => {
    const calls = idempotentCalls({ maxEntries: 2, ttlMs: 1000 });
    for (const key of ['a', 'b']) calls.at(key, key);
    expect(calls.at('c', 'c')).toMatchObject([
      { reason: 'overloaded', data: { outcome: 'not-started', retryAfterMs: 1000 } },
    ]);
    expect([calls.at('a', 'again'), calls.at('b', 'again')]).toEqual([[done('a')], [done('b')]]);
    calls.pass(1000);
    expect(calls.at('c', 'c')).toEqual([done('c')]);
  });

  it('of one principal leaves room for those of others, and drops none of their results', () => {
    const calls = idempotentCalls({ maxEntries: 8, maxChars: 1000 });
    calls.at('k', 'of ada', 'ada');
    const eve = ['1', '2', '3', '4'].map((key) => calls.at(key, 'x'.repeat(100), 'eve'));
    expect(eve.map(([outcome]) => outcome instanceof RpcError)).toEqual([false, false, true, true]);
    expect(calls.at('k', 'again', 'ada')).toEqual([done('of ada')]);
    expect(calls.at('k2', 'more', 'ada')).toEqual([done('more')]);
    // A quarter of 1000 characters has room for one of them.
    expect([calls.at('1', 'again', 'eve'), calls.at('2', 'again', 'eve')]).toMatchObject([
      [{ reason: 'server-error' }],
      [done('x'.repeat(100))],
    ]);
  });

  it('is stored without its result beyond maxChars', () => {
    const calls = idempotentCalls({ maxChars: 100 });
    calls.at('long', 'x'.repeat(101));
    calls.at('a', 'x'.repeat(40));
    calls.at('b', 'x'.repeat(40));
    expect(calls.at('b', 'again')).toEqual([done('x'.repeat(40))]);
    for (const key of ['long', 'a']) expect(calls.at(key, 'again')).toMatchObject([{ reason: 'server-error' }]);
    expect(calls.runs).toBe(3);
  });

  it('is rejected while maxEntries calls are running', () => {
    const calls = idempotentCalls({ maxEntries: 1 });
    calls.arrive('a', () => {});
    expect(calls.at('b', 'x')).toMatchObject([{ reason: 'overloaded' }]);
  });

  it.each([[5], [''], ['x'.repeat(201)], [null]])('is rejected with an invalid key: %j', (key) => {
    const calls = idempotentCalls();
    const [outcome] = calls.arrive(key, () => {});
    expect(outcome).toBeInstanceOf(RpcError);
    expect(outcome).toMatchObject({ reason: 'invalid-params' });
    expect(calls.runs).toBe(0);
  });

  it('returns a result that later changes of the original do not affect', () => {
    const calls = idempotentCalls();
    const own = { resultType: 'complete' as const, result: { list: [1] } };
    calls.arrive('a', (finish) => finish(own));
    own.result.list.push(2);
    expect(calls.at('a', 'x')).toEqual([{ resultType: 'complete', result: { list: [1] } }]);
  });

  it('does not run again for a waiting duplicate that was cancelled', () => {
    const calls = idempotentCalls();
    let requireInput = (_settled: CallOutcome): void => {};
    calls.arrive('a', (finish) => {
      requireInput = finish;
    });
    const cancelled = { caller: { principal: undefined }, finished: false };
    const waiting = calls.arrive('a', (finish) => finish(done('not run')), cancelled);
    cancelled.finished = true;
    requireInput({ resultType: 'input_required', inputRequests: {}, journal: {} as never });
    expect(waiting).toMatchObject([{ reason: 'internal-error' }]);
    expect(calls.runs).toBe(1);
  });

  it('runs again for a waiting duplicate when the first run ended to request input', () => {
    const calls = idempotentCalls();
    let requireInput = (_settled: CallOutcome): void => {};
    calls.arrive('a', (finish) => {
      requireInput = finish;
    });
    const waiting = calls.at('a', 'answered');
    const behind = calls.at('a', 'not run');
    expect(waiting).toEqual([]);
    requireInput({ resultType: 'input_required', inputRequests: {}, journal: {} as never });
    expect([waiting, behind]).toEqual([[done('answered')], [done('answered')]]);
    expect(calls.runs).toBe(2);
  });
});
