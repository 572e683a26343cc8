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
import { has, type Rule } from '../lib/options/option-rules.ts';
import { isRecord } from '../lib/values/is.ts';

/**
 * The options of `serverTelemetry` and `clientTelemetry`. One that does not exist is an error, as a misspelt tracer would
 * record nothing.
 * @area server
 * @of `clientTelemetry`
 */
export interface TelemetryOptions {
  /**
   * Creates the spans.
   * @default computed the tracer of the registered provider
   * @rule tracer
   */
  readonly tracer?: Tracer;
  /**
   * Creates the instruments.
   * @default computed the meter of the provider that is registered at the first call
   * @rule meter
   */
  readonly meter?: Meter;
  /**
   * Reads and writes trace context and baggage.
   * @default computed the registered propagator
   * @rule propagator
   */
  readonly propagator?: TextMapPropagator;
  /**
   * Attributes of every span and measurement besides those of the conventions, such as `server.address`.
   * @default off
   * @rule spanAttributes
   */
  readonly attributes?: Attributes;
}

/**
 * The options of `serverTelemetry`.
 * @area server
 * @of `serverTelemetry`
 */
export interface ServerTelemetryOptions extends TelemetryOptions {
  /**
   * Whether spans have the subject of the principal as `enduser.id`: it may be personal data. Measurements never have it.
   * @default false
   */
  readonly enduserId?: boolean;
}

export const tracer: Rule = { holds: (value) => has(value, 'startSpan'), must: 'be a tracer of OpenTelemetry' };
export const meter: Rule = { holds: (value) => has(value, 'createHistogram'), must: 'be a meter of OpenTelemetry' };
export const propagator: Rule = { holds: (value) => has(value, 'inject'), must: 'be a propagator of OpenTelemetry' };
export const spanAttributes: Rule = { holds: isRecord, must: 'be an object' };

const scope = 'tenon';

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
