/** The port by which somebody follows the requests of a client: what it gives goes along, so that the server can go on. */
import type { RequestId } from '../../jsonrpc/message.ts';
import type { RequestOptions } from '../../jsonrpc/outbox.ts';
import { isRecord } from '../../protocol/model/primitives.ts';
import type { Fields, Outcome } from '../../protocol/neutral.ts';

/** A request that is about to be sent. A call that is asked back is sent once for every round. */
export interface TracedRequest {
  readonly method: string;
  readonly params: Readonly<Fields>;
  readonly revision: string;
}

/** Sends a request with what is to go along in `_meta`; `sent` hears its id. */
export type SendTraced = (meta: Readonly<Fields>, sent: (id: RequestId) => void) => Promise<Outcome>;

/** Stands around every request: sends it once, and gives what comes of that. */
export type CallTrace = (request: TracedRequest, send: SendTraced) => Promise<Outcome>;

/** What goes along besides what the caller gives. A caller with a trace of its own keeps it whole. */
export function withTrace(params: Fields | undefined, meta: Readonly<Fields>): Fields | undefined {
  const given = isRecord(params?._meta) ? params._meta : {};
  if ('traceparent' in given || Object.keys(meta).length === 0) return params;
  return { ...params, _meta: { ...meta, ...given } };
}

export const tellingBoth = (
  options: RequestOptions | undefined,
  sent: (id: RequestId) => void,
): RequestOptions & Required<Pick<RequestOptions, 'sent'>> => ({
  ...options,
  sent(id) {
    sent(id);
    options?.sent?.(id);
  },
});
