/** Resources and resource templates, as plain values. */
import type { Annotations, Icon, Resource } from '../../protocol/generated/types/records.ts';
import type { CacheHint } from '../../protocol/neutral.ts';
import type { TemplateVariables } from '../../protocol/uri-template/variables.ts';
import type { BaseContext, Context } from './context.ts';
import type { InputRequired } from './returns.ts';

/** The options of a resource. */
export interface ResourceOptions {
  /** A name for programs; the URI by default. */
  readonly name?: string;
  /** A name for users. */
  readonly title?: string;
  /** What the resource holds. */
  readonly description?: string;
  /** The MIME type of the contents. */
  readonly mimeType?: string;
  /** The size of the contents in bytes. */
  readonly size?: number;
  /** Icons for user interfaces: https: or data: URLs. */
  readonly icons?: readonly Icon[];
  /** For whom the resource is, how important it is, when it was last changed, and fields of your own. */
  readonly annotations?: Annotations;
  /** Extra fields for clients, sent as `_meta`. */
  readonly _meta?: Readonly<Record<string, unknown>>;
  /** How long clients may cache the contents, and for whom; `cache` of the server by default. */
  readonly cache?: CacheHint;
  /** The time limit of a read, and of each `complete` callback; `timeoutMs` of the server by default. */
  readonly timeoutMs?: number;
  /** The scopes that reading, completing and subscribing needs: those of `ctx.caller.principal`. With too few, the request gets `insufficient-scope` (403). Default none. */
  readonly scopes?: readonly string[];
}

/** One part of the contents, for a resource of several parts. */
export interface ResourcePart {
  /** The URI of this part; the requested URI by default. */
  readonly uri?: string;
  /** The MIME type of this part; that of the resource by default. */
  readonly mimeType?: string;
  /** The contents as text. */
  readonly text?: string;
  /** The contents as bytes, instead of text. */
  readonly bytes?: Uint8Array;
  /** Extra fields for clients, sent as `_meta`. */
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** The contents of a resource: text, bytes, or several parts. */
export type ResourceBody = string | Uint8Array | readonly ResourcePart[];

/** A property, so that compiler errors list what is allowed. */
interface Returned {
  readonly value: string | Uint8Array | readonly ResourcePart[] | InputRequired;
}
type Read = Returned['value'];

/** A resource, as `resource()` returns it. */
export interface ResourceDefinition {
  readonly kind: 'resource';
  /** The options it was defined with. */
  readonly options: ResourceOptions;
  /** The handler it was defined with. */
  handler(context: Context): Read | Promise<Read>;
  /** Compiles the definition. @internal */
  readonly compile: (uri: string, source: ResourceDefinition) => unknown;
}

/** Suggests values for an argument from what the user typed so far. `context.arguments` has the arguments already chosen. */
export type CompleteCallback = (
  typed: string,
  context: BaseContext & { readonly arguments: Readonly<Record<string, string>> },
) => readonly string[] | CompletionValues | Promise<readonly string[] | CompletionValues>;

/** Suggestions, with how many there are in all. The first 100 values are sent. */
export interface CompletionValues {
  /** The suggestions. */
  readonly values: readonly string[];
  /** How many there are in all; the number of `values` by default. */
  readonly total?: number;
  /** Whether there are more than are sent. */
  readonly hasMore?: boolean;
}

type ListedResources = readonly (string | (Pick<Resource, 'uri'> & Partial<Resource>))[];
type ListCallback = (context: BaseContext) => ListedResources | Promise<ListedResources>;

/** The options of a resource template. */
export interface ResourceTemplateOptions<Text extends string = string> extends Omit<ResourceOptions, 'size'> {
  /** Suggests values of the template's variables, by their names. */
  readonly complete?: { readonly [Name in keyof TemplateVariables<Text>]?: CompleteCallback };
  /**
   * The resources of the template that lists of resources show: their URIs, or more about them. Called for each page of a
   * list, within `timeoutMs` of the server; not for a caller that lacks the `scopes`. Default none: clients see the template.
   */
  readonly list?: ListCallback;
  /**
   * By default a URI is of no resource if a variable of its path has a segment `.` or `..`, or, under `file:`, a backslash;
   * or if any variable has NUL. `'raw'` passes them all to the handler. A root of `createPathRoot()` also checks that the
   * URI names a file inside it, before the handler reads that file.
   */
  readonly paths?: 'raw' | FileRoot;
}

/** A folder whose files can be opened by untrusted paths, as `createPathRoot()` of `tenon/input-safety` returns it. */
export interface FileRoot {
  /** Opens a file by a `file:` URI; throws if it is not inside the folder. */
  open(path: string): Promise<{ close(): unknown }>;
}

/** Reads the resource at a URI that matches the template; `undefined` where there is none. */
export type ResourceTemplateHandler<Text extends string = string> = (
  variables: TemplateVariables<Text>,
  context: Context,
  uri: string,
) => Read | undefined | Promise<Read | undefined>;

/** What `resourceTemplate()` returns. `Text` is the template, as far as the compiler knows it. */
export interface ResourceTemplateDefinition<Text extends string = string> {
  readonly kind: 'template';
  /** The options it was defined with. */
  readonly options: ResourceTemplateOptions<Text>;
  /** The handler it was defined with. */
  handler(variables: never, context: Context, uri: string): Read | undefined | Promise<Read | undefined>;
  /** Compiles the definition. @internal */
  readonly compile: (uriTemplate: string, source: ResourceTemplateDefinition) => unknown;
}
