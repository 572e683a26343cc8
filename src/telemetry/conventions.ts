/** OpenTelemetry's conventions for MCP: the names of spans, and the attributes of one operation. */
import { type Attributes, type Histogram, type Meter, type Span, SpanStatusCode } from '@opentelemetry/api';
import type { Fields } from '../lib/values/is.ts';

/** One request as both sides see it. */
export interface Operation {
  readonly method: string;
  readonly params: Readonly<Fields>;
  /** The protocol version of the request. */
  readonly protocolVersion: string;
}

/** The tool or prompt of an operation. There are few, so that they can be attributes of metrics. */
interface OperationTarget {
  readonly attribute: 'gen_ai.tool.name' | 'gen_ai.prompt.name';
  readonly name: string;
}

/** Names are short, but a client may send any string in their place. */
const maxName = 128;

function targetOf({ method, params }: Operation): OperationTarget | undefined {
  const { name, ref } = params;
  if (method === 'tools/call') return shortened('gen_ai.tool.name', name);
  if (method === 'prompts/get') return shortened('gen_ai.prompt.name', name);
  const { type, name: completed } = (ref ?? {}) as Fields;
  return method === 'completion/complete' && type === 'ref/prompt'
    ? shortened('gen_ai.prompt.name', completed)
    : undefined;
}

const shortened = (attribute: OperationTarget['attribute'], name: unknown): OperationTarget => ({
  attribute,
  name: String(name).slice(0, maxName),
});

/** URIs are not part of names: there are too many. */
export function spanName(operation: Operation): string {
  const target = targetOf(operation);
  return target === undefined ? operation.method : `${operation.method} ${target.name}`;
}

/** Attributes of metrics: few values, so that the number of series does not grow with what clients send. */
export function metricAttributes(operation: Operation, isNameKnown = true): Attributes {
  const { method, protocolVersion } = operation;
  const attributes: Attributes = { 'mcp.method.name': method, 'mcp.protocol.version': protocolVersion };
  const target = targetOf(operation);
  if (target !== undefined && isNameKnown) attributes[target.attribute] = target.name;
  if (method === 'tools/call') attributes['gen_ai.operation.name'] = 'execute_tool';
  return attributes;
}

/** Attributes of a span: those of metrics, and the URI. Never arguments or results. */
export function spanAttributes(operation: Operation): Attributes {
  const attributes = metricAttributes(operation);
  const { method, params } = operation;
  if (method.startsWith('resources/') && typeof params.uri === 'string') attributes['mcp.resource.uri'] = params.uri;
  return attributes;
}

/** How an operation failed. */
export interface Failure {
  /** Whether it is an error of the side that reports it. */
  readonly isError: boolean;
  /** The kind of error, one of few. */
  readonly type: string;
  /** The code of the JSON-RPC error, if there is one. */
  readonly number?: number;
  /** The message of the error. */
  readonly message?: string;
}

export function endSpan(span: Span, failure: Failure | undefined): void {
  if (failure !== undefined) {
    span.setAttributes(failureAttributes(failure));
    const { message } = failure;
    if (failure.isError) span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) });
  }
  span.end();
}

export function failureAttributes({ type, number }: Failure): Attributes {
  return number === undefined
    ? { 'error.type': type }
    : { 'error.type': type, 'rpc.response.status_code': String(number) };
}

/** A tool result with `isError`. */
export const toolError: Failure = { type: 'tool_error', isError: true };

export const isToolError = (method: string, result: Readonly<Fields>): boolean =>
  method === 'tools/call' && result.isError === true;

/** Upper bounds of the buckets, in seconds. */
const buckets = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/** Waits may take days. */
const waitBuckets = [...buckets, 3600, 86_400];

/** How long tasks wait before their runs: for a process, and for input. */
export interface WaitHistograms {
  readonly queue: Histogram;
  readonly input: Histogram;
}

export function createWaitHistograms(meter: Meter): WaitHistograms {
  const wait = (what: string, description: string): Histogram =>
    meter.createHistogram(`tenon.server.task.${what}.duration`, {
      unit: 's',
      description,
      advice: { explicitBucketBoundaries: waitBuckets },
    });
  return {
    queue: wait('queue', 'How long a task waits for a process before a run.'),
    input: wait('input', 'How long a task waits for input.'),
  };
}

export const createDurationHistogram = (meter: Meter, side: 'server' | 'client'): Histogram =>
  meter.createHistogram(`mcp.${side}.operation.duration`, {
    unit: 's',
    description: `How long a request takes, as the ${side} sees it.`,
    advice: { explicitBucketBoundaries: buckets },
  });
