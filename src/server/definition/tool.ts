/** Tools, as plain values that nothing is connected to. */
import type { Icon, ToolAnnotations } from '../../protocol/generated/types/records.ts';
import type { Input, Output, Schema } from '../../schema/standard.ts';
import type { Compiled } from './compiled.ts';
import type { AskingContext } from './context.ts';
import type { Content, NeedsInput, WholeResult } from './returns.ts';

export interface ToolFacts<In extends Schema, Out extends Schema | undefined> {
  readonly title?: string;
  readonly description?: string;
  readonly icons?: readonly Icon[];
  readonly annotations?: ToolAnnotations & Record<string, unknown>;
  readonly _meta?: Readonly<Record<string, unknown>>;
  readonly input?: In;
  readonly output?: Out;
  /** How long a call may take; the server's own limit by default. */
  readonly timeoutMs?: number;
}

type Given<S extends Schema> = Schema extends S ? Record<string, unknown> : Output<S>;
type Returned<S extends Schema | undefined> =
  | (S extends Schema ? Input<S> : string | Content)
  | WholeResult
  | NeedsInput;

export type ToolHandler<In extends Schema, Out extends Schema | undefined> = (
  given: Given<In>,
  context: AskingContext,
) => Returned<Out> | Promise<Returned<Out>>;

/** What `tool` gives. */
export interface Tool<In extends Schema = Schema, Out extends Schema | undefined = Schema | undefined> {
  readonly kind: 'tool';
  readonly facts: ToolFacts<In, Out>;
  run(given: never, context: AskingContext): unknown;
  readonly compile: (name: string, source: Tool) => Compiled;
}
