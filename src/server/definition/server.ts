/** The definition of a whole server. */
import type { Icon } from '../../protocol/generated/types/records.ts';
import type { CacheHint } from '../../protocol/neutral.ts';
import type { ServerExtensions } from './extension.ts';
import type { Middleware } from './middleware.ts';
import type { PromptDefinition } from './prompt.ts';
import type { ResourceDefinition, ResourceTemplateDefinition } from './resource.ts';
import type { ToolDefinition } from './tool.ts';

/** Tools by name. */
export type Tools = Readonly<Record<string, ToolDefinition>>;
/** Prompts by name. */
export type Prompts = Readonly<Record<string, PromptDefinition>>;
/** Resources by URI. */
export type Resources = Readonly<Record<string, ResourceDefinition>>;
/** Resource templates by their text. */
export type Templates = Readonly<Record<string, ResourceTemplateDefinition>>;

/** The features of a server. `server.update()` changes them. */
export interface ServerFeatures<T = Tools, P = Prompts> {
  /** Tools by name: `{ forecast: tool(…) }`. */
  readonly tools?: T;
  /** Resources by URI: `{ 'notes://today': resource(…) }`. */
  readonly resources?: Resources;
  /** Resource templates by their text: `{ 'notes://days/{day}': resourceTemplate(…) }`. */
  readonly resourceTemplates?: Templates;
  /** Prompts by name: `{ plan: prompt(…) }`. */
  readonly prompts?: P;
}

/** Follows the changes of a mounted server. */
export interface Follower {
  /** Throws to reject a change before it is made; returns a function that makes it. */
  prepare(next: ServerFeatures): () => void;
  /** The contents of a resource have changed. */
  updated(uri: string): void;
}

/** What can be mounted: a server. */
export interface Mountable<T = Tools, P = Prompts> {
  /** The features that are mounted. */
  readonly features: ServerFeatures<T, P>;
  /** Runs around the mounted features, inside the middleware of the server that mounts them. */
  readonly middleware?: readonly Middleware[];
  /** The follower is held weakly: keep a reference to it. */
  follow(follower: Follower): void;
}

/** Mounted servers, by the prefix of their names. */
export type Mounts = Readonly<Record<string, Mountable>>;
/** The mounts of a server that mounts no other. */
export type NoMounts = Readonly<Record<never, never>>;

/** Resource templates by their texts, which type the variables that each handler gets. */
export type TypedTemplates<Text extends string> = { readonly [One in Text]: ResourceTemplateDefinition<One> };

/** What a server declares of the features it has: everything by default. What is `false` is neither declared nor done. */
export interface CapabilityOptions {
  /** `listChanged: false`: clients are not notified when the list of tools changes. */
  readonly tools?: {
    /** Default `true`. */
    readonly listChanged?: boolean;
  };
  /** `subscribe: false`: no subscriptions to resources. `listChanged: false`: no notifications of changed lists. */
  readonly resources?: {
    /** Default `true`. */
    readonly subscribe?: boolean;
    /** Default `true`. */
    readonly listChanged?: boolean;
  };
  /** `listChanged: false`: clients are not notified when the list of prompts changes. */
  readonly prompts?: {
    /** Default `true`. */
    readonly listChanged?: boolean;
  };
  /** `false`: clients set no log level, and `ctx.log` sends nothing. */
  readonly logging?: boolean;
  /** `false`: no completions, even of prompts and templates that have them. */
  readonly completions?: boolean;
}

/** The definition of a server: its name, version and features. */
export interface ServerDefinition<
  T extends Tools = Tools,
  P extends Prompts = Prompts,
  M extends Mounts = Mounts,
  Text extends string = string,
> extends Omit<ServerFeatures<T, P>, 'resourceTemplates'> {
  /** Resource templates by their text: `{ 'notes://days/{day}': resourceTemplate(…) }`. */
  readonly resourceTemplates?: TypedTemplates<Text>;
  /** The name of the server, for programs. */
  readonly name: string;
  /** The version of the server. */
  readonly version: string;
  /** A name for users; `name` by default. */
  readonly title?: string;
  /** What the server is for. */
  readonly description?: string;
  /** A page about the server. */
  readonly websiteUrl?: string;
  /** Icons for user interfaces: https: or data: URLs. */
  readonly icons?: readonly Icon[];
  /** How to use the server, for the model. */
  readonly instructions?: string;
  /** Which capabilities the server declares of its features; all by default. */
  readonly capabilities?: CapabilityOptions;
  /** Experimental capabilities, by name. */
  readonly experimental?: Readonly<Record<string, Record<string, unknown>>>;
  /**
   * The extensions of the server: results of `serveExtension()`, or an object of settings by identifier for extensions
   * that are only declared. `ctx.caller.capabilities` has what the client declared.
   */
  readonly extensions?: ServerExtensions;
  /** How many items one page of a list has; 100 by default. */
  readonly pageSize?: number;
  /** How long clients may cache lists and contents, and for whom; not at all by default. */
  readonly cache?: CacheHint;
  /**
   * Other servers whose features this one serves too. Tools and prompts get the name `prefix_name`; resources keep their
   * URIs. The middleware of this server runs first, then theirs. The limits of this server apply.
   */
  readonly mounts?: M;
}
