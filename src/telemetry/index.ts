/** Traces and metrics with OpenTelemetry: spans of calls on both sides, and gauges of the counts of services. */

export { clientTelemetry } from './client.ts';
export type { ServerTelemetryOptions, TelemetryOptions } from './options.ts';
export { serverTelemetry } from './server.ts';
export {
  type ClientWithStats,
  observeClientStats,
  observeStats,
  type ServiceStats,
  type ServiceWithStats,
} from './stats.ts';
