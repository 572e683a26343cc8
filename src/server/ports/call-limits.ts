/** The limits of every call of one server, whatever connection it comes by. */

import type { Deadlines } from '../../jsonrpc/deadlines.ts';
import type { RpcError } from '../../jsonrpc/errors.ts';
import type { Incoming } from '../../protocol/neutral.ts';
import type { CallOutcome } from './call-outcome.ts';

/** The limits of a server. */
export interface ServerLimits {
  /** How many calls of one connection may run at once; 1000 by default. More get `overloaded`. */
  readonly maxConcurrentCalls?: number;
  /** How often one call may request input from the client; 16 by default. Then the call fails. */
  readonly maxInputRounds?: number;
}

export interface CallLimits {
  readonly deadlines: Deadlines;
  /** How long a call may take, unless its own definition sets it. */
  readonly timeoutMs: number | undefined;
  /** How often one call may ask. */
  readonly maxInputRounds: number;
  /** Has calls that name an idempotency key carried out once; absent where keys are ignored. */
  readonly idempotency: IdempotentCalls | undefined;
  /** Receives what a handler threw and no peer may see. */
  failed(error: unknown, call: ErrorContext): void;
}

/** The call that an error belongs to, as `onError` gets it. */
export interface ErrorContext {
  /** The method, such as `tools/call`; empty where the error belongs to no call. */
  readonly method: string;
  /** The tool, prompt or URI that was called. */
  readonly target: string;
  /** The id of the HTTP request that brought it, where one did. */
  readonly requestId?: string;
}

/** One arrival of a call, as far as it matters here. */
export interface KeyedCall {
  readonly call: Incoming;
  readonly target: string;
  readonly context: { readonly caller: { readonly principal: string | undefined }; readonly finished: boolean };
  finish(settled: CallOutcome | RpcError): void;
  /** Keeps the run going after the client disconnects; `onResult` receives its results, maybe more than one. */
  runOn(onResult: (settled: CallOutcome | RpcError) => void): void;
}

export interface IdempotentCalls {
  /** Runs `carryOut` where the call is not known yet. */
  serve(arrival: KeyedCall, carryOut: () => void): void;
}
