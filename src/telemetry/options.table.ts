/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { flag, type Table } from '../lib/options/option-table.ts';
import { meter, propagator, type ServerTelemetryOptions, spanAttributes, type TelemetryOptions, tracer } from './options.ts';

export const telemetryOptions = {
  tracer,
  meter,
  propagator,
  attributes: spanAttributes,
} as const satisfies Table<TelemetryOptions>;

export const serverTelemetryOptions = {
  tracer,
  meter,
  propagator,
  attributes: spanAttributes,
  enduserId: flag(false),
} as const satisfies Table<ServerTelemetryOptions>;
