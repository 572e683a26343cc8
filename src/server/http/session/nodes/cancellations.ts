/** Cancellations that arrive at another endpoint than the one that runs the call: a message of the bus, and a field of the record in case it is lost. */
import type { RequestId } from '../../../../jsonrpc/message.ts';
import type { RecordFields } from '../../../../store/session-store.ts';

export interface Cancellation {
  readonly id: RequestId;
  readonly reason?: unknown;
}

/**
 * Cancellations in the record of a session. Each is in a field by its id: no endpoint has to count or delete them.
 * @limit HTTP
 * @beyond the oldest makes room; the message of the bus remains
 */
const slots = 16;
/**
 * Characters of the reason of such a cancellation.
 * @limit HTTP
 * @beyond the rest is cut off
 */
const maxReasonChars = 1000;

const prefix = 'cancel ';

/** The field that stores a cancellation; an earlier one may have to make room. */
export function cancellationField({ id, reason }: Cancellation): Record<string, string> {
  const text = JSON.stringify(id);
  let sum = 0;
  for (let at = 0; at < text.length; at++) sum = (sum * 31 + text.charCodeAt(at)) % slots;
  const short = typeof reason === 'string' ? reason.slice(0, maxReasonChars) : undefined;
  return { [prefix + sum]: JSON.stringify({ id, reason: short } satisfies Cancellation) };
}

export const cancellationsIn = (fields: RecordFields): [name: string, cancellation: Cancellation][] =>
  Object.entries(fields).flatMap(([name, text]) =>
    name.startsWith(prefix) ? [[name, JSON.parse(text) as Cancellation]] : [],
  );
