/** Telemetry of a client: a span for every request it sends, with its trace context in `_meta`. */
import { type Attributes, context, type Histogram, SpanKind, type TextMapSetter, trace } from '@opentelemetry/api';
import type { ClientTelemetry, TelemetryRequest } from '../client/api/telemetry-port.ts';
import { RpcError } from '../jsonrpc/errors.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { checkOptions } from '../lib/options/option-rules.ts';
import type { Fields } from '../lib/values/is.ts';
import type { Outcome } from '../protocol/neutral.ts';
import {
  createDurationHistogram,
  endSpan,
  type Failure,
  failureAttributes,
  isToolError,
  metricAttributes,
  spanAttributes,
  spanName,
  toolError,
} from './conventions.ts';
import { telemetryOptions } from './options.table.ts';
import { meterOf, propagatorOf, type TelemetryOptions, tracerOf } from './options.ts';

/** Creates a value for the option `telemetry` of `connect`: a span and a duration for every request. */
export function clientTelemetry(options: TelemetryOptions = {}): ClientTelemetry {
  checkOptions('clientTelemetry()', options, telemetryOptions);
  const tracer = tracerOf(options);
  const propagator = propagatorOf(options);
  const { attributes: more = {} } = options;
  let duration: Histogram | undefined;

  return async (request, send) => {
    duration ??= createDurationHistogram(meterOf(options), 'client');
    const own = { ...more, ...request.attributes };
    const attributes: Attributes = { ...spanAttributes(request), ...own };
    const span = tracer.startSpan(spanName(request), { kind: SpanKind.CLIENT, attributes });
    const began = performance.now();
    const active = trace.setSpan(context.active(), span);
    const meta: Fields = {};
    propagator.inject(active, meta, setter);
    let failure: Failure | undefined;
    try {
      const sent = (id: unknown): void => void span.setAttribute('jsonrpc.request.id', String(id));
      const outcome = await context.with(active, () => send(meta, sent));
      failure = failureIn(request, outcome);
      return outcome;
    } catch (error) {
      failure = failureOf(error);
      throw error;
    } finally {
      endSpan(span, failure);
      const outcome = failure === undefined ? {} : failureAttributes(failure);
      duration.record((performance.now() - began) / 1000, { ...metricAttributes(request), ...own, ...outcome });
    }
  };
}

const setter: TextMapSetter<Fields> = {
  set: (meta, key, value) => {
    meta[key] = value;
  },
};

const failureIn = ({ method }: TelemetryRequest, outcome: Outcome): Failure | undefined =>
  outcome.resultType === 'complete' && isToolError(method, outcome.result) ? toolError : undefined;

/** Every error response is an error; local failures are reported by their code. */
function failureOf(error: unknown): Failure {
  if (error instanceof RpcError)
    return { type: String(error.code), number: error.code, message: error.message, isError: true };
  return { type: error instanceof TenonError ? error.code : '_OTHER', isError: true };
}
