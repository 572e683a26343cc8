/** Telemetry of the requests to one upstream. */
import type { ClientTelemetry } from '../../client/api/telemetry-port.ts';

/** The spans and measurements of an upstream have its name. */
export const tracedFor =
  (telemetry: ClientTelemetry, upstream: string): ClientTelemetry =>
  (request, send) =>
    telemetry({ ...request, attributes: { ...request.attributes, 'tenon.upstream': upstream } }, send);
