/** Options of telemetry; the defaults are the providers that the process has registered with OpenTelemetry. */
import {
  type Attributes,
  type Meter,
  metrics,
  propagation,
  type TextMapPropagator,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { checkOptions, has, type Rules } from '../lib/options/option-rules.ts';
import { isRecord } from '../lib/values/is.ts';

/** The options of `serverTelemetry` and `clientTelemetry`. */
export interface TelemetryOptions {
  /** Creates the spans. Default: the tracer of the registered provider. */
  readonly tracer?: Tracer;
  /** Creates the instruments. Default: the meter of the provider that is registered at the first call. */
  readonly meter?: Meter;
  /** Reads and writes trace context and baggage. Default: the registered propagator. */
  readonly propagator?: TextMapPropagator;
  /** Attributes of every span and measurement besides those of the conventions, such as `server.address`. */
  readonly attributes?: Attributes;
}

/** The options of `serverTelemetry`. */
export interface ServerTelemetryOptions extends TelemetryOptions {
  /** Whether spans have the subject of the principal as `enduser.id`: it may be personal data. Measurements never have it. Default false. */
  readonly enduserId?: boolean;
}

const scope = 'tenon';

/** Throws for an option that does not exist, as a misspelt tracer would record nothing. */
export const checkTelemetry = (of: string, options: TelemetryOptions, more: Rules = {}): void =>
  checkOptions(of, options, {
    tracer: { holds: (value) => has(value, 'startSpan'), must: 'be a tracer of OpenTelemetry' },
    meter: { holds: (value) => has(value, 'createHistogram'), must: 'be a meter of OpenTelemetry' },
    propagator: { holds: (value) => has(value, 'inject'), must: 'be a propagator of OpenTelemetry' },
    attributes: { holds: isRecord, must: 'be an object' },
    ...more,
  });

export const tracerOf = ({ tracer = trace.getTracer(scope) }: TelemetryOptions): Tracer => tracer;

/** Called at the first use: a meter that is created before a provider is registered records nothing. */
export const meterOf = ({ meter = metrics.getMeter(scope) }: TelemetryOptions): Meter => meter;

/** What both sides need of a propagator; the registered one has it too. */
export type Propagator = Pick<TextMapPropagator, 'extract' | 'inject'>;

export const propagatorOf = ({ propagator }: TelemetryOptions): Propagator => propagator ?? registered;

const registered: Propagator = {
  extract: (context, carrier, getter) => propagation.extract(context, carrier, getter),
  inject: (context, carrier, setter) => propagation.inject(context, carrier, setter),
};
