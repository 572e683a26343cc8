/** The extensions of a client, and requests typed by their definitions. */
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
  readonly kind: 'used-extension';
  readonly extension: ExtensionDefinition;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly notifications: Readonly<Record<string, ((params: never) => void | Promise<void>) | undefined>>;
}

/** Extensions by their definitions, or only declared: settings by identifier. */
export type ClientExtensions =
  | Readonly<Record<string, Record<string, unknown>>>
  | readonly (ExtensionDefinition | ClientExtension)[];

/**
 * Declares an extension with settings and listeners for its notifications.
 *
 * @example
 * ```ts
 * const client = await connect(url, {
 *   extensions: [useExtension(jobs, { notifications: { finished: ({ id }) => console.log(id) } })],
 * });
 * ```
 */
export const useExtension = <const M extends Methods, const N extends Notifications>(
  extension: ExtensionDefinition<M, N>,
  {
    settings = {},
    notifications = {},
  }: { readonly settings?: Readonly<Record<string, unknown>>; readonly notifications?: ServerNotificationHandlers<N> },
): ClientExtension => ({
  kind: 'used-extension',
  extension,
  settings,
  // The definition ties each listener to the schema that validates its params.
  notifications: notifications as ClientExtension['notifications'],
});

/** Sends the requests and notifications of extensions. */
export interface Requesting<Options> {
  /** Sends a request of an extension. Params and result are validated; the server must declare the extension. */
  request<M extends MethodDefinition>(
    method: M,
    ...following: Following<Input<M['params']>, Options>
  ): Promise<MethodResult<M>>;
  /** Sends a notification of an extension. Only protocol versions with sessions have it. */
  notify<N extends ClientNotificationDefinition>(notification: N, params: Input<N['params']>): void;
}
