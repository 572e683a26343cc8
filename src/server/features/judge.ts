/** Asks the guard of a call whether its handler may run. Each function resolves with the error if not. */
import { type RpcError } from '../../jsonrpc/errors.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { GuardedAction, GuardedCall, GuardedFeature } from '../../ports/guard.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { Invocation } from './invocation.ts';

/** Whether the policy allows the call with these arguments, which are validated. */
export const judged = async (
  invocation: Invocation,
  guarded: GuardedCall,
  action: GuardedAction,
  features: readonly GuardedFeature[],
  args: unknown,
): Promise<RpcError | undefined> =>
  refusal(invocation, await guarded.judge(action, features, isRecord(args) ? args : {}));

/** Records the start of the call, right before the handler runs. */
export const started = async (invocation: Invocation, guarded: GuardedCall): Promise<RpcError | undefined> =>
  refusal(invocation, await guarded.start());

/** Whether the policy allows the call; if so, its start is recorded. */
export const startAllowed = async (
  ...[invocation, guarded, ...request]: Parameters<typeof judged>
): Promise<RpcError | undefined> => (await judged(invocation, guarded, ...request)) ?? started(invocation, guarded);

/** A call that was cancelled while the guard decided does not run either. */
export const refusal = (invocation: Invocation, refused: RpcError | undefined): RpcError | undefined =>
  invocation.reported(refused) ??
  (invocation.context.finished ? rpcError('internal-error', 'The call has finished') : undefined);
