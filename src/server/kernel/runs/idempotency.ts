/** Runs a tool call with an idempotency key once, however often it arrives, and at whichever node. */

import { RpcError } from '../../../jsonrpc/errors.ts';
import { digestOf } from '../../../lib/text/canonical-json.ts';
import type { Settled } from '../../../ports/call-outcome.ts';
import { isGuardRefusal } from '../../../ports/guard.ts';
import { pendingApprovalIn } from '../../../ports/pending-approval.ts';
import { shareOf } from '../../../ports/share.ts';
import { isNotStartedData } from '../../../protocol/error-data.ts';
import { isChallenge, rpcError } from '../../../protocol/errors.ts';
import { idempotencyKey } from '../../../protocol/meta-keys.ts';
import type { Done } from '../../../protocol/neutral.ts';
import type { IdempotentCalls } from '../../ports/call-limits.ts';
import type { IdempotencySettings } from '../../ports/option-settings.ts';
import { readOutcome } from './outcome-text.ts';
import { outcomeLost, storeUnavailable, tooMany } from './run-refusals.ts';
import { type EarlierRun, type SingleRunPorts, SingleRuns } from './single-runs.ts';

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
  let isWarned = false;

  /** Once. Only over HTTP a repeat can reach another process; with a store, or one in memory, its user has decided. */
  function warnOfMemory(transport: string | undefined): void {
    if (isWarned || transport !== 'tcp' || ports.store.current?.once !== undefined) return;
    isWarned = true;
    console.warn(memoryWarning);
  }

  return {
    async serve(arrival, carryOut) {
      const { call, context, target } = arrival;
      const { address, origin } = arrival.ports;
      const { principal } = context.caller;
      if (context.finished) return hasFinished();
      const key = call.meta[idempotencyKey];
      if (!isIdempotencyKey(key)) return invalidKey();
      warnOfMemory(origin.transport);
      const earlier = await new Promise<EarlierRun | undefined>((resolve) =>
        runs.serve({
          owner: principal?.key ?? '',
          share: shareOf({ principal, address }),
          key: `call ${JSON.stringify([server, key])}`,
          digest: digestOf([target, call.params.arguments ?? {}]),
          get isAbandoned() {
            return context.finished;
          },
          begin(run) {
            arrival.runOn((settled) => {
              if (isFinal(settled)) run.finish(settled);
              else void run.release();
            });
            resolve(undefined);
          },
          repeat: resolve,
        }),
      );
      if (earlier === undefined) return carryOut();
      if (earlier.kind === 'unavailable') return arrival.reported(storeUnavailable(earlier.cause));
      return answerTo(earlier, key);
    },
  };
}

/** A run that ended to request input, an approval or other credentials, or before its handler or the server behind it began, has not finished the call. */
const isFinal = (settled: Settled): settled is Done | RpcError =>
  settled instanceof RpcError
    ? !isChallenge(settled) && !isGuardRefusal(settled) && !isNotStartedData(settled.data)
    : settled.resultType === 'complete' && pendingApprovalIn(settled.result) === undefined;

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

const memoryWarning =
  "tenon: a call has an idempotency key, and the server has no store: keys are in the memory of this process. After a restart, and at another node, a repeat of the call runs again. Pass a store to serveHttp(), such as store: 'sqlite:./tenon.db'; with idempotency.durability the server is not served without one.";

const place = `_meta["${idempotencyKey}"]`;

const hasFinished = (): RpcError => rpcError('internal-error', 'The call has finished');

/** Also that of a task, which is stored as long as its result. */
export const isIdempotencyKey = (key: unknown): key is string =>
  typeof key === 'string' && key.length > 0 && key.length <= longestKey;

export const invalidKey = (): RpcError =>
  rpcError('invalid-params', `${place} must be a string of 1 to ${longestKey} characters`);

const otherCall = (key: string): RpcError =>
  rpcError('invalid-params', `${place} was used with another tool or other arguments. Use a new key.`, { key });

const resultDropped = (): RpcError =>
  rpcError('server-error', 'The call ran before, and its result is no longer stored. Use a new key to run it again.');
