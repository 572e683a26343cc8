/** The port for tracing the requests of a client: its trace context is sent along, so that the server can continue it. */
import type { RequestId } from '../../jsonrpc/message.ts';
import type { Fields, Outcome } from '../../protocol/neutral.ts';

/** A request that is about to be sent. A call that is asked back is sent once for every round. */
export interface TelemetryRequest {
  readonly method: string;
  readonly params: Readonly<Fields>;
  readonly revision: string;
}

/** Sends a request with what is to go along in `_meta`; `sent` hears its id. */
export type SendTraced = (meta: Readonly<Fields>, sent: (id: RequestId) => void) => Promise<Outcome>;

/** Stands around every request: sends it once, and gives what comes of that. */
export type ClientTelemetry = (request: TelemetryRequest, send: SendTraced) => Promise<Outcome>;
