/** The numbers of a gateway in the text format of Prometheus. */
import type { HttpStats } from '../../server/http/reporting/dropped.ts';
import type { GatewayStatus, UpstreamStatus } from '../types.ts';

export interface MetricsSource {
  readonly status: GatewayStatus;
  readonly http: HttpStats;
  /** Reloads since the start, by their result. */
  readonly reloads: { readonly done: number; readonly refused: number };
}

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

export function metricsText({ status, http, reloads }: MetricsSource): string {
  const upstreams = Object.entries(status.upstreams);
  const each = (valueOf: (one: UpstreamStatus) => number): Sample[] =>
    upstreams.map(([upstream, one]) => [{ upstream }, valueOf(one)]);
  const metrics = [
    family(
      'upstream_up',
      'gauge',
      'Whether calls to the upstream are tried: 0 if its last attempt to connect failed.',
      each(isUp),
    ),
    family(
      'upstream_connections',
      'gauge',
      'Open connections to the upstream.',
      each((one) => one.connections),
    ),
    family(
      'upstream_waiting_calls',
      'gauge',
      'Calls that wait for a connection.',
      each((one) => one.waiting),
    ),
    family(
      'upstream_parked_calls',
      'gauge',
      'Calls that wait for an answer of their caller.',
      each((one) => one.parked),
    ),
    family(
      'upstream_circuit_open',
      'gauge',
      'Whether the upstream is not tried, since it failed too often.',
      each(isOpen),
    ),
    family(
      'upstream_generation',
      'gauge',
      'Rises with every change of the upstream by a reload.',
      each((one) => one.generation),
    ),
    family('dropped_total', 'counter', 'What could not cross the gateway, by reason.', byReason(status.dropped)),
    family(
      'messages_dropped_total',
      'counter',
      'Messages of callers that were dropped, by reason.',
      byReason(http.dropped),
    ),
    family('sessions', 'gauge', 'Open sessions of callers.', [[{}, http.sessions]]),
    family('streams', 'gauge', 'Open event streams of callers.', [[{}, http.streams]]),
    family('active_calls', 'gauge', 'Calls of callers that have not finished.', [[{}, http.activeCalls]]),
    family('waiting_calls', 'gauge', 'Calls of callers that wait for a slot.', [[{}, http.waitingCalls]]),
    family('reloads_total', 'counter', 'Reloads of the configuration, by result.', [
      [{ result: 'done' }, reloads.done],
      [{ result: 'refused' }, reloads.refused],
    ]),
  ];
  return metrics.join('');
}

const isUp = ({ state }: UpstreamStatus): number => (state === 'failing' ? 0 : 1);
const isOpen = ({ circuit }: UpstreamStatus): number => (circuit === 'closed' ? 0 : 1);

const byReason = (counts: object): Sample[] =>
  Object.entries(counts).map(([reason, value]) => [{ reason }, value as number]);

function family(name: string, type: 'gauge' | 'counter', help: string, samples: readonly Sample[]): string {
  const full = `tenon_gateway_${name}`;
  const lines = samples.map(([labels, value]) => `${full}${labelText(labels)} ${value}\n`);
  return lines.length === 0 ? '' : `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n${lines.join('')}`;
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
