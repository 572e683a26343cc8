/** Asks the guard of a call whether its handler may run. Each function returns the error if not. */
import { type RpcError } from '../../jsonrpc/errors.ts';
import { isRecord } from '../../lib/values/is.ts';
import { type MaybePromise, mapped } from '../../lib/values/maybe-promise.ts';
import type { GuardedAction, GuardedCall, GuardedFeature } from '../../ports/guard.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { Invocation } from './invocation.ts';

/** Whether the policy allows the call with these arguments, which are validated. */
export const judged = (
  invocation: Invocation,
  guarded: GuardedCall,
  action: GuardedAction,
  features: readonly GuardedFeature[],
  args: unknown,
): MaybePromise<RpcError | undefined> =>
  decided(invocation, guarded.judge(action, features, isRecord(args) ? args : {}));

/** Records the start of the call, right before the handler runs. */
export const started = (invocation: Invocation, guarded: GuardedCall): MaybePromise<RpcError | undefined> =>
  decided(invocation, guarded.start());

/** Whether the policy allows the call; if so, its start is recorded. */
export const startAllowed = (
  ...[invocation, guarded, ...request]: Parameters<typeof judged>
): MaybePromise<RpcError | undefined> =>
  mapped(judged(invocation, guarded, ...request), (refused) => refused ?? started(invocation, guarded));

/** Without a promise where the guard has decided at once: promises cost throughput. */
const decided = (
  invocation: Invocation,
  refused: MaybePromise<RpcError | undefined>,
): MaybePromise<RpcError | undefined> => mapped(refused, (error) => refusal(invocation, error));

/** A call that was cancelled while the guard decided does not run either. */
export const refusal = (invocation: Invocation, refused: RpcError | undefined): RpcError | undefined =>
  invocation.reported(refused) ??
  (invocation.context.finished ? rpcError('internal-error', 'The call has finished') : undefined);
