/** Request states of finished calls: a repeat gets the stored outcome or an error, and its handler does not run again. */
import type { RpcError } from '../../../jsonrpc/errors.ts';
import type { MaybePromise } from '../../../lib/values/maybe-promise.ts';
import { rpcError } from '../../../protocol/errors.ts';
import type { Done } from '../../../protocol/neutral.ts';
import { readOutcome } from './outcome-text.ts';
import { outcomeLost, storeUnavailable, tooMany } from './run-refusals.ts';
import { type EarlierRun, type SingleRunPorts, SingleRuns } from './single-runs.ts';

export interface UsedStates {
  /** Claims a call for one run. While an equal request runs, at any node, its outcome is awaited. */
  claim(round: ClaimedRound): MaybePromise<StateClaim>;
}

/** A request that continues a call. */
export interface ClaimedRound {
  readonly callId: string;
  /** Distinguishes requests that continue the same call. */
  readonly digest: string;
  /** The key of the principal; empty without one. */
  readonly owner: string;
  /** Whose share it counts for without a principal, if it has to share. */
  readonly share: string | undefined;
  /** Aborts when the caller no longer waits. */
  readonly signal: AbortSignal;
}

export type StateClaim = StateUse | { readonly kind: 'used'; readonly outcome: Done | RpcError };

/** The one run of a call. Ends with one of the two. */
export interface StateUse {
  readonly kind: 'free';
  /** The call has finished: its states are used up. */
  finish(outcome: Done | RpcError): void;
  /** The call requires more input, or its handler did not run. Resolves when its next round can begin at any node. */
  release(): MaybePromise<void>;
}

export interface UsedStateLimits {
  /** After this time, every state of a finished call has expired. */
  readonly ttlMs: number;
  readonly maxUsed: number;
  readonly maxResultChars: number;
}

export function createUsedStates(
  { ttlMs, maxUsed, maxResultChars }: UsedStateLimits,
  ports: SingleRunPorts,
): UsedStates {
  const runs = new SingleRuns({ ttlMs, maxKeys: maxUsed, maxChars: maxResultChars }, ports);
  return {
    claim({ callId, digest, owner, share, signal }) {
      let claim: StateClaim | undefined;
      let resolve = (one: StateClaim): void => void (claim = one);
      runs.serve({
        owner,
        share,
        key: `state ${callId}`,
        digest,
        get isAbandoned() {
          return signal.aborted;
        },
        begin: ({ finish, release }) => resolve({ kind: 'free', finish, release }),
        repeat: (earlier) => resolve({ kind: 'used', outcome: answerTo(earlier) }),
      });
      return claim ?? new Promise((settle) => (resolve = settle));
    },
  };
}

function answerTo(earlier: EarlierRun): Done | RpcError {
  switch (earlier.kind) {
    case 'ended':
      return earlier.text === undefined ? stateUsed() : readOutcome(earlier.text);
    case 'unknown':
      return outcomeLost();
    case 'full':
      return tooMany('Too many calls that required input have finished lately.');
    case 'unavailable':
      return storeUnavailable(earlier.cause);
    case 'other':
    case 'abandoned':
      return stateUsed();
  }
}

/** The client can only start the call again. */
export const stateUsed = (): RpcError =>
  rpcError('invalid-params', 'requestState was used before: its call runs or has finished', { requestState: 'used' });
