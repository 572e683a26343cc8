/** Gauges of the counts of a service: open sessions, streams and calls, and dropped messages. */
import type { ObservableResult } from '@opentelemetry/api';
import { meterOf, type TelemetryOptions } from './options.ts';

/** What a service may count. Counts that are absent are not reported. */
export interface Counts {
  readonly sessions?: number;
  readonly streams?: number;
  readonly running?: number;
  readonly late?: number;
  readonly unknown?: number;
  readonly invalid?: number;
  readonly slow?: number;
}

const gauges = [
  ['sessions', 'tenon.server.sessions', '{session}', 'Sessions that live.'],
  ['streams', 'tenon.server.streams', '{stream}', 'Streams of events that are open.'],
  ['running', 'tenon.server.calls', '{call}', 'Calls that are under way.'],
] as const;

const drops = ['late', 'unknown', 'invalid', 'slow'] as const;

/** Observes the counts at every collection; call the returned function to stop. */
export function observeCounts(counts: () => Counts, options: TelemetryOptions = {}): () => void {
  const meter = meterOf(options);
  const { attributes = {} } = options;
  const stops = gauges.map(([key, name, unit, description]) => {
    const gauge = meter.createObservableUpDownCounter(name, { unit, description });
    const observe = (result: ObservableResult): void => {
      const value = counts()[key];
      if (value !== undefined) result.observe(value, attributes);
    };
    gauge.addCallback(observe);
    return () => gauge.removeCallback(observe);
  });
  const dropped = meter.createObservableCounter('tenon.server.messages.dropped', {
    unit: '{message}',
    description: 'Messages that were dropped, by why.',
  });
  const observeDropped = (result: ObservableResult): void => {
    const present = counts();
    for (const why of drops) {
      const value = present[why];
      if (value !== undefined) result.observe(value, { ...attributes, 'tenon.drop.reason': why });
    }
  };
  dropped.addCallback(observeDropped);
  return () => {
    for (const stop of stops) stop();
    dropped.removeCallback(observeDropped);
  };
}
