/** Prompts, as plain values that nothing is connected to. */
import type { Icon, PromptMessage } from '../../protocol/generated/types/records.ts';
import type { Output, Schema } from '../../schema/standard.ts';
import type { CompiledPrompt } from './compiled.ts';
import type { AskingContext } from './context.ts';
import type { Completer } from './resource.ts';
import type { NeedsInput, WholePrompt } from './returns.ts';

/** Arguments of prompts are strings on the wire, so a schema of them takes strings. */
export type StringArguments = Schema<Record<string, string | undefined>, unknown>;

export interface PromptFacts<Args extends Schema> {
  readonly title?: string;
  readonly description?: string;
  readonly icons?: readonly Icon[];
  readonly _meta?: Readonly<Record<string, unknown>>;
  readonly args?: Args;
  readonly complete?: Readonly<Record<string, Completer>>;
  /** How long the prompt, or one of its completers, may take; the server's own limit by default. */
  readonly timeoutMs?: number;
}

type Given<S extends Schema> = StringArguments extends S ? Record<string, string> : Output<S>;
type Returned = string | readonly PromptMessage[] | WholePrompt | NeedsInput;

export type PromptHandler<Args extends Schema> = (
  given: Given<Args>,
  context: AskingContext,
) => Returned | Promise<Returned>;

/** What `prompt` gives. */
export interface Prompt<Args extends Schema = Schema> {
  readonly kind: 'prompt';
  readonly facts: PromptFacts<Args>;
  run(given: never, context: AskingContext): unknown;
  readonly compile: (name: string, source: Prompt) => CompiledPrompt;
}
