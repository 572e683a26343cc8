/** Prompts, as plain values. */
import type { Icon, PromptMessage } from '../../protocol/generated/types/records.ts';
import type { Output, Schema } from '../../schema/standard.ts';
import type { Context } from './context.ts';
import type { CompleteCallback } from './resource.ts';
import type { InputRequired, WholePrompt } from './returns.ts';

/** MCP sends the arguments of prompts as strings, so their schema takes strings. */
export type StringArguments = Schema<Record<string, string | undefined>, unknown>;

/** The options of a prompt. */
export interface PromptOptions<Args extends Schema> {
  /** A name for users; the name of the prompt by default. */
  readonly title?: string;
  /** What the prompt is for. */
  readonly description?: string;
  /** Icons for user interfaces: https: or data: URLs. */
  readonly icons?: readonly Icon[];
  /** Extra fields for clients, sent as `_meta`. */
  readonly _meta?: Readonly<Record<string, unknown>>;
  /** The arguments, as a schema of strings; none by default. */
  readonly argsSchema?: Args;
  /** Suggests values of arguments, by their names. */
  readonly complete?: Readonly<Record<string, CompleteCallback>>;
  /** The time limit of the handler and of each `complete` callback; `timeoutMs` of the server by default. */
  readonly timeoutMs?: number;
  /** The scopes that getting and completing it needs: those of `ctx.caller.principal`. With too few, the request gets `insufficient-scope` (403). Default none. */
  readonly scopes?: readonly string[];
}

type Given<S extends Schema> = StringArguments extends S ? Record<string, string> : Output<S>;

/** A property, so that compiler errors list what is allowed. */
interface Returned {
  readonly value: string | readonly PromptMessage[] | WholePrompt | InputRequired;
}

/** What the handler of a prompt returns. */
export type PromptReturn = Returned['value'];

/** Returns the prompt: a string, a list of messages, or `promptResult(…)`. */
export type PromptHandler<Args extends Schema> = (
  args: Given<Args>,
  context: Context,
) => PromptReturn | Promise<PromptReturn>;

/** A prompt, as `prompt()` returns it. */
export interface PromptDefinition<Args extends Schema = Schema> {
  readonly kind: 'prompt';
  /** The options it was defined with. */
  readonly options: PromptOptions<Args>;
  /** The handler it was defined with. */
  handler(args: never, context: Context): unknown;
  /** Compiles the definition. @internal */
  readonly compile: (name: string, source: PromptDefinition) => unknown;
}
