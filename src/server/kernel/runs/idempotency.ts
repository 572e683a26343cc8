/** Runs a tool call with an idempotency key once, however often it arrives, and at whichever node. */

import { RpcError } from '../../../jsonrpc/errors.ts';
import { digestOf } from '../../../lib/text/canonical-json.ts';
import type { CallOutcome } from '../../../ports/call-outcome.ts';
import { isGuardRefusal } from '../../../ports/guard.ts';
import { isChallenge, rpcError } from '../../../protocol/errors.ts';
import { idempotencyKey } from '../../../protocol/meta-keys.ts';
import type { Done } from '../../../protocol/neutral.ts';
import type { IdempotentCalls, KeyedCall } from '../../ports/call-limits.ts';
import type { IdempotencySettings } from '../../ports/option-settings.ts';
import { readOutcome } from './outcome-text.ts';
import { outcomeLost, storeUnavailable, tooMany } from './run-refusals.ts';
import { type EarlierRun, type RunRequest, type SingleRun, type SingleRunPorts, SingleRuns } from './single-runs.ts';

/**
 * Characters of an idempotency key.
 * @limit server
 * @beyond the call is rejected
 * @code invalid-params
 */
const longestKey = 200;

/** `server` is its name: several servers may share a store. */
export function createIdempotentCalls(
  { ttlMs, maxEntries, maxChars }: IdempotencySettings,
  server: string,
  ports: SingleRunPorts,
): IdempotentCalls {
  const runs = new SingleRuns({ ttlMs, maxKeys: maxEntries, maxChars }, ports);
  return {
    serve(arrival, carryOut) {
      const { call, context } = arrival;
      if (context.finished) return arrival.finish(hasFinished());
      const key = call.meta[idempotencyKey];
      if (typeof key !== 'string' || key.length === 0 || key.length > longestKey) return arrival.finish(badKey());
      runs.serve(new KeyedRequest(arrival, carryOut, server, key));
    },
  };
}

class KeyedRequest implements RunRequest {
  readonly owner: string;
  readonly key: string;
  readonly digest: string;
  readonly #idempotencyKey: string;
  readonly #arrival: KeyedCall;
  readonly #carryOut: () => void;

  constructor(arrival: KeyedCall, carryOut: () => void, server: string, key: string) {
    this.owner = arrival.context.caller.principal?.key ?? '';
    this.key = `call ${JSON.stringify([server, key])}`;
    this.#idempotencyKey = key;
    this.digest = digestOf([arrival.target, arrival.call.params.arguments ?? {}]);
    this.#arrival = arrival;
    this.#carryOut = carryOut;
  }

  get isAbandoned(): boolean {
    return this.#arrival.context.finished;
  }

  begin(run: SingleRun): void {
    const arrival = this.#arrival;
    arrival.runOn((settled) => {
      if (isFinal(settled)) run.finish(settled);
      else void run.release();
    });
    try {
      this.#carryOut();
    } catch (error) {
      arrival.fail(error);
    }
  }

  repeat(earlier: EarlierRun): void {
    if (earlier.kind === 'unavailable') this.#arrival.refuse(storeUnavailable(earlier.cause));
    else this.#arrival.finish(answerTo(earlier, this.#idempotencyKey));
  }
}

/** A run that ended to request input, or other credentials, or before its handler, has not finished the call. */
const isFinal = (settled: CallOutcome | RpcError): settled is Done | RpcError =>
  settled instanceof RpcError ? !isChallenge(settled) && !isGuardRefusal(settled) : settled.resultType === 'complete';

function answerTo(earlier: Exclude<EarlierRun, { kind: 'unavailable' }>, key: string): Done | RpcError {
  switch (earlier.kind) {
    case 'ended':
      return earlier.text === undefined ? resultDropped() : readOutcome(earlier.text);
    case 'other':
      return otherCall(key);
    case 'unknown':
      return outcomeLost();
    case 'full':
      return tooMany('Too many calls with idempotency keys are stored.');
    case 'abandoned':
      return hasFinished();
  }
}

const place = `_meta["${idempotencyKey}"]`;

const hasFinished = (): RpcError => rpcError('internal-error', 'The call has finished');

const badKey = (): RpcError => rpcError('invalid-params', `${place} must be a string of 1 to ${longestKey} characters`);

const otherCall = (key: string): RpcError =>
  rpcError('invalid-params', `${place} was used with another tool or other arguments. Use a new key.`, { key });

const resultDropped = (): RpcError =>
  rpcError('server-error', 'The call ran before, and its result is no longer stored. Use a new key to run it again.');
