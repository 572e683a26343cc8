/** Telemetry of a server: middleware that creates a span for every call and records its duration. */
import {
  type Attributes,
  type Context,
  context,
  type Histogram,
  type Link,
  type Span,
  SpanKind,
  type TextMapGetter,
  trace,
} from '@opentelemetry/api';
import { RpcError } from '../jsonrpc/errors.ts';
import { checkOptions } from '../lib/options/option-rules.ts';
import type { CallOutcome } from '../ports/call-outcome.ts';
import type { TaskAttempt } from '../server/definition/context.ts';
import type { Middleware, MiddlewareCall } from '../server/definition/middleware.ts';
import type { RequestDetails } from '../server/ports/request-details.ts';
import {
  createDurationHistogram,
  createWaitHistograms,
  endSpan,
  type Failure,
  failureAttributes,
  isToolError,
  metricAttributes,
  type Operation,
  spanAttributes,
  spanName,
  toolError,
  type WaitHistograms,
} from './conventions.ts';
import { serverTelemetryOptions } from './options.table.ts';
import { meterOf, type Propagator, propagatorOf, type ServerTelemetryOptions, tracerOf } from './options.ts';

/** Creates middleware that records a span and a duration for every call. Put it first, so that the span covers the others. */
export function serverTelemetry(options: ServerTelemetryOptions = {}): Middleware {
  checkOptions('serverTelemetry()', options, serverTelemetryOptions);
  const tracer = tracerOf(options);
  const propagator = propagatorOf(options);
  let duration: Histogram | undefined;
  let waits: WaitHistograms | undefined;

  return (call, next) => {
    duration ??= createDurationHistogram(meterOf(options), 'server');
    const telemetry = new CallTelemetry(call, duration, options.attributes);
    const { task } = call.ctx;
    if (task !== undefined) telemetry.waited(task, (waits ??= createWaitHistograms(meterOf(options))));
    const { parent, links } = parentOf(call, telemetry.origin, propagator);
    const settings = { kind: SpanKind.SERVER, attributes: telemetry.attributes(options.enduserId), links };
    const span = tracer.startSpan(spanName(telemetry.operation), settings, parent);
    return context.with(trace.setSpan(parent, span), next).then(
      (settled) => {
        if (settled.resultType === 'task') span.setAttribute('tenon.task.id', String(settled.task.taskId));
        telemetry.end(span, telemetry.failureIn(settled));
        return settled;
      },
      (error) => {
        telemetry.fail(span, error);
        throw error;
      },
    );
  };
}

/** Errors of calls whose name is unknown: recording such names would create any number of series. */
const unknownNames: ReadonlySet<string> = new Set(['tool-not-found', 'prompt-not-found']);

class CallTelemetry {
  readonly operation: Operation;
  readonly origin: RequestDetails;
  readonly #call: MiddlewareCall;
  readonly #duration: Histogram;
  readonly #more: Attributes;
  readonly #began = performance.now();

  constructor(call: MiddlewareCall, duration: Histogram, more: Attributes = {}) {
    const { method, params, ctx: context } = call;
    this.#call = call;
    this.#duration = duration;
    this.#more = more;
    this.origin = context.request;
    this.operation = { method, params, protocolVersion: context.caller.protocolVersion };
  }

  attributes(hasEnduser = false): Attributes {
    const { requestId, sessionIdSuffix: session } = this.origin;
    const attributes = {
      ...spanAttributes(this.operation),
      ...this.#transportAttributes(),
      'jsonrpc.request.id': String(requestId),
    };
    if (session !== undefined) Object.assign(attributes, { 'mcp.session.id': session });
    const { round, caller, task } = this.#call.ctx;
    if (task !== undefined) Object.assign(attributes, { 'tenon.task.id': task.id, 'tenon.task.attempt': task.attempt });
    if (hasEnduser && caller.principal !== undefined)
      Object.assign(attributes, { 'enduser.id': caller.principal.subject });
    return round === 0 ? attributes : { ...attributes, 'tenon.call.round': round };
  }

  /** What a task waited for before this run. */
  waited({ attempt, queuedMs, inputMs }: TaskAttempt, { queue, input }: WaitHistograms): void {
    const attributes = { ...metricAttributes(this.operation), ...this.#more };
    const run = inputMs !== undefined ? 'resumed' : attempt > 1 ? 'retried' : 'first';
    queue.record(queuedMs / 1000, { ...attributes, 'tenon.task.run': run });
    if (inputMs !== undefined) input.record(inputMs / 1000, attributes);
  }

  /** Requiring input is a success, and so is a cancelled listen request. */
  failureIn(settled: CallOutcome): Failure | undefined {
    if (settled.resultType !== 'complete' || this.operation.method === 'subscriptions/listen') return undefined;
    if (this.#call.ctx.finished) return { type: 'cancelled', isError: false };
    return isToolError(this.operation.method, settled.result) ? toolError : undefined;
  }

  fail(span: Span, error: unknown): void {
    const sent = RpcError.from(error);
    const isNameKnown = !unknownNames.has(sent.reason);
    if (!isNameKnown) span.updateName(this.operation.method);
    const number = this.origin.errorCode(sent);
    const counts = isServerError(number, sent.reason);
    this.end(span, { type: String(number), number, message: sent.message, isError: counts }, isNameKnown);
  }

  end(span: Span, failure: Failure | undefined, isNameKnown = true): void {
    endSpan(span, failure);
    const outcome = failure === undefined ? {} : failureAttributes(failure);
    const seconds = (performance.now() - this.#began) / 1000;
    this.#duration.record(seconds, {
      ...metricAttributes(this.operation, isNameKnown),
      ...this.#transportAttributes(),
      ...outcome,
    });
  }

  #transportAttributes(): Attributes {
    const { transport } = this.origin;
    if (transport === undefined) return this.#more;
    const protocol = transport === 'tcp' ? { 'network.protocol.name': 'http' } : {};
    return { 'network.transport': transport, ...protocol, ...this.#more };
  }
}

/** Whether the server failed. An error of the client has a status code, and is not an error of the server. */
const isServerError = (number: number, reason: string): boolean =>
  number === -32_603 || (number >= -32_099 && number <= -32_000) || reason === 'timeout' || reason === 'overloaded';

interface ParentSpan {
  readonly parent: Context;
  readonly links: Link[];
}

/**
 * The trace context of the message comes first, since one HTTP request can carry several messages, and one call several
 * HTTP requests; the active span or the headers are then linked. Without it, the active span is the parent, or else the
 * trace context of the headers.
 */
function parentOf(call: MiddlewareCall, { header }: RequestDetails, propagator: Propagator): ParentSpan {
  const ambient = context.active();
  const around = trace.getSpanContext(ambient) === undefined ? propagator.extract(ambient, header, headers) : ambient;
  const fromMessage = propagator.extract(trace.deleteSpan(around), call.ctx.meta, meta);
  const span = trace.getSpan(around);
  if (span === undefined) return { parent: fromMessage, links: [] };
  const carrier = span.spanContext();
  const sender = trace.getSpanContext(fromMessage);
  if (sender === undefined) return { parent: trace.setSpan(fromMessage, span), links: [] };
  return { parent: fromMessage, links: sender.spanId === carrier.spanId ? [] : [{ context: carrier }] };
}

const headers: TextMapGetter<RequestDetails['header']> = {
  get: (header, key) => header(key.toLowerCase()),
  keys: () => [],
};

const meta: TextMapGetter<Readonly<Record<string, unknown>>> = {
  get: (carrier, key) => (typeof carrier[key] === 'string' ? carrier[key] : undefined),
  keys: Object.keys,
};
