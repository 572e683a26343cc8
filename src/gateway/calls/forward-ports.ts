/** What every way of passing a call on needs: its connection, its options, and the calls that wait for their callers. */
import type { RoundOptions } from '../../client/api/client.ts';
import type { ForwardedCall } from '../../forwarding/forwarded-call.ts';
import type { ParkedCalls } from '../../forwarding/parked-calls.ts';
import type { Fields } from '../../lib/values/is.ts';
import type { MaybePromise } from '../../lib/values/maybe-promise.ts';
import type { Invocation } from '../../server/features/invocation.ts';
import type { SourceCaller } from '../../server/ports/source-caller.ts';
import type { Uris } from '../catalogue/uris.ts';
import type { UpstreamConnection } from '../connections/connection.ts';
import type { Lease } from '../connections/pool-ports.ts';
import type { OtherNodes } from '../nodes/other-nodes.ts';
import { forwardedMeta, repeatOf, upstreamKey } from './call-identity.ts';
import type { HeldRound } from './held-round.ts';
import type { RequiredAccounts } from './required-accounts.ts';
import type { UpstreamTasks } from './upstream-tasks.ts';

/** What calls of one upstream need. */
export interface ForwardPorts {
  readonly upstream: string;
  readonly uris: Uris;
  /** Whether a URI of the upstream is not for callers. */
  hides(uri: string): boolean;
  /** How long a call waits without a message of the upstream. */
  readonly callMs: number;
  /** Whether the gateway has spans of its own. */
  readonly isTraced: boolean;
  readonly parked: ParkedCalls<ForwardedCall>;
  /** Processes that have asked a caller, and get its answers. */
  readonly held: ParkedCalls<HeldRound>;
  /** Those that run as tasks of the upstream. */
  readonly tasks: UpstreamTasks;
  readonly required: RequiredAccounts;
  /** Those that other nodes have. */
  readonly others: OtherNodes;
  lend(caller: SourceCaller): MaybePromise<Lease>;
  dropped(method: string, reason: string): void;
  /** The cause of the error that a caller gets. */
  failed(error: unknown): void;
}

/** The open call of an earlier round, or of the call that this one repeats. */
export function parkedCall({ parked, upstream }: ForwardPorts, invocation: Invocation): ForwardedCall | undefined {
  const { context, resumption } = invocation;
  if (resumption !== undefined) return parked.take(context.callId);
  const repeat = repeatOf(invocation, upstream);
  return repeat === undefined ? undefined : parked.takeRepeat(repeat);
}

/** Rejects, and gives the connection back, unless what the call names was approved. */
export async function checked({ connection, release }: Lease, method: string, params: Fields): Promise<void> {
  try {
    await connection.lock?.check(method, params);
  } catch (error) {
    release();
    throw error;
  }
}

export function optionsOf(
  { callMs, isTraced }: ForwardPorts,
  invocation: Invocation,
  { isExchange }: UpstreamConnection,
): RoundOptions {
  const { call, caller } = invocation;
  const meta = forwardedMeta(call.meta, isTraced);
  const key = upstreamKey(invocation);
  const { logLevel } = caller;
  return {
    timeoutMs: callMs,
    ...(meta && { meta }),
    ...(key !== undefined && { idempotencyKey: key }),
    ...(isExchange && logLevel !== undefined && { logLevel }),
    // What may have run is not sent again; a task would outlive the call.
    ...(call.method === 'tools/call' && { retryable: false, task: false }),
  };
}
