/** Features that differ between callers, and the calls of those that are elsewhere. Internal: `tenon/official` has a source. */
import { RpcError } from '../../jsonrpc/errors.ts';
import { isPromiseLike } from '../../lib/values/is.ts';
import { type MaybePromise, mapped } from '../../lib/values/maybe-promise.ts';
import type { SubscriptionFilter } from '../../protocol/generated/types/records.ts';
import type { Incoming } from '../../protocol/neutral.ts';
import type { Store } from '../../store/store.ts';
import type { CallLimits } from '../ports/call-limits.ts';
import type { SourceCaller } from '../ports/source-caller.ts';
import type { ChangeReceiver } from '../ports/source-session.ts';
import { failedRequest } from '../ports/target.ts';
import type { Registry } from '../registry/registry.ts';

export interface FeatureSource {
  /**
   * Called before anything is looked up for a call, `initialize` and `server/discover` included: loads what it needs, may
   * change it, or refuses it. Returns no promise if there is nothing to load.
   */
  prepare(caller: SourceCaller, call: Incoming): MaybePromise<Incoming | RpcError>;
  /** The features of a caller, as they were loaded last. */
  registryFor(caller: SourceCaller): Registry;
  /**
   * Called before a session subscribes to a resource, unsubscribes, or sets its log level. An error refuses the call.
   */
  sessionChanges(caller: SourceCaller, call: Incoming): MaybePromise<RpcError | undefined>;
  /** A subscription of a caller without a session begins, or is refused with an error. `receiver` gets its changes. */
  listen(
    caller: SourceCaller,
    filter: SubscriptionFilter,
    receiver: ChangeReceiver,
  ): MaybePromise<SourceSubscription | RpcError>;
  /** The roots of the client of a session have changed. */
  rootsChanged(caller: SourceCaller): void;
  /** A call whose run has ended to request input does not continue. */
  abandoned(callId: string, reason: unknown): void;
  /** Set if calls of its tools may run as tasks. */
  readonly tasks?: SourceTasks;
  /** Receives the store of the server. Returns a function that is called when the server no longer uses it. */
  readonly useStore?: (store: Store) => () => void;
}

/** The tasks of a source: its tools are not those of the definition. */
export interface SourceTasks {
  /** The kinds of tasks that this process can run. */
  kinds(): readonly string[];
  /** Whether it has shown a tool that runs as a task. */
  isOffered(): boolean;
  /** Whether it runs a task, or waits for the answers of its caller. */
  has(taskId: string): boolean;
  /** A task that it has is over, whether or not its run has ended so. */
  ended(taskId: string): void;
}

/** A subscription at a source. */
export interface SourceSubscription {
  /** The resources that it follows, of those in the filter. */
  readonly resources: readonly string[];
  close(): void;
}

/** Prepares a call. What the source throws is reported, and refuses the call. */
export function prepareCall(
  { failed }: Pick<CallLimits, 'failed'>,
  source: FeatureSource,
  caller: SourceCaller,
  call: Incoming,
): MaybePromise<Incoming | RpcError> {
  try {
    const prepared = source.prepare(caller, call);
    if (!isPromiseLike(prepared)) return prepared;
    return prepared.then(undefined, (error: unknown) => refusal(failed, call, error));
  } catch (error) {
    return refusal(failed, call, error);
  }
}

function refusal(failed: CallLimits['failed'], call: Incoming, error: unknown): RpcError {
  if (!RpcError.isOwn(error)) failed(error, failedRequest(call));
  return RpcError.from(error);
}

/** The features of a caller that introduces itself: the capabilities that it gets depend on them. */
export const preparedRegistry = (
  limits: Pick<CallLimits, 'failed'>,
  source: FeatureSource,
  caller: SourceCaller,
  call: Incoming,
): MaybePromise<Registry | RpcError> =>
  mapped(prepareCall(limits, source, caller, call), (prepared) =>
    prepared instanceof RpcError ? prepared : source.registryFor(caller),
  );

const key: unique symbol = Symbol('tenon.featureSource');

/** To be spread into the options of `createServer()`. Not an option that users see. */
export const withSource = (source: FeatureSource): object => ({ [key]: source });

/** The source in options, if there is one. */
export const sourceIn = (options: object): FeatureSource | undefined => (options as { [key]?: FeatureSource })[key];
