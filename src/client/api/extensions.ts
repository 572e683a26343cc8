/** Extensions as the user of a client gives them, and requests that their contracts type. */
import type {
  ExtensionDefinition,
  MethodDefinition,
  MethodResult,
  Methods,
  NotificationDefinition,
  Notifications,
} from '../../protocol/extensions/extension.ts';
import type { Input, Output, StandardSchema } from '../../schema/standard.ts';
import type { Following } from './typing.ts';

/** News that clients tell. */
export type ClientNotificationDefinition = NotificationDefinition<StandardSchema, 'client'>;

export type ServerNotificationHandlers<N extends Notifications> = {
  readonly [Name in keyof N as N[Name]['from'] extends 'server' ? Name : never]?: (
    params: Output<N[Name]['params']>,
  ) => void | Promise<void>;
};

export interface ClientExtension {
  readonly kind: 'used-extension';
  readonly extension: ExtensionDefinition;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly notifications: Readonly<Record<string, ((params: never) => void | Promise<void>) | undefined>>;
}

/** Extensions that are only declared, by their identifiers, or those whose contracts the client holds. */
export type ClientExtensions =
  | Readonly<Record<string, Record<string, unknown>>>
  | readonly (ExtensionDefinition | ClientExtension)[];

/** The options of `useExtension`. */
export interface UseExtensionOptions<N extends Notifications> {
  /** What the client declares about the extension. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Callbacks for the notifications of the server, by their names in the extension. */
  readonly notifications?: ServerNotificationHandlers<N>;
}

/** Has a client declare an extension with settings, and hear what servers tell in its words. */
export const useExtension = <const M extends Methods, const N extends Notifications>(
  extension: ExtensionDefinition<M, N>,
  { settings = {}, notifications = {} }: UseExtensionOptions<N>,
): ClientExtension => ({
  kind: 'used-extension',
  extension,
  settings,
  // The contract ties each listener to the schema that its params are read by.
  notifications: notifications as ClientExtension['notifications'],
});

export interface Requesting<Options> {
  /** Calls a method of an extension. Params and result are held against its schemas; the server has to declare it. */
  request<M extends MethodDefinition>(
    method: M,
    ...following: Following<Input<M['params']>, Options>
  ): Promise<MethodResult<M>>;
  /** Tells the server something in words of an extension. Sessions only. */
  notify<N extends ClientNotificationDefinition>(news: N, params: Input<N['params']>): void;
}
