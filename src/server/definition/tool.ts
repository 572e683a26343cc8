/** Tools, as plain values that nothing is connected to. */
import type { Icon, ToolAnnotations } from '../../protocol/generated/types/records.ts';
import type { Input, Output, Schema } from '../../schema/standard.ts';
import type { Compiled } from './compiled.ts';
import type { Context } from './context.ts';
import type { Content, InputRequired, WholeResult } from './returns.ts';

export interface ToolOptions<In extends Schema, Out extends Schema | undefined> {
  readonly title?: string;
  readonly description?: string;
  readonly icons?: readonly Icon[];
  readonly annotations?: ToolAnnotations & Record<string, unknown>;
  readonly _meta?: Readonly<Record<string, unknown>>;
  readonly inputSchema?: In;
  readonly outputSchema?: Out;
  /** How long a call may take; the server's own limit by default. */
  readonly timeoutMs?: number;
}

type Given<S extends Schema> = Schema extends S ? Record<string, unknown> : Output<S>;
type Returned<S extends Schema | undefined> =
  | (S extends Schema ? Input<S> : string | Content)
  | WholeResult
  | InputRequired;

export type ToolHandler<In extends Schema, Out extends Schema | undefined> = (
  given: Given<In>,
  context: Context,
) => Returned<Out> | Promise<Returned<Out>>;

/** What `tool` gives. */
export interface ToolDefinition<In extends Schema = Schema, Out extends Schema | undefined = Schema | undefined> {
  readonly kind: 'tool';
  readonly options: ToolOptions<In, Out>;
  handler(given: never, context: Context): unknown;
  readonly compile: (name: string, source: ToolDefinition) => Compiled;
}
