/** Prompts, as plain values that nothing is connected to. */
import type { Icon, PromptMessage } from '../../protocol/generated/types/records.ts';
import type { Output, Schema } from '../../schema/standard.ts';
import type { CompiledPrompt } from './compiled.ts';
import type { Context } from './context.ts';
import type { CompleteCallback } from './resource.ts';
import type { InputRequired, WholePrompt } from './returns.ts';

/** Arguments of prompts are strings on the wire, so a schema of them takes strings. */
export type StringArguments = Schema<Record<string, string | undefined>, unknown>;

export interface PromptOptions<Args extends Schema> {
  readonly title?: string;
  readonly description?: string;
  readonly icons?: readonly Icon[];
  readonly _meta?: Readonly<Record<string, unknown>>;
  readonly argsSchema?: Args;
  readonly complete?: Readonly<Record<string, CompleteCallback>>;
  /** How long the prompt, or one of its completers, may take; the server's own limit by default. */
  readonly timeoutMs?: number;
}

type Given<S extends Schema> = StringArguments extends S ? Record<string, string> : Output<S>;
type Returned = string | readonly PromptMessage[] | WholePrompt | InputRequired;

export type PromptHandler<Args extends Schema> = (given: Given<Args>, context: Context) => Returned | Promise<Returned>;

/** What `prompt` gives. */
export interface PromptDefinition<Args extends Schema = Schema> {
  readonly kind: 'prompt';
  readonly options: PromptOptions<Args>;
  handler(given: never, context: Context): unknown;
  readonly compile: (name: string, source: PromptDefinition) => CompiledPrompt;
}
