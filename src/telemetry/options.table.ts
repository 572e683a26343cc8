/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { flag, type Table, table } from '../lib/options/option-table.ts';
import { meter, propagator, type ServerTelemetryOptions, spanAttributes, type TelemetryOptions, tracer } from './options.ts';

export const telemetryOptions = /* @__PURE__ */ table(
  () =>
    ({
      tracer,
      meter,
      propagator,
      attributes: spanAttributes,
    }) satisfies Table<TelemetryOptions>,
);

export const serverTelemetryOptions = /* @__PURE__ */ table(
  () =>
    ({
      tracer,
      meter,
      propagator,
      attributes: spanAttributes,
      enduserId: flag(false),
    }) satisfies Table<ServerTelemetryOptions>,
);
