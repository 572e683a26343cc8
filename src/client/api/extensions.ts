/** The extensions of a client, and requests typed by their definitions. */

import { callback, checkOptions, group } from '../../lib/options/option-rules.ts';
import { isRecord } from '../../lib/values/is.ts';
import type {
  ExtensionDefinition,
  MethodDefinition,
  MethodResult,
  Methods,
  NotificationDefinition,
  Notifications,
} from '../../protocol/extensions/extension.ts';
import type { Input, Output, StandardSchema } from '../../schema/standard.ts';
import type { CallArguments } from './typing.ts';

/** A notification that clients send. */
export type ClientNotificationDefinition = NotificationDefinition<StandardSchema, 'client'>;

/** Listeners for the notifications of an extension that servers send, by their names in the definition. */
export type ServerNotificationHandlers<N extends Notifications> = {
  readonly [Name in keyof N as N[Name]['from'] extends 'server' ? Name : never]?: (
    params: Output<N[Name]['params']>,
  ) => void | Promise<void>;
};

/** An extension that a client uses, made by `useExtension`. */
export interface ClientExtension {
  readonly type: 'used-extension';
  /** The extension that the client uses. */
  readonly extension: ExtensionDefinition;
  /** The settings that the client declares. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Handlers of the notifications that servers send, by their names in the extension. */
  readonly notifications: Readonly<Record<string, ((params: never) => void | Promise<void>) | undefined>>;
}

/** Extensions by their definitions, or only declared: settings by identifier. */
export type ClientExtensions =
  | Readonly<Record<string, Record<string, unknown>>>
  | readonly (ExtensionDefinition | ClientExtension)[];

/** The options of `useExtension`. */
export interface UseExtensionOptions<N extends Notifications = Notifications> {
  /** The settings that the client declares. Default none. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Handlers of the notifications that servers send, by their names in the extension. */
  readonly notifications?: ServerNotificationHandlers<N>;
}

/**
 * Declares an extension to servers, with settings, and handles its notifications. Pass the result to
 * `connect(target, { extensions: [useExtension(greetings, { notifications: { waved: ({ to }) => … } })] })`.
 */
export function useExtension<const M extends Methods, const N extends Notifications>(
  extension: ExtensionDefinition<M, N>,
  options: UseExtensionOptions<N> = {},
): ClientExtension {
  const fromServer = Object.entries(extension.notifications).filter(([, { from }]) => from === 'server');
  const notificationRules = Object.fromEntries(fromServer.map(([name]) => [name, callback]));
  checkOptions('useExtension()', options, {
    settings: { holds: isRecord, must: 'be an object' },
    notifications: group(notificationRules),
  });
  const { settings = {}, notifications = {} } = options;
  // The definition types each handler by the schema of its params.
  return {
    type: 'used-extension',
    extension,
    settings,
    notifications: notifications as ClientExtension['notifications'],
  };
}

/** Sends the requests and notifications of extensions. */
export interface Requesting<Options> {
  /** Sends a request of an extension. Params and result are validated; the server must declare the extension. */
  request<M extends MethodDefinition>(
    method: M,
    ...following: CallArguments<Input<M['params']>, Options>
  ): Promise<MethodResult<M>>;
  /** Sends a notification of an extension. Only protocol versions with sessions have it. */
  notify<N extends ClientNotificationDefinition>(notification: N, params: Input<N['params']>): void;
}
