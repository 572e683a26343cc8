/** An extension as a server has it: the contract, what the server says of it, and who handles its messages. */
import type {
  ExtensionDefinition,
  MethodDefinition,
  MethodResultInput,
  Methods,
  NotificationDefinition,
  Notifications,
} from '../../protocol/extensions/extension.ts';
import type { CacheHint } from '../../protocol/neutral.ts';
import type { Input, Output, StandardSchema } from '../../schema/standard.ts';
import type { CompiledExtension } from './compiled.ts';
import type { BaseContext, Caller } from './context.ts';
import type { ResourceDefinition } from './resource.ts';

/** News that servers tell. */
export type ServerNotificationDefinition = NotificationDefinition<StandardSchema, 'server'>;

/** What a handler of an extension is given beside its params. It cannot ask: only tools, prompts and reads can. */
export interface ExtensionContext extends BaseContext {
  /** What the client says of the extension; `undefined` where it did not declare it. */
  readonly settings: Readonly<Record<string, unknown>> | undefined;
  /** Tells the client something that belongs to this call, if it declared the extension. */
  notify<N extends ServerNotificationDefinition>(news: N, params: Input<N['params']>): void;
}

export type MethodHandler<M extends MethodDefinition> = (
  params: Output<M['params']>,
  context: ExtensionContext,
) => MethodResultInput<M> | Promise<MethodResultInput<M>>;

export type MethodHandlers<M extends Methods> = { readonly [Name in keyof M]: MethodHandler<M[Name]> };

/** Who told something, and what it says of the extension. */
export interface NotificationContext {
  readonly caller: Caller;
  readonly settings: Readonly<Record<string, unknown>> | undefined;
}

export type ClientNotificationHandlers<N extends Notifications> = {
  readonly [Name in keyof N as N[Name]['from'] extends 'client' ? Name : never]?: (
    params: Output<N[Name]['params']>,
    by: NotificationContext,
  ) => void | Promise<void>;
};

export interface ServeExtensionOptions<M extends Methods, N extends Notifications> {
  /** What the server says of the extension where it declares it. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** One handler for each method. */
  readonly methods: MethodHandlers<M>;
  /** Who hears what clients tell, in revisions that have sessions. */
  readonly notifications?: ClientNotificationHandlers<N>;
  /** Resources that come with the extension, by their URIs. */
  readonly resources?: Readonly<Record<string, ResourceDefinition>>;
  /** How long its results stay fresh, and for whom; what holds for lists by default. */
  readonly cache?: CacheHint;
  /** How long a call may take; the server's own limit by default. */
  readonly timeoutMs?: number;
}

/** What `serveExtension` gives. */
export interface ServerExtension {
  readonly kind: 'served-extension';
  readonly extension: ExtensionDefinition;
  readonly parts: ServeExtensionOptions<Methods, Notifications>;
  readonly compile: (source: ServerExtension) => CompiledExtension;
  /** The params of a notification about to be sent, held against their schema. */
  readonly outgoingParams: (news: ServerNotificationDefinition, params: unknown) => Record<string, unknown>;
}

/** Extensions that are only declared, by their identifiers, or those that are served. */
export type ServerExtensions = Readonly<Record<string, Record<string, unknown>>> | readonly ServerExtension[];

export const isServedList = (extensions: ServerExtensions | undefined): extensions is readonly ServerExtension[] =>
  Array.isArray(extensions);
