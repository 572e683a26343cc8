/** Runs a tool call with an idempotency key once, however often it arrives. */

import { RpcError } from '../../jsonrpc/errors.ts';
import { digestOf } from '../../protocol/canonical-json.ts';
import { isChallenge, rpcError } from '../../protocol/errors.ts';
import { idempotencyKey } from '../../protocol/meta-keys.ts';
import type { Done } from '../../protocol/neutral.ts';
import type { IdempotentCalls, KeyedCall } from '../ports/call-limits.ts';
import type { CallOutcome } from '../ports/call-outcome.ts';
import { isGuardRefusal } from '../ports/guard.ts';
import { type FinishedCall, FinishedCalls } from './finished-calls.ts';

/** How calls with an idempotency key are stored, so that each runs once. */
export interface IdempotencyOptions {
  /** How long a call is stored after it has finished; one hour by default. */
  readonly ttlMs?: number;
  /** How many calls are stored; 10 000 by default. Beyond it the oldest are dropped. */
  readonly maxEntries?: number;
  /** How many characters of results are stored; 16 million by default. Beyond it the oldest results are dropped; a repeat of such a call fails. */
  readonly maxChars?: number;
  /** What the store must survive, so that no key is forgotten: with less the server is not served (`store-not-durable`). Default: any store will do. */
  readonly durability?: 'process' | 'disk';
}

/** A call that runs, and its duplicates that wait for the result. */
interface Running {
  readonly digest: string;
  readonly waiting: Array<{ readonly arrival: KeyedCall; readonly carryOut: () => void }>;
}

const longestKey = 200;

/** `now` is a monotonic clock in milliseconds. */
export function createIdempotentCalls(options: IdempotencyOptions, now: () => number): IdempotentCalls {
  const { ttlMs = 60 * 60_000, maxEntries = 10_000, maxChars = 16_000_000 } = options;
  const running = new Map<string, Running>();
  const finished = new FinishedCalls({ ttlMs, maxChars }, now);

  /** Deletes expired calls, and the oldest if needed; returns whether there is room for one more. */
  function hasRoom(): boolean {
    const isFull = (): boolean => running.size + finished.size >= maxEntries;
    finished.deleteExpired();
    while (isFull() && finished.deleteOldest());
    return !isFull();
  }

  function begin(name: string, digest: string, arrival: KeyedCall, carryOut: () => void): void {
    if (!hasRoom())
      return arrival.finish(
        rpcError('overloaded', 'Too many calls with idempotency keys are running. Try again later.'),
      );
    const call: Running = { digest, waiting: [] };
    running.set(name, call);
    arrival.runOn((settled) => {
      if (running.get(name) !== call) return;
      running.delete(name);
      // The duplicates run it again, with their own requests or credentials.
      if (!isFinal(settled)) {
        for (const one of call.waiting) serve(one.arrival, one.carryOut);
        return;
      }
      finished.add(name, digest, settled);
      for (const one of call.waiting) repeat(one.arrival, finished.find(name));
    });
    carryOut();
  }

  function serve(arrival: KeyedCall, carryOut: () => void): void {
    const { call, context, target } = arrival;
    if (context.finished) return arrival.finish(rpcError('internal-error', 'The call has finished'));
    const key = call.meta[idempotencyKey];
    if (typeof key !== 'string' || key.length === 0 || key.length > longestKey) return arrival.finish(badKey());
    const name = JSON.stringify([context.caller.principal?.key ?? null, key]);
    const digest = digestOf([target, call.params.arguments ?? {}]);
    const current = running.get(name);
    if (current !== undefined) {
      if (current.digest !== digest) return arrival.finish(otherCall(key));
      current.waiting.push({ arrival, carryOut });
      return;
    }
    const earlier = finished.find(name);
    if (earlier === undefined) return begin(name, digest, arrival, carryOut);
    if (earlier.digest !== digest) return arrival.finish(otherCall(key));
    repeat(arrival, earlier);
  }

  return { serve };
}

/** A run that ended to request input, or other credentials, or before its handler, has not finished the call. */
const isFinal = (settled: CallOutcome | RpcError): settled is Done | RpcError =>
  settled instanceof RpcError ? !isChallenge(settled) && !isGuardRefusal(settled) : settled.resultType === 'complete';

/** Answers a duplicate with the outcome of the first call. */
function repeat(arrival: KeyedCall, earlier: FinishedCall | undefined): void {
  arrival.finish(earlier?.outcome() ?? resultDropped());
}

const place = `_meta["${idempotencyKey}"]`;

const badKey = (): RpcError => rpcError('invalid-params', `${place} must be a string of 1 to ${longestKey} characters`);

const otherCall = (key: string): RpcError =>
  rpcError('invalid-params', `${place} was used with another tool or other arguments. Use a new key.`, { key });

const resultDropped = (): RpcError =>
  rpcError('server-error', 'The call ran before, and its result is no longer stored. Use a new key to run it again.');
