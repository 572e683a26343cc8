/** Registers OpenTelemetry as a program does, with exporters that store spans and metrics in memory. */
import { context, metrics, propagation, SpanKind, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  AggregationTemporality,
  type DataPoint,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeEach } from 'vitest';

export interface Collector {
  /** All spans that have ended, in the order in which they ended. */
  spans(): readonly ReadableSpan[];
  served(): readonly ReadableSpan[];
  sent(): readonly ReadableSpan[];
  /** The current data points of an instrument; none if it has recorded nothing. */
  points(name: string): Promise<readonly DataPoint<unknown>[]>;
}

/** Registers providers for one test file; spans are cleared before every test. */
export function collect(): Collector {
  const exporter = new InMemorySpanExporter();
  const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 3_600_000 });
  const meters = new MeterProvider({ readers: [reader] });
  const tracers = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(
    new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
  );
  trace.setGlobalTracerProvider(tracers);
  metrics.setGlobalMeterProvider(meters);
  beforeEach(() => exporter.reset());
  afterAll(async () => {
    await tracers.shutdown();
    await meters.shutdown();
  });
  const spans = (): readonly ReadableSpan[] => exporter.getFinishedSpans();
  return {
    spans,
    served: () => spans().filter(({ kind }) => kind === SpanKind.SERVER),
    sent: () => spans().filter(({ kind }) => kind === SpanKind.CLIENT),
    async points(name) {
      await reader.forceFlush();
      const instruments =
        measured
          .getMetrics()
          .at(-1)
          ?.scopeMetrics.flatMap((scope) => scope.metrics) ?? [];
      return instruments.flatMap(({ descriptor, dataPoints }): readonly DataPoint<unknown>[] =>
        descriptor.name === name ? dataPoints : [],
      );
    },
  };
}
