/** The context that handlers get beside their arguments. */

import type { Principal } from '../../ports/principal.ts';
import type {
  ClientCapabilities,
  CreateMessageResult,
  Implementation,
  LoggingLevel,
  Root,
} from '../../protocol/generated/types/records.ts';
import type { Output, Schema } from '../../schema/standard.ts';
import type {
  Elicitation,
  ElicitOutcome,
  FormElicitation,
  SampleRequest,
  ServerRequest,
  ServerRequestOptions,
  ServerRequestResult,
} from './server-requests.ts';

/** The client that calls. Its name and capabilities are what the client sent, unverified. */
export interface Caller {
  /** The protocol version of this call, as the specification dates it. */
  readonly protocolVersion: string;
  /** The name and version of the client; `undefined` where it sent none. */
  readonly clientInfo: Implementation | undefined;
  /** What the client declared. `ctx.clientSupports()` reads it for you. */
  readonly capabilities: ClientCapabilities;
  /** Who sends this request, as `authenticate` found; `undefined` without authentication. */
  readonly principal: Principal | undefined;
}

/** What `onRootsListChanged` gets: the client whose roots have changed. */
export interface RootsListChange {
  /** The client. */
  readonly caller: Caller;
  /** The last characters of its session ID, as in `ctx.request` of its calls; `undefined` where it has none. */
  readonly sessionIdSuffix: string | undefined;
  /** Asks the client for its roots as they are now. */
  listRoots(): Promise<Root[]>;
}

/** The context of every handler. Its methods can be destructured: `(_args, { log }) => …`. */
export interface BaseContext {
  /** Aborted when the client cancels the call, the call times out, or the connection closes. */
  readonly signal: AbortSignal;
  /** The client that calls. */
  readonly caller: Caller;
  /** The `_meta` of the request: trace context, and the client's own keys. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** Sends a log message to the client, if it wants messages of this level. An unknown level throws `invalid-argument`. */
  log(level: LoggingLevel, data: unknown, logger?: string): void;
  /**
   * Reports progress to the client, if it wants it. `progress` must grow; other numbers are dropped, and anything but
   * a number throws `invalid-argument`.
   */
  reportProgress(progress: number, total?: number, message?: string): void;
}

/** What `ctx.closeStream()` takes. */
export interface CloseStreamOptions {
  /** How long the client waits before it reconnects, in whole milliseconds; 1000 by default. */
  readonly retryMs?: number;
}

/** A feature of a client that a server request needs, as the path of a capability. */
export type ClientFeature =
  | 'elicitation'
  | 'elicitation.form'
  | 'elicitation.url'
  | 'sampling'
  | 'sampling.tools'
  | 'roots';

/** What the function of `ctx.step()` gets. */
export interface StepRun {
  /** The same in every run of this step and in no other one: an idempotency key for other services. */
  readonly key: string;
  /** Counts the runs of the step by this process, from 1. */
  readonly attempt: number;
  /** Whether an earlier process may have run it: one was lost before the result was stored, perhaps before the step began. */
  readonly mayHaveRun: boolean;
}

/** The run of a task that a handler is in. */
export interface TaskAttempt {
  /** The ID of the task. */
  readonly id: string;
  /** Counts the attempts and the lost processes, from 1. A run that continues after a request for input is of the same attempt. */
  readonly attempt: number;
  /** How long the task waited for a process before this run. */
  readonly queuedMs: number;
  /** How long it waited for input before that; absent if it did not. */
  readonly inputMs?: number;
}

/** What `ctx.step()` takes. */
export interface StepOptions {
  /** How often a step that throws is run; 1 by default. */
  readonly attempts?: number;
  /** How long to wait before the second run, twice that before the third, and so on; 1000 by default. */
  readonly backoffMs?: number;
  /** In a task, what to do if the step may have run already: run it again (default), or fail the task. */
  readonly ifUncertain?: 'run' | 'fail';
}

/** Types are compared with what JSON leaves of them, so that interfaces pass, and `unknown`, which may be JSON. */
type JsonOf<T> = unknown extends T
  ? T
  : T extends string | number | boolean | null | undefined | void
    ? T
    : T extends Method | bigint | symbol
      ? NotJson
      : T extends readonly unknown[]
        ? { [I in keyof T]: unknown extends T[I] ? T[I] : ItemOf<T[I]> }
        : Extract<T[keyof T], Method> extends never
          ? { [K in keyof T]: JsonOf<T[K]> }
          : NotJson;

