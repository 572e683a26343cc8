/** Extensions as the user of a client gives them, and requests that their contracts type. */
import type {
  ExtensionDefinition,
  MethodDefinition,
  MethodResult,
  Methods,
  NotificationDefinition,
  Notifications,
} from '../../protocol/extensions/extension.ts';
import { isRecord } from '../../protocol/model/primitives.ts';
import { callback, checkOptions, group } from '../../protocol/option-rules.ts';
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

export interface ClientExtensionOptions<N extends Notifications = Notifications> {
  /** What the client declares of the extension; nothing by default. */
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
  options: ClientExtensionOptions<N> = {},
): ClientExtension {
  const fromServer = Object.entries(extension.notifications).filter(([, { from }]) => from === 'server');
  const notificationRules = Object.fromEntries(fromServer.map(([name]) => [name, callback]));
  checkOptions('useExtension()', options, {
    settings: { holds: isRecord, must: 'be an object' },
    notifications: group(notificationRules),
  });
  const { settings = {}, notifications = {} } = options;
  // The contract ties each handler to the schema that its params are read by.
  return {
    kind: 'used-extension',
    extension,
    settings,
    notifications: notifications as ClientExtension['notifications'],
  };
}

export interface Requesting<Options> {
  /** Calls a method of an extension. Params and result are held against its schemas; the server has to declare it. */
  request<M extends MethodDefinition>(
    method: M,
    ...following: Following<Input<M['params']>, Options>
  ): Promise<MethodResult<M>>;
  /** Tells the server something in words of an extension. Sessions only. */
  notify<N extends ClientNotificationDefinition>(news: N, params: Input<N['params']>): void;
}
