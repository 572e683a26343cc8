/** The port for tracing the requests of a client: its trace context is sent along, so that the server can continue it. */
import type { RequestId } from '../../jsonrpc/message.ts';
import type { Fields, Outcome } from '../../protocol/neutral.ts';

/** A request about to be sent. A call that requires input is sent once for every round. */
export interface TelemetryRequest {
  readonly method: string;
  readonly params: Readonly<Fields>;
  readonly protocolVersion: string;
}

/** Sends the request with these fields in `_meta`; `sent` is called with its id. */
export type SendTraced = (meta: Readonly<Fields>, sent: (id: RequestId) => void) => Promise<Outcome>;

/** Wraps every request: calls `send` once and returns its result. */
export type ClientTelemetry = (request: TelemetryRequest, send: SendTraced) => Promise<Outcome>;