/** In a list, JSON has no `undefined`. */
type ItemOf<T> = undefined extends T ? JsonOf<Exclude<T, undefined>> | NotJson : JsonOf<T>;

type Method = (...args: never[]) => unknown;

/** What the compiler shows in place of a function, or of an object with methods such as a `Date`. */
type NotJson = 'must be JSON';

/** Allows every type that is JSON as it is. */
type StepResult<T> = [T] extends [JsonOf<T>] ? unknown : JsonOf<T>;

/**
 * The context of tools, prompts and resource handlers, which can request input from the client. In protocol
 * versions without sessions such a request ends the run, and the handler runs again from the top with the answer.
 *
 * ```ts
 * tool({}, async (_args, ctx) => {
 *   if (!ctx.clientSupports('elicitation.form')) return 'Hello';
 *   const answer = await ctx.elicit('name', { message: 'Your name?', schema: z.object({ name: z.string() }) });
 *   return answer.action === 'accept' ? `Hello, ${answer.content.name}` : 'Hello';
 * });
 * ```
 */
export interface Context extends BaseContext {
  /** The ID of the call, the same in all of its rounds. */
  readonly callId: string;
  /** How often the call has requested input before; 0 in the first run. */
  readonly round: number;
  /**
   * The task that this run belongs to, or that it becomes if it takes longer; `undefined` in a call that is no task. For
   * middleware it is also `undefined` before `next()` of the call that creates the task.
   */
  readonly task: TaskAttempt | undefined;
  /** Whether the client supports a feature. Check it before you request input. */
  clientSupports(what: ClientFeature): boolean;
  /**
   * Asks the user to fill in a form, or to open a URL. `key` names the request within this call; use another key for
   * another request. Throws `capability-not-supported` where the client does not support it.
   */
  elicit<S extends Schema>(
    key: string,
    request: FormElicitation<S>,
    options?: ServerRequestOptions,
  ): Promise<ElicitOutcome<Output<S>>>;
  elicit(
    key: string,
    request: Elicitation,
    options?: ServerRequestOptions,
  ): Promise<ElicitOutcome<Record<string, unknown>>>;
  /** Asks the client's model for a message. `key` names the request within this call. */
  sample(key: string, request: SampleRequest, options?: ServerRequestOptions): Promise<CreateMessageResult>;
  /** Asks the client for its roots: the files and folders that the server may use. */
  listRoots(key?: string): Promise<Root[]>;
  /** Sends several requests at once, by key, and resolves with all results. */
  requestInput<Q extends Readonly<Record<string, ServerRequest>>>(
    requests: Q,
  ): Promise<{ [K in keyof Q]: ServerRequestResult<Q[K]> }>;
  /**
   * Notifies the client that the URL elicitation of this key is complete. It can be called after the call has finished.
   * Does nothing where the protocol version has no such notification.
   */
  completeElicitation(key: string): void;
  /**
   * Closes the HTTP stream of a long call; the call continues. The client reconnects after `retryMs`, 1000 by default,
   * and gets what it missed. Does nothing where the protocol version or the transport cannot resume a stream.
   */
  closeStream(options?: CloseStreamOptions): void;
  /**
   * Runs a function once for all rounds of the call: later rounds get the stored result, which must be JSON. Use it for
   * what must not happen twice, such as a payment. In a task the result outlives the process; a process that ends before
   * it is stored leaves the function to run again: pass `step.key` on to services that can recognize a repeat.
   */
  step<T extends StepResult<T>>(key: string, run: (step: StepRun) => T | Promise<T>, options?: StepOptions): Promise<T>;
  /**
   * Waits for `ms` milliseconds. A task waits without a process, and goes on in any process that has its tool; its
   * handler runs again from the top, and `key` names the sleep in all of its runs. Other calls wait in this process, at
   * most 5 minutes and within their time limit.
   */
  sleep(key: string, ms: number): Promise<void>;
  /**
   * Continues the call as a task, if its tool has `task: { begins: 'by-handler' }` and its client can follow one. The
   * handler runs again from the top; steps and answers so far are not repeated. Resolves at once in a task, and in a
   * call that does not become one.
   */
  continueAsTask(): Promise<void>;
  /** The answers to the requests that the handler returned with `inputRequired()`, by key. */
  readonly inputResponses: Readonly<Record<string, unknown>>;
  /** The state that the handler returned with `inputRequired()`. */
  readonly requestState: unknown;
}
