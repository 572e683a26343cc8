/** A token in the field `_meta.authorization` beside `params`, as the founding documents show it: removed before anything sees the message. */
import type { Message } from './message.ts';

/**
 * Removes the field and returns its value, whose only way on is the port of the peer: nothing that reads, logs or records
 * the message afterwards can show it.
 */
export function takeAuthorization(message: Message): string | undefined {
  const { _meta: meta } = message as { readonly _meta?: Record<string, unknown> | null };
  if (meta === undefined || meta === null || meta.authorization === undefined) return undefined;
  const { authorization } = meta;
  delete meta.authorization;
  // Credentials that cannot be read are not the same as none: their sender is not the principal of the connection.
  return typeof authorization === 'string' ? authorization : '';
}
