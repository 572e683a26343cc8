/** What a client knows of a server from its type alone. */
import type { CallToolResult } from '../../protocol/generated/types/records.ts';
import type { Input, Output, Schema } from '../../schema/standard.ts';

/** The part of a server's type that its clients look at. */
interface Offering {
  readonly features: { readonly tools?: unknown; readonly prompts?: unknown };
}

type ToolsOf<S> = S extends Offering ? NonNullable<S['features']['tools']> : unknown;
type PromptsOf<S> = S extends Offering ? NonNullable<S['features']['prompts']> : unknown;

type Names<T> = unknown extends T ? string : string extends keyof T ? string : keyof T & string;
export type ToolNames<S> = Names<ToolsOf<S>>;
export type PromptNames<S> = Names<PromptsOf<S>>;

type OptionsAt<T, N> = N extends keyof T ? (T[N] extends { readonly options: infer F } ? F : unknown) : unknown;
type SchemaAt<F, K extends string> = F extends { readonly [key in K]?: infer I } ? Extract<I, Schema> : never;

type Taken<I> = [I] extends [never]
  ? Record<string, unknown>
  : I extends Schema
    ? Schema extends I
      ? Record<string, unknown>
      : Input<I>
    : never;

/** What follows the name in a call. What the schema demands cannot be left out. */
export type Following<Given, Options> =
  Record<never, never> extends Given ? [given?: Given, options?: Options] : [given: Given, options?: Options];

export type ToolInput<S, N> = Taken<SchemaAt<OptionsAt<ToolsOf<S>, N>, 'inputSchema'>>;
export type PromptArguments<S, N> = Taken<SchemaAt<OptionsAt<PromptsOf<S>, N>, 'argsSchema'>>;

type Structured<O> = [O] extends [never]
  ? CallToolResult['structuredContent']
  : O extends Schema
    ? Schema extends O
      ? unknown
      : Output<O>
    : unknown;

export type ToolResult<S, N> = Omit<CallToolResult, 'structuredContent'> & {
  structuredContent?: Structured<SchemaAt<OptionsAt<ToolsOf<S>, N>, 'outputSchema'>>;
};
