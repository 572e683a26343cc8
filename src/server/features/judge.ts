/** Asks the guard of a call whether its handler may run. */
import { type RpcError } from '../../jsonrpc/errors.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { MaybePromise } from '../../lib/values/maybe-promise.ts';
import type { GuardedAction, GuardedCall, GuardedFeature } from '../../ports/guard.ts';
import { rpcError } from '../../protocol/errors.ts';
import { type Invocation, whenSettled } from './invocation.ts';

/** Calls `proceed` if the policy allows the call with these arguments, which are validated. */
export const allowed = (
  invocation: Invocation,
  guarded: GuardedCall,
  action: GuardedAction,
  features: readonly GuardedFeature[],
  args: unknown,
  proceed: () => void,
): void => unlessRefused(invocation, () => guarded.judge(action, features, isRecord(args) ? args : {}), proceed);

/** Calls `handle`, which runs the handler, once the start of the call is recorded. */
export const started = (invocation: Invocation, guarded: GuardedCall, handle: () => void): void =>
  unlessRefused(invocation, () => guarded.start(), handle);

/** Calls `handle` if the policy allows the call, once its start is recorded. */
export const startAllowed = (
  ...[invocation, guarded, action, features, args, handle]: Parameters<typeof allowed>
): void => allowed(invocation, guarded, action, features, args, () => started(invocation, guarded, handle));

function unlessRefused(
  invocation: Invocation,
  ask: () => MaybePromise<RpcError | undefined>,
  proceed: () => void,
): void {
  whenSettled(
    ask,
    (refused) => {
      if (refused !== undefined) invocation.refuse(refused);
      // Cancelled while a record was written.
      else if (invocation.context.finished) invocation.finish(rpcError('internal-error', 'The call has finished'));
      else proceed();
    },
    (error) => invocation.fail(error),
  );
}
