import { describe, expect, it } from 'vitest';
import { RpcError } from '../../jsonrpc/errors.ts';
import { idempotencyKey } from '../../protocol/meta-keys.ts';
import { type KeyedCall } from '../ports/call-limits.ts';
import type { CallOutcome } from '../ports/call-outcome.ts';
import { createIdempotentCalls, type IdempotencyOptions } from './idempotency.ts';

const done = (text: string): CallOutcome => ({ resultType: 'complete', result: { text } });

/** Calls that are carried out by hand, at a time that is set by hand. */
function begun(options: IdempotencyOptions = {}) {
  let now = 0;
  const once = createIdempotentCalls(options, () => now);
  let runs = 0;
  const arrive = (
    key: unknown,
    carryOut: (finish: (settled: CallOutcome | RpcError) => void) => void,
    context = { caller: { principal: undefined }, finished: false },
  ) => {
    const ends: Array<CallOutcome | RpcError> = [];
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
        ends.push(settled);
      },
      runOn(received) {
        receive = received;
      },
    };
    once.serve(arrival, () => {
      runs++;
      carryOut((settled) => arrival.finish(settled));
    });
    return ends;
  };
  return {
    arrive,
    at(key: string, text: string) {
      return arrive(key, (finish) => finish(done(text)));
    },
    pass(ms: number) {
      now += ms;
    },
    get runs() {
      return runs;
    },
  };
}

describe('A call that is carried out once', () => {
  it('is remembered for its time, and forgotten after it', () => {
    const calls = begun({ ttlMs: 1000 });
    calls.at('a', '1');
    calls.pass(999);
    expect(calls.at('a', '2')).toEqual([done('1')]);
    calls.pass(1);
    expect(calls.at('a', '3')).toEqual([done('3')]);
    expect(calls.runs).toBe(2);
  });

  it('is forgotten first where there are too many', () => {
    const calls = begun({ maxEntries: 2 });
    for (const key of ['a', 'b', 'c']) calls.at(key, key);
    expect([calls.at('b', 'again'), calls.at('c', 'again')]).toEqual([[done('b')], [done('c')]]);
    expect(calls.at('a', 'again')).toEqual([done('again')]);
  });

  it('is remembered without its result where there is no room for that', () => {
    const calls = begun({ maxChars: 100 });
    calls.at('long', 'x'.repeat(101));
    calls.at('a', 'x'.repeat(40));
    calls.at('b', 'x'.repeat(40));
    expect(calls.at('b', 'again')).toEqual([done('x'.repeat(40))]);
    for (const key of ['long', 'a']) expect(calls.at(key, 'again')).toMatchObject([{ reason: 'server-error' }]);
    expect(calls.runs).toBe(3);
  });

  it('is refused where as many as may be remembered are under way', () => {
    const calls = begun({ maxEntries: 1 });
    calls.arrive('a', () => {});
    expect(calls.at('b', 'x')).toMatchObject([{ reason: 'overloaded' }]);
  });

  it.each([[5], [''], ['x'.repeat(201)], [null]])('is refused with a key that is none: %j', (key) => {
    const calls = begun();
    const [end] = calls.arrive(key, () => {});
    expect(end).toBeInstanceOf(RpcError);
    expect(end).toMatchObject({ reason: 'invalid-params' });
    expect(calls.runs).toBe(0);
  });

  it('gives what nobody can change afterwards', () => {
    const calls = begun();
    const own = { resultType: 'complete' as const, result: { list: [1] } };
    calls.arrive('a', (finish) => finish(own));
    own.result.list.push(2);
    expect(calls.at('a', 'x')).toEqual([{ resultType: 'complete', result: { list: [1] } }]);
  });

  it('does not begin for one who has given up while it waited', () => {
    const calls = begun();
    let ask = (_settled: CallOutcome): void => {};
    calls.arrive('a', (finish) => {
      ask = finish;
    });
    const left = { caller: { principal: undefined }, finished: false };
    const waiting = calls.arrive('a', (finish) => finish(done('for nobody')), left);
    left.finished = true;
    ask({ resultType: 'input_required', inputRequests: {}, journal: {} as never });
    expect(waiting).toMatchObject([{ reason: 'internal-error' }]);
    expect(calls.runs).toBe(1);
  });

  it('begins anew for one who waits when its run ended to ask', () => {
    const calls = begun();
    let ask = (_settled: CallOutcome): void => {};
    calls.arrive('a', (finish) => {
      ask = finish;
    });
    const waiting = calls.at('a', 'answered');
    const behind = calls.at('a', 'not run');
    expect(waiting).toEqual([]);
    ask({ resultType: 'input_required', inputRequests: {}, journal: {} as never });
    expect([waiting, behind]).toEqual([[done('answered')], [done('answered')]]);
    expect(calls.runs).toBe(2);
  });
});
