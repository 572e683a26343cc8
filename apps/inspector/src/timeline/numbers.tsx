/** Numbers over time: calls, errors, latency, messages, sessions and streams of the last minutes. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { NumbersBucket } from '../../../../src/inspector/api.ts';
import { call } from '../api/call.ts';
import { shownMs } from '../controls/format.ts';
import { barPath, chartHeight, chartWidth, linePath, niceMaximum, type Point, stepPath } from './chart.ts';
import { filter } from './rows/shown-rows.ts';

/**
 * On the page: seconds of the charts.
 * @limit inspector
 * @beyond the newest are shown
 */
export const shownSeconds = 300;

const pollMs = 2000;

const paths = { bars: barPath, line: linePath, steps: stepPath } as const;

interface Chart {
  readonly title: string;
  readonly of: (bucket: NumbersBucket) => number;
  /** A second line of the same chart, and how both are named. */
  readonly also?: (bucket: NumbersBucket) => number;
  readonly names?: readonly [string, string];
  readonly shape: 'bars' | 'line' | 'steps';
  readonly format?: (value: number) => string;
}

const charts: readonly Chart[] = [
  { title: 'Calls a second', of: ({ calls }) => calls, shape: 'bars' },
  { title: 'Errors a second', of: ({ errors }) => errors, shape: 'bars' },
  {
    title: 'Latency',
    of: ({ p50Ms }) => p50Ms,
    also: ({ p95Ms }) => p95Ms,
    names: ['median', '95 %'],
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
  const { title, of, also, names = ['', ''], shape, format = String } = chart;
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
  const values = latest === undefined ? [] : [of(latest), ...(also === undefined ? [] : [also(latest)])];
  const path = paths[shape];
  return (
    <figure class="chart">
      <figcaption>
        <span>{title}</span>
        <span class="chart-values">
          {values.length === 0 && '–'}
          {values.map((value, at) => (
            <span key={at} class={`chart-value ${at === 0 ? '' : 'second'}`}>
              {names[at]} <strong class="mono">{format(value)}</strong>
            </span>
          ))}
        </span>
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
