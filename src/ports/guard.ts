/** The guard of a server: decides which features a caller sees and uses, and how often, and records it. `guard()` of `tenon/guard` makes one. */
import type { RpcError } from '../jsonrpc/errors.ts';
import { isRecord } from '../lib/values/is.ts';
import type { MaybePromise } from '../lib/values/maybe-promise.ts';
import { isNotStartedData } from '../protocol/error-data.ts';
import type { Done } from '../protocol/neutral.ts';
import type { Store } from '../store/store.ts';
import type { ApprovableCall } from './approvable-call.ts';
import type { CallOutcome } from './call-outcome.ts';
import type { Principal } from './principal.ts';

/** Who calls. */
export interface GuardedCaller {
  /** Who has sent the request, if it is known. */
  readonly principal: Principal | undefined;
  /** The IP address of the client; empty if it is not known, absent if the transport has none. */
  readonly address?: string | undefined;
}

/** One feature of a server: by the exact name that it is registered under. */
export interface GuardedFeature {
  /** The name of a tool. */
  readonly tool?: string;
  /** The URI of a resource. */
  readonly resource?: string;
  /** A URI template; with `resource`, the one that the resource is read through. */
  readonly template?: string;
  /** The name of a prompt. */
  readonly prompt?: string;
}

/** What a caller does with a feature; `sample` and `elicit` are requests that its handler sends to the caller. */
export type GuardedAction = 'call' | 'read' | 'get' | 'complete' | 'subscribe' | 'sample' | 'elicit';

/** A call that arrives. */
export interface GuardedRequest {
  /** Who calls. */
  readonly caller: GuardedCaller;
  /** The method, such as `tools/call`. */
  readonly method: string;
  /** The tool, prompt or URI, as the client sent it; it need not exist. */
  readonly target: string;
  /** Names the call, in all its rounds. */
  readonly callId: string;
  /** How often the call has requested input so far. */
  readonly round: number;
  /** The arguments as the client sent them. */
  readonly arguments: unknown;
  /** The task that this is a run of, or that the request is about. */
  readonly task?: GuardedTask | undefined;
}

/** A task, as a guard records it. */
export interface GuardedTask {
  /** Its ID. */
  readonly id: string;
  /** Counts the attempts to run it, from 1. Absent for a request about the task. */
  readonly attempt?: number;
}

/** The guard of one run of a call. Each method returns why the call ends here, or nothing. */
export interface GuardedCall {
  /** Whether a feature exists for the caller. */
  sees(feature: GuardedFeature): boolean;
  /** Called before middleware and look-up. `tool` is the one that the call names, if the caller sees it. */
  admit(tool: string | undefined): MaybePromise<RpcError | undefined>;
  /**
   * The call names a feature that its caller may not see, or that does not exist (`isUnknown`). The client gets the same
   * answer for both, and waits for both.
   */
  hidden(feature: GuardedFeature, isUnknown?: boolean): MaybePromise<void>;
  /** Decides about a call with validated arguments. */
  judge(
    action: GuardedAction,
    features: readonly GuardedFeature[],
    args: Readonly<Record<string, unknown>>,
  ): MaybePromise<RpcError | undefined>;
  /** Decides about a request about a task: it needs the permission to call the tool, with any arguments. */
  judgeTask(feature: GuardedFeature): MaybePromise<RpcError | undefined>;
  /** Whether the call of a tool that `judge` has let pass needs an approval. Absent in a guard without approvals. */
  readonly needsApproval?: boolean;
  /**
   * Called before the handler of such a call runs, in each of its runs. Resolves when the approval was used for this
   * call, or with what the call ends with instead.
   */
  readonly approve?: (call: ApprovableCall) => Promise<RpcError | Done | undefined>;
  /** Called right before the handler runs; not for a repeat that gets the result of an earlier call. */
  start(): MaybePromise<RpcError | undefined>;
  /** Called before the handler sends a request to its caller. */
  judgeRequest(action: 'sample' | 'elicit'): RpcError | undefined;
  /** The call is answered with its task, and goes on as a run of it. */
  announced(task: GuardedTask): void;
  /** Called before the answer is sent, or before the outcome of the run is stored. A returned error is sent instead. */
  settle(outcome: CallOutcome | RpcError): MaybePromise<RpcError | undefined>;
}

/** Guards a server: the option `guard` of `createServer`. */
export interface ServerGuard {
  /** Whether a feature exists for a caller. */
  sees(caller: GuardedCaller, feature: GuardedFeature): boolean;
  /** Whether a caller that subscribed to a resource is notified of its changes. */
  notifies(caller: GuardedCaller, feature: GuardedFeature): boolean;
  /** Whether a caller that follows a task of a tool is notified of it. */
  notifiesOfTask(caller: GuardedCaller, feature: GuardedFeature): boolean;
  /** One run of a call begins. */
  begin(request: GuardedRequest): GuardedCall;
  /** A request was refused before a call began: without a principal, or with an ID or a state that is not the caller's. */
  countRefusal(address: string | undefined, reason: string): void;
  /** Calls back when permissions may have changed. Returns a function that stops it. */
  onChange(listener: () => void): () => void;
  /**
   * Finds permissions and limits for features that the server does not have. Called when the server is created, where it
   * may throw, and after each change of the permissions. Returns a warning.
   */
  readonly checkNames?: (
    features: {
      /** The names of its tools. */
      readonly tool: readonly string[];
      /** The URIs of its resources. */
      readonly resource: readonly string[];
      /** Its URI templates. */
      readonly template: readonly string[];
      /** The names of its prompts. */
      readonly prompt: readonly string[];
      /** Whether a URI is that of a resource, or matches a template. */
      isResource(uri: string): boolean;
    },
    isChange: boolean,
  ) => Error | undefined;
  /**
   * Called when the server is served to principals, with the issuers that are trusted, if they are known. Throws if a
   * permission does not distinguish users of several; returns a warning if there may be several.
   */
  readonly checkIssuers?: (issuers: readonly string[]) => Error | undefined;
  /** Called when the server is served with a store. Returns a function that is called when that ends. */
  readonly useStore?: (store: Store) => () => void;
}

/** The names of all features of a server. */
export type NamedFeatures = Parameters<NonNullable<ServerGuard['checkNames']>>[0];

/** Whether a guard refused a call before its handler ran, so that it can be sent again. */
export const isGuardRefusal = ({ reason, data }: RpcError): boolean =>
  isNotStartedData(data) || (reason === 'permission-denied' && isRecord(data) && 'decisionId' in data);
