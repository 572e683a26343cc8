/** Traces and metrics with OpenTelemetry: spans of calls on both sides, and gauges of the counts of services. */

export type { ClientTelemetry } from '../client/api/telemetry-port.ts';
export type { Middleware } from '../server/definition/middleware.ts';
export { clientTelemetry } from './client.ts';
export type { ServerTelemetryOptions, TelemetryOptions } from './options.ts';
export { serverTelemetry } from './server.ts';
export { observeStats, type ServiceStats, type ServiceWithStats } from './stats.ts';
