/** Tools, as plain values. */
import type { Icon, ToolAnnotations } from '../../protocol/generated/types/records.ts';
import type { Input, Output, Schema } from '../../schema/standard.ts';
import type { Context } from './context.ts';
import type { Content, InputRequired, WholeResult } from './returns.ts';

/** The options of a tool. */
export interface ToolOptions<In extends Schema, Out extends Schema | undefined> {
  /** A name for users; the name of the tool by default. */
  readonly title?: string;
  /** What the tool does, for the model. */
  readonly description?: string;
  /** Icons for user interfaces: https: or data: URLs. */
  readonly icons?: readonly Icon[];
  /** Hints such as `readOnlyHint`, and fields of your own; clients need not trust them. */
  readonly annotations?: ToolAnnotations;
  /** Extra fields for clients, sent as `_meta`. */
  readonly _meta?: Readonly<Record<string, unknown>>;
  /** The arguments: a schema of zod, valibot, arktype, or `fromJsonSchema()`; none by default. It has to describe objects. */
  readonly inputSchema?: In;
  /**
   * Whether `inputSchema` accepts more than its JSON Schema shows (`z.coerce`, `z.preprocess`), in calls with over 1,000
   * such values. By default they are refused: a schema library makes an issue of every wrong value, whatever memory that takes.
   */
  readonly coercing?: boolean;
  /** The structured result. With it, the handler returns the value itself. */
  readonly outputSchema?: Out;
  /** The time limit of a call; `timeoutMs` of the server by default. */
  readonly timeoutMs?: number;
  /** The scopes that a call needs, such as `['files:write']`: those of `ctx.caller.principal`. With too few, it gets `insufficient-scope` (403). Default none. */
  readonly scopes?: readonly string[];
  /**
   * Whether a call may become a task, which outlives its request, its connection and, with a store, its process. Without
   * sessions the server decides: a call becomes one if it takes longer than `answerWithinMs`, waits for input or sleeps,
   * and its client can follow it. In sessions the client decides by `params.task`. With `'required'`, a client that cannot
   * follow a task, or does not request one, cannot call the tool. Default: never.
   */
  readonly task?: TaskSupport | TaskOptions;
}

/** Whether the calls of a tool may run as tasks, or must. */
export type TaskSupport = 'optional' | 'required';

/**
 * How the calls of a tool run as tasks.
 * @area server
 * @of `task` of a tool
 */
export interface TaskOptions {
  /**
   * Whether they may, or must.
   * @default 'optional'
   */
  readonly support?: TaskSupport;
  /**
   * Whether a call is a task from its beginning, or from `ctx.continueAsTask()` on: input that is needed first is then
   * requested in the call itself. In sessions a client requests a task, and gets it at once.
   * @default 'at-once'
   */
  readonly begins?: 'at-once' | 'by-handler';
  /**
   * How long a task and its result are stored, from its creation, if its client does not say (`params.task.ttl`). The
   * least is `tasks.retentionMs` of the server.
   * @default 1 h
   * @most none
   * @beyond the task is unknown
   */
  readonly ttlMs?: number;
  /**
   * How long a task may take, its sleeps included.
   * @default 1 day
   * @most none
   * @beyond the task fails; a longer sleep fails at once, with the code
   * @code invalid-argument
   */
  readonly deadlineMs?: number;
  /**
   * How often a client should ask how far a task is. Without sessions it should ask for a young one more often: first
   * after 100 ms, then after half of its age, up to this.
   * @default 1 s
   * @most none
   */
  readonly pollIntervalMs?: number;
  /**
   * Without sessions, how long the process that receives a call runs it before the client gets a task instead of the
   * result. 0: the client gets it at once, and any process may run it.
   * @default 100 ms
   * @least 0
   * @beyond the client gets a task
   */
  readonly answerWithinMs?: number;
  /** How often and when the handler runs again after it threw; by default never. Steps have `attempts` of their own. */
  readonly retry?: TaskRetry;
  /**
   * The version of the handler: tasks of another version are left to processes that have it.
   * @default off
   */
  readonly version?: string;
}

/**
 * How a task is tried again whose handler threw an error. Its steps and answers so far are not repeated. A `ToolError`, an
 * `RpcError`, a result with `isError`, a cancellation and the deadline are final.
 * @area server
 */
export interface TaskRetry {
  /**
   * How often the handler of a task that throws runs in all. What follows a wait, or a lost process, is the same run.
   * @default 1
   * @whole
   * @most 100
   * @beyond the result has the error
   */
  readonly attempts?: number;
  /**
   * The longest pause before the second run; it doubles with every further one. The pause is random up to that.
   * @default 1 s
   * @least 0
   */
  readonly backoffMs?: number;
}

/**
 * The longest pause before a further run of a handler, and before a further attempt of a step.
 * @limit TaskRetry.maxBackoffMs
 */
export const maxBackoffMs = 60_000;

type Given<S extends Schema> = Schema extends S ? Record<string, unknown> : Output<S>;

/** A property, so that compiler errors list what is allowed: they would show an alias by its name alone. */
interface Returned<S extends Schema | undefined> {
  readonly value: (S extends Schema ? Input<S> : string | Content) | WholeResult | InputRequired;
}

/** What the handler of a tool returns: the structured value of its `outputSchema`, or without one a string or `content(…)`. */
export type ToolReturn<S extends Schema | undefined> = Returned<S>['value'];

/** Gets the validated arguments; returns the structured value, or without `outputSchema` a string or `content(…)`. */
export type ToolHandler<In extends Schema, Out extends Schema | undefined> = (
  args: Given<In>,
  context: Context,
) => ToolReturn<Out> | Promise<ToolReturn<Out>>;

/** A tool, as `tool()` returns it. */
export interface ToolDefinition<In extends Schema = Schema, Out extends Schema | undefined = Schema | undefined> {
  readonly kind: 'tool';
  /** The options it was defined with. */
  readonly options: ToolOptions<In, Out>;
  /** The handler it was defined with. */
  handler(args: never, context: Context): unknown;
  /** Compiles the definition. @internal */
  readonly compile: (name: string, source: ToolDefinition) => unknown;
}
