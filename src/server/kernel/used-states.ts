/** Request states of finished calls: a repeat gets the stored outcome or an error, and its handler does not run again. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { Done } from '../../protocol/neutral.ts';
import type { MaybePromise } from '../../store/maybe-promise.ts';
import { FinishedCalls } from './finished-calls.ts';

/** In memory of this process. A store that nodes share can implement it too. */
export interface UsedStates {
  /**
   * Claims a call for one run. `digest` distinguishes requests that continue the same call. While an equal request runs,
   * its outcome is awaited.
   */
  claim(callId: string, digest: string): MaybePromise<StateClaim>;
}

export type StateClaim = StateUse | { readonly kind: 'used'; readonly outcome: Done | RpcError };

/** The one run of a call. Ends with one of the two. */
export interface StateUse {
  readonly kind: 'free';
  /** The call has finished: its states are used up. */
  finish(outcome: Done | RpcError): void;
  /** The call requires more input, or its handler did not run. */
  release(): void;
}

export interface UsedStateLimits {
  /** After this time, every state of a finished call has expired. */
  readonly ttlMs: number;
  readonly maxUsed: number;
  readonly maxResultChars: number;
}

interface Running {
  readonly digest: string;
  readonly waiting: Array<() => void>;
}

/** `now` is a monotonic clock in milliseconds. */
export function createUsedStates({ ttlMs, maxUsed, maxResultChars }: UsedStateLimits, now: () => number): UsedStates {
  const running = new Map<string, Running>();
  const finished = new FinishedCalls({ ttlMs, maxChars: maxResultChars }, now);

  /** Only expired calls make room: forgetting another would let its state be used again. */
  function hasRoom(): boolean {
    finished.deleteExpired();
    return running.size + finished.size < maxUsed;
  }

  function begin(callId: string, digest: string): StateUse {
    const run: Running = { digest, waiting: [] };
    running.set(callId, run);
    const end = (): void => {
      running.delete(callId);
      for (const wake of run.waiting) wake();
    };
    return {
      kind: 'free',
      finish(outcome) {
        finished.add(callId, digest, outcome);
        end();
      },
      release: end,
    };
  }

  function claim(callId: string, digest: string): MaybePromise<StateClaim> {
    const run = running.get(callId);
    if (run !== undefined) {
      if (run.digest !== digest) return { kind: 'used', outcome: stateUsed() };
      return new Promise((resolve) => run.waiting.push(() => resolve(claim(callId, digest))));
    }
    const earlier = finished.find(callId);
    if (earlier !== undefined) {
      const outcome = earlier.digest === digest ? earlier.outcome() : undefined;
      return { kind: 'used', outcome: outcome ?? stateUsed() };
    }
    return hasRoom() ? begin(callId, digest) : { kind: 'used', outcome: tooMany() };
  }

  return { claim };
}

/** The client can only start the call again. */
export const stateUsed = (): RpcError =>
  rpcError('invalid-params', 'requestState was used before: its call runs or has finished', { requestState: 'used' });

const tooMany = (): RpcError =>
  rpcError('overloaded', 'Too many calls that required input have finished lately. Try again later.');
