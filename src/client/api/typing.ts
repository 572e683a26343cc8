/** Types of a client, derived from the type of the server. */
import type { CallToolResult } from '../../protocol/generated/types/records.ts';
import type { Input, Output, Schema } from '../../schema/standard.ts';

/** The part of a server's type that its clients use. */
interface Offering {
  readonly features: { readonly tools?: unknown; readonly prompts?: unknown };
}

type ToolsOf<S> = S extends Offering ? NonNullable<S['features']['tools']> : unknown;
type PromptsOf<S> = S extends Offering ? NonNullable<S['features']['prompts']> : unknown;

/** The names that are known, for an editor to suggest, and any other one if there may be more. */
type Names<T> = unknown extends T ? string : string extends keyof T ? KnownNames<T> | (string & {}) : keyof T & string;
type KnownNames<T> = keyof { [N in keyof T as string extends N ? never : N]: 0 } & string;
/** The names of the tools of a server; `string` if its type is not known. */
export type ToolNames<S> = Names<ToolsOf<S>>;
/** The names of the prompts of a server; `string` if its type is not known. */
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

/** The arguments of `call` and `get` after the name. Required input cannot be left out. */
export type CallArguments<Given, Options> =
  Record<never, never> extends Given ? [given?: Given, options?: Options] : [given: Given, options?: Options];

/** The arguments of a tool, by its input schema. */
export type ToolInput<S, N> = Taken<SchemaAt<OptionsAt<ToolsOf<S>, N>, 'inputSchema'>>;
/** The arguments of a prompt, by its schema. */
export type PromptArguments<S, N> = Taken<SchemaAt<OptionsAt<PromptsOf<S>, N>, 'argsSchema'>>;

type Structured<O> = [O] extends [never]
  ? CallToolResult['structuredContent']
  : O extends Schema
    ? Schema extends O
      ? unknown
      : Output<O>
    : unknown;

/** The result of a tool, with `structuredContent` typed by its output schema. */
export type ToolResult<S, N> = Omit<CallToolResult, 'structuredContent'> & {
  structuredContent?: Structured<SchemaAt<OptionsAt<ToolsOf<S>, N>, 'outputSchema'>>;
};
