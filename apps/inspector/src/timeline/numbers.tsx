/** Numbers over time: calls, errors, latency, messages, sessions and streams of the last minutes. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { NumbersBucket } from '../../../../src/inspector/api.ts';
import { call } from '../api/call.ts';
import { shownMs } from '../controls/format.ts';
import { barPath, chartHeight, chartWidth, linePath, niceMaximum, type Point } from './chart.ts';
import { filter } from './rows/shown-rows.ts';

/**
 * On the page: seconds of the charts.
 * @limit inspector
 * @beyond the newest are shown
 */
const shownSeconds = 300;

const pollMs = 2000;

interface Chart {
  readonly title: string;
  readonly of: (bucket: NumbersBucket) => number;
  /** A second line of the same chart. */
  readonly also?: (bucket: NumbersBucket) => number;
  readonly shape: 'bars' | 'line' | 'steps';
  readonly format?: (value: number) => string;
}

const charts: readonly Chart[] = [
  { title: 'Calls a second', of: ({ calls }) => calls, shape: 'bars' },
  { title: 'Errors a second', of: ({ errors }) => errors, shape: 'bars' },
  {
    title: 'Latency, median and 95 %',
    of: ({ p50Ms }) => p50Ms,
    also: ({ p95Ms }) => p95Ms,
    shape: 'line',
    format: shownMs,
  },
  { title: 'Messages a second', of: ({ messages }) => messages, shape: 'bars' },
  { title: 'Sessions', of: ({ sessions }) => sessions, shape: 'steps' },
  { title: 'Open streams', of: ({ streams }) => streams, shape: 'steps' },
];

export function Numbers() {
  const buckets = useSignal<readonly NumbersBucket[]>([]);
  const { client } = filter.value;
  useEffect(() => {
    let isWanted = true;
    const fetchNumbers = async (): Promise<void> => {
      const after = Date.now() - shownSeconds * 1000;
      const answer = await call('numbers', { after, ...(client !== undefined && { client }) });
      if (isWanted) buckets.value = answer.buckets;
    };
    const poll = (): void => void fetchNumbers().catch(() => undefined);
    poll();
    const timer = setInterval(poll, pollMs);
    return () => {
      isWanted = false;
      clearInterval(timer);
    };
  }, [client]);
  return (
    <div class="numbers">
      {charts.map((chart) => (
        <ChartView key={chart.title} chart={chart} buckets={buckets.value} />
      ))}
    </div>
  );
}

function ChartView({ chart, buckets }: { readonly chart: Chart; readonly buckets: readonly NumbersBucket[] }) {
  const { title, of, also, shape, format = String } = chart;
  const end = Date.now();
  const points = (value: Chart['of']): readonly Point[] => {
    const found = buckets.map((bucket) => ({ x: 1 - (end - bucket.at) / (shownSeconds * 1000), y: value(bucket) }));
    const last = found.at(-1);
    // Sessions and streams stay until another second has another number.
    return shape === 'steps' && last !== undefined ? [...found, { x: 1, y: last.y }] : found;
  };
  const lines = [points(of), ...(also === undefined ? [] : [points(also)])];
  const maximum = niceMaximum(Math.max(0, ...lines.flat().map(({ y }) => y)));
  const latest = buckets.at(-1);
  const path = shape === 'bars' ? barPath : linePath;
  return (
    <figure class="chart">
      <figcaption>
        <span>{title}</span>
        <strong class="mono">{latest === undefined ? '–' : format(of(latest))}</strong>
      </figcaption>
      <svg viewBox={`0 0 ${chartWidth} ${chartHeight}`} preserveAspectRatio="none" role="img" aria-label={title}>
        {lines.map((line, at) => (
          <path key={at} class={at === 0 ? 'chart-line' : 'chart-line second'} d={path(line, maximum)} />
        ))}
      </svg>
      <span class="chart-most mono faint">{format(maximum)}</span>
    </figure>
  );
}
