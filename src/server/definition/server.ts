/** The definition of a whole server. */
import type { Icon } from '../../protocol/generated/types/records.ts';
import type { CacheHint } from '../../protocol/neutral.ts';
import type { ServerExtensions } from './extension.ts';
import type { Middleware } from './middleware.ts';
import type { PromptDefinition } from './prompt.ts';
import type { ResourceDefinition, ResourceTemplateDefinition } from './resource.ts';
import type { ToolDefinition } from './tool.ts';

export type Tools = Readonly<Record<string, ToolDefinition>>;
export type Prompts = Readonly<Record<string, PromptDefinition>>;
export type Resources = Readonly<Record<string, ResourceDefinition>>;
export type Templates = Readonly<Record<string, ResourceTemplateDefinition>>;

/** What can be listed. It may change while the server runs. */
export interface ServerFeatures<T = Tools, P = Prompts> {
  readonly tools?: T;
  readonly resources?: Resources;
  readonly resourceTemplates?: Templates;
  readonly prompts?: P;
}

/** Hears of changes of a server that it mounts. */
export interface Follower {
  /** Throws what speaks against the change while nothing has changed yet; what it gives back goes along with it. */
  prepare(next: ServerFeatures): () => void;
  /** The contents of a resource have changed. */
  updated(uri: string): void;
}

/** Anything that can be mounted: a server is. */
export interface Mountable<T = Tools, P = Prompts> {
  readonly features: ServerFeatures<T, P>;
  /** Runs around what comes from here wherever it is mounted, within the middleware there. */
  readonly middleware?: readonly Middleware[];
  /** The follower is held weakly: whoever follows keeps it for as long as it wants to hear. */
  follow(follower: Follower): void;
}

/** What a server has from others, by the prefix that their names get. */
export type Mounts = Readonly<Record<string, Mountable>>;
export type NoMounts = Readonly<Record<never, never>>;

/** Resource templates by their texts, which type the variables that each handler gets. */
export type TypedTemplates<Text extends string> = { readonly [One in Text]: ResourceTemplateDefinition<One> };

export interface ServerDefinition<
  T extends Tools = Tools,
  P extends Prompts = Prompts,
  M extends Mounts = Mounts,
  Text extends string = string,
> extends Omit<ServerFeatures<T, P>, 'resourceTemplates'> {
  readonly resourceTemplates?: TypedTemplates<Text>;
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly description?: string;
  readonly websiteUrl?: string;
  readonly icons?: readonly Icon[];
  readonly instructions?: string;
  /** Capabilities of the author's own. */
  readonly experimental?: Readonly<Record<string, Record<string, unknown>>>;
  /**
   * Extensions the server has: those that `serveExtension` gives, or bare settings under identifiers where declaring is
   * all there is to do. A handler finds what the client declared in `ctx.caller`.
   */
  readonly extensions?: ServerExtensions;
  /** How many items one page of a list has. */
  readonly pageSize?: number;
  /** How long lists stay fresh, and for whom. */
  readonly cache?: CacheHint;
  /**
   * Other servers whose tools and prompts this one offers as its own, as `prefix_name`; resources keep their URIs. They
   * run behind the middleware of this server, then their own. Limits are those of this server.
   */
  readonly mounts?: M;
}
