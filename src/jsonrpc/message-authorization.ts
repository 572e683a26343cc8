/** A token in the field `_meta.authorization` beside `params`, as the founding documents show it: removed before anything sees the message. */
import type { Message } from './message.ts';

/**
 * Removes the field and returns its value, which only the port of the peer receives: code that reads, logs or records
 * the message later cannot show it.
 */
export function takeAuthorization(message: Message): string | undefined {
  const { _meta: meta } = message as { readonly _meta?: Record<string, unknown> | null };
  if (meta === undefined || meta === null || meta.authorization === undefined) return undefined;
  const { authorization } = meta;
  delete meta.authorization;
  // Unreadable credentials are not the same as none: the sender is not treated as the principal of the connection.
  return typeof authorization === 'string' ? authorization : '';
}

/** The message with a token in that field, in which a peer without headers reads it. */
export const withAuthorization = <M extends Message>(message: M, authorization: string): M => ({
  ...message,
  _meta: { authorization },
});
