/** Runs a tool call with an idempotency key once, however often it arrives. */

import { RpcError } from '../../jsonrpc/errors.ts';
import { digestOf } from '../../protocol/canonical-json.ts';
import { isChallenge, rpcError } from '../../protocol/errors.ts';
import { idempotencyKey } from '../../protocol/meta-keys.ts';
import type { Done } from '../../protocol/neutral.ts';
import type { IdempotentCalls, KeyedCall } from '../ports/call-limits.ts';
import type { CallOutcome } from '../ports/call-outcome.ts';
import { charsOf, dropped, readOutcome, type StoredOutcome, storedOutcome } from './stored-outcome.ts';

/** How calls with an idempotency key are stored, so that each runs once. */
export interface IdempotencyOptions {
  /** How long a call is stored after it has finished; one hour by default. */
  readonly ttlMs?: number;
  /** How many calls are stored; 10 000 by default. Beyond it the oldest are dropped. */
  readonly maxEntries?: number;
  /** How many characters of results are stored; 16 million by default. Beyond it the oldest results are dropped; a repeat of such a call fails. */
  readonly maxChars?: number;
}

/** A call that runs, and its duplicates that wait for the result. */
interface Running {
  readonly digest: string;
  readonly waiting: Array<{ readonly arrival: KeyedCall; readonly carryOut: () => void }>;
}

interface Finished {
  readonly digest: string;
  readonly until: number;
  outcome: StoredOutcome;
}

const longestKey = 200;

/** `now` is a monotonic clock in milliseconds. */
export function createIdempotentCalls(options: IdempotencyOptions, now: () => number): IdempotentCalls {
  const { ttlMs = 60 * 60_000, maxEntries = 10_000, maxChars = 16_000_000 } = options;
  const running = new Map<string, Running>();
  /** In the order in which they finished. */
  const finished = new Map<string, Finished>();
  let storedChars = 0;

  function release(entry: Finished): void {
    storedChars -= charsOf(entry.outcome);
    entry.outcome = dropped;
  }

  function forget(name: string, entry: Finished): void {
    release(entry);
    finished.delete(name);
  }

  /** Deletes expired calls, and the oldest if needed; returns whether there is room for one more. */
  function hasRoom(): boolean {
    const moment = now();
    for (const [name, entry] of finished) {
      if (entry.until > moment && running.size + finished.size < maxEntries) break;
      forget(name, entry);
    }
    return running.size + finished.size < maxEntries;
  }

  function remember(name: string, digest: string, settled: Done | RpcError): void {
    const outcome = storedOutcome(settled, maxChars);
    finished.set(name, { digest, until: now() + ttlMs, outcome });
    storedChars += charsOf(outcome);
    for (const entry of finished.values()) {
      if (storedChars <= maxChars) break;
      release(entry);
    }
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
      remember(name, digest, settled);
      for (const one of call.waiting) repeat(one.arrival, finished.get(name));
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
    const earlier = finished.get(name);
    if (earlier === undefined || earlier.until <= now()) return begin(name, digest, arrival, carryOut);
    if (earlier.digest !== digest) return arrival.finish(otherCall(key));
    repeat(arrival, earlier);
  }

  return { serve };
}

/** A run that ended to request input, or other credentials, has not finished the call. */
const isFinal = (settled: CallOutcome | RpcError): settled is Done | RpcError =>
  settled instanceof RpcError ? !isChallenge(settled) : settled.resultType === 'complete';

/** Answers a duplicate with the outcome of the first call. */
function repeat(arrival: KeyedCall, earlier: Finished | undefined): void {
  arrival.finish(readOutcome(earlier?.outcome ?? dropped) ?? resultDropped());
}

const place = `_meta["${idempotencyKey}"]`;

const badKey = (): RpcError => rpcError('invalid-params', `${place} must be a string of 1 to ${longestKey} characters`);

const otherCall = (key: string): RpcError =>
  rpcError('invalid-params', `${place} was used with another tool or other arguments. Use a new key.`, { key });

const resultDropped = (): RpcError =>
  rpcError('server-error', 'The call ran before, and its result is no longer stored. Use a new key to run it again.');
