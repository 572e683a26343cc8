/** Resources and templates of resources, as plain values that nothing is connected to. */
import type { Annotations, Icon } from '../../protocol/generated/types/records.ts';
import type { CacheHint } from '../../protocol/neutral.ts';
import type { TemplateVariables } from '../../protocol/uri-template/variables.ts';
import type { Compiled, CompiledTemplate } from './compiled.ts';
import type { BaseContext, Context } from './context.ts';
import type { InputRequired } from './returns.ts';

export interface ResourceOptions {
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly icons?: readonly Icon[];
  readonly annotations?: Annotations;
  readonly _meta?: Readonly<Record<string, unknown>>;
  /** How long what is read stays fresh, and for whom. */
  readonly cache?: CacheHint;
  /** How long a read, or a completer of a template, may take; the server's own limit by default. */
  readonly timeoutMs?: number;
}

/** One part of what is read, where one text or one run of bytes is not enough. */
export interface ResourcePart {
  /** The URI that was asked for, unless it says otherwise. */
  readonly uri?: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly bytes?: Uint8Array;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** What a reader gives: text, bytes, or several parts. */
export type ResourceBody = string | Uint8Array | readonly ResourcePart[];
type Read = ResourceBody | InputRequired;

/** What `resource` gives. */
export interface ResourceDefinition {
  readonly kind: 'resource';
  readonly options: ResourceOptions;
  handler(context: Context): Read | Promise<Read>;
  readonly compile: (uri: string, source: ResourceDefinition) => Compiled;
}

/** Suggests values for an argument that begins with what was typed. `context.given` are arguments already chosen. */
export type CompleteCallback = (
  typed: string,
  context: BaseContext & { readonly arguments: Readonly<Record<string, string>> },
) => readonly string[] | CompletionValues | Promise<readonly string[] | CompletionValues>;

/** Suggestions with how many there are in all. */
export interface CompletionValues {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}

export interface ResourceTemplateOptions<Text extends string = string> extends Omit<ResourceOptions, 'size'> {
  /** Suggests values of the template's variables, by their names. */
  readonly complete?: { readonly [Name in keyof TemplateVariables<Text>]?: CompleteCallback };
}

type MaybeRead = Read | undefined;

/** Reads the resource at a URI that matches the template; `undefined` where there is none. */
export type ResourceTemplateHandler<Text extends string = string> = (
  variables: TemplateVariables<Text>,
  context: Context,
  uri: string,
) => MaybeRead | Promise<MaybeRead>;

/** What `resourceTemplate()` returns. `Text` is the template, as far as the compiler knows it. */
export interface ResourceTemplateDefinition<Text extends string = string> {
  readonly kind: 'template';
  readonly options: ResourceTemplateOptions<Text>;
  handler(variables: never, context: Context, uri: string): MaybeRead | Promise<MaybeRead>;
  readonly compile: (uriTemplate: string, source: ResourceTemplateDefinition) => CompiledTemplate;
}
