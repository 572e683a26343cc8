/** An extension on a server: its definition, its settings, and the handlers of its messages. */
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
import type { BaseContext, Caller } from './context.ts';
import type { ResourceDefinition } from './resource.ts';

/** A notification that servers send. */
export type ServerNotificationDefinition = NotificationDefinition<StandardSchema, 'server'>;

/** The context of a method of an extension. It cannot request input: only tools, prompts and resources can. */
export interface ExtensionContext extends BaseContext {
  /** The settings that the client declared; `undefined` where it did not declare the extension. */
  readonly settings: Readonly<Record<string, unknown>> | undefined;
  /** Whether a resource exists for the caller, by its URI. Without a guard of the server, every one does. */
  sees(uri: string): boolean;
  /** Sends a notification that belongs to this call, if the client declared the extension. */
  notify<N extends ServerNotificationDefinition>(notification: N, params: Input<N['params']>): void;
}

/** Handles one method of an extension. */
export type MethodHandler<M extends MethodDefinition> = (
  params: Output<M['params']>,
  context: ExtensionContext,
) => MethodResultInput<M> | Promise<MethodResultInput<M>>;

/** The handlers of all methods of an extension. */
export type MethodHandlers<M extends Methods> = { readonly [Name in keyof M]: MethodHandler<M[Name]> };

/** The sender of a notification, and its settings of the extension. */
export interface NotificationContext {
  /** The client that sent it. */
  readonly caller: Caller;
  /** The settings that the client declared; `undefined` where it did not declare the extension. */
  readonly settings: Readonly<Record<string, unknown>> | undefined;
}

/** The handlers of the notifications that clients send. */
export type ClientNotificationHandlers<N extends Notifications> = {
  readonly [Name in keyof N as N[Name]['from'] extends 'client' ? Name : never]?: (
    params: Output<N[Name]['params']>,
    by: NotificationContext,
  ) => void | Promise<void>;
};

/** The options of `serveExtension()`. */
export interface ServeExtensionOptions<M extends Methods, N extends Notifications> {
  /** The settings that the server declares; none by default. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** One handler for each method. */
  readonly methods: MethodHandlers<M>;
  /** Handlers of the notifications that clients send, by their names in the extension. Sessions only. */
  readonly notifications?: ClientNotificationHandlers<N>;
  /** Resources that come with the extension, by their URIs. */
  readonly resources?: Readonly<Record<string, ResourceDefinition>>;
  /** How long clients may cache its results, and for whom; `cache` of the server by default. */
  readonly cache?: CacheHint;
  /** The time limit of a call; `timeoutMs` of the server by default. */
  readonly timeoutMs?: number;
}

/** An extension on a server, as `serveExtension()` returns it. */
export interface ServerExtension {
  readonly type: 'served-extension';
  /** The extension, as `defineExtension()` returned it. */
  readonly extension: ExtensionDefinition;
  /** The options it was served with. */
  readonly options: ServeExtensionOptions<Methods, Notifications>;
  /** Compiles the definition. @internal */
  readonly compile: (source: ServerExtension) => unknown;
  /** Validates the params of a notification that is sent. */
  readonly outgoingParams: (notification: ServerNotificationDefinition, params: unknown) => Record<string, unknown>;
}

/** Results of `serveExtension()`, or the settings of extensions that are only declared, by identifier. */
export type ServerExtensions = Readonly<Record<string, Record<string, unknown>>> | readonly ServerExtension[];

export const isServedList = (extensions: ServerExtensions | undefined): extensions is readonly ServerExtension[] =>
  Array.isArray(extensions);
