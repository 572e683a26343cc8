/** Gauges of the counts of a service: sessions, streams, active calls, and dropped messages. */
import type { ObservableResult } from '@opentelemetry/api';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { checkOptions } from '../lib/options/option-rules.ts';
import { telemetryOptions } from './options.table.ts';
import { meterOf, type TelemetryOptions } from './options.ts';

/** The counts of a service. Those that it does not have are left out. */
export interface ServiceStats {
  /** Open sessions. */
  readonly sessions?: number;
  /** Open event streams. */
  readonly streams?: number;
  /** Calls that are running. */
  readonly activeCalls?: number;
  /** Calls that wait for a slot. */
  readonly waitingCalls?: number;
  /** Tasks that run in this process. */
  readonly runningTasks?: number;
  /** Tasks that ran in this process and wait for input since. */
  readonly waitingTasks?: number;
  /** Dropped messages, by reason. */
  readonly dropped?: { readonly [Reason in DropReason]?: number };
}

/** Anything with `stats()`: what `serveHttp`, `serveStdio`, `toFetchHandler` and `toNodeHandler` return. */
export interface ServiceWithStats {
  /** The current numbers. */
  stats(): ServiceStats;
}

/** What `connect` and `createClient` return. */
export interface ClientWithStats {
  /** The current numbers. */
  stats(): Pick<ServiceStats, 'dropped'>;
}

type DropReason = (typeof reasons)[number];

const reasons = ['late', 'unknown', 'invalid', 'slow'] as const;

const gauges = [
  ['sessions', 'tenon.server.sessions', '{session}', 'Open sessions.'],
  ['streams', 'tenon.server.streams', '{stream}', 'Open event streams.'],
  ['activeCalls', 'tenon.server.calls', '{call}', 'Calls that have not finished.'],
  ['waitingCalls', 'tenon.server.waiting_calls', '{call}', 'Calls that wait for a slot.'],
  ['runningTasks', 'tenon.server.tasks', '{task}', 'Tasks that run in this process.'],
  ['waitingTasks', 'tenon.server.waiting_tasks', '{task}', 'Tasks that wait for input since they ran in this process.'],
] as const;

/** Observes the counts of a service at every collection; call the returned function to stop. */
export function observeStats(service: ServiceWithStats, options: TelemetryOptions = {}): () => void {
  if (typeof service?.stats !== 'function')
    throw new TenonError('invalid-argument', 'observeStats() needs a service with stats().', {
      hint: 'Pass the result of serveHttp, serveStdio, toFetchHandler or toNodeHandler, not the server.',
    });
  checkOptions('observeStats()', options, telemetryOptions);
  const meter = meterOf(options);
  const { attributes = {} } = options;
  const stops = gauges.map(([key, name, unit, description]) => {
    const gauge = meter.createObservableUpDownCounter(name, { unit, description });
    const observe = (result: ObservableResult): void => {
      const value = service.stats()[key];
      if (value !== undefined) result.observe(value, attributes);
    };
    gauge.addCallback(observe);
    return () => gauge.removeCallback(observe);
  });
  const stopDropped = observeDropped('tenon.server.messages.dropped', service, options);
  return () => {
    for (const stop of stops) stop();
    stopDropped();
  };
}

/** Counts the messages that a client received and dropped; call the returned function to stop. */
export function observeClientStats(client: ClientWithStats, options: TelemetryOptions = {}): () => void {
  if (typeof client?.stats !== 'function')
    throw new TenonError('invalid-argument', 'observeClientStats() needs a client with stats().', {
      hint: 'Pass the result of connect or createClient.',
    });
  checkOptions('observeClientStats()', options, telemetryOptions);
  return observeDropped('tenon.client.messages.dropped', client, options);
}

/** Returns a function that stops it. */
function observeDropped(name: string, of: ClientWithStats, options: TelemetryOptions): () => void {
  const { attributes = {} } = options;
  const counter = meterOf(options).createObservableCounter(name, {
    unit: '{message}',
    description: 'Messages that were dropped, by reason.',
  });
  const observe = (result: ObservableResult): void => {
    const { dropped = {} } = of.stats();
    for (const reason of reasons) {
      const value = dropped[reason];
      if (value !== undefined) result.observe(value, { ...attributes, 'tenon.drop.reason': reason });
    }
  };
  counter.addCallback(observe);
  return () => counter.removeCallback(observe);
}
