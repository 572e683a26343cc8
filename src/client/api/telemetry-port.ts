/** The port for tracing the requests of a client: its trace context is sent along, so that the server can continue it. */
import type { RequestId } from '../../jsonrpc/message.ts';
import type { Outcome } from '../../protocol/neutral.ts';

/** A request about to be sent. A call that requires input is sent once for every round. */
export interface TelemetryRequest {
  /** The method of the request, such as `tools/call`. */
  readonly method: string;
  /** The params of the request. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The protocol version in use. */
  readonly protocolVersion: string;
  /** Further attributes of its span and its measurement, of few values: a gateway names the upstream. */
  readonly attributes?: Readonly<Record<string, string>>;
}

/** Sends the request with these fields in `_meta`; `sent` is called with its id. */
export type SendTraced = (meta: Readonly<Record<string, unknown>>, sent: (id: RequestId) => void) => Promise<Outcome>;

/** Wraps every request: calls `send` once and returns its result. */
export type ClientTelemetry = (request: TelemetryRequest, send: SendTraced) => Promise<Outcome>;
