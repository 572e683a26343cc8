/** `tenon bench`: calls a tool many times, and shows calls per second and latencies; at Ctrl+C those measured so far. */

import { findTool } from '../../answers/typed-request.ts';
import { callArguments } from '../../input/call-arguments.ts';
import type { CommandResult, RunCommand } from '../../io/command.ts';
import type { Given } from '../../io/given.ts';
import type { Io } from '../../io/io.ts';
import { type Progress, showProgress } from '../../output/progress.ts';
import { textTable } from '../../output/table.ts';
import { withClient } from '../../target/open-client.ts';
import { usageError } from '../../usage-error.ts';
import { latenciesOf, type Measured, type MeasureOptions, measure } from './measure.ts';

/** What an option is if it is not set, and what it may be at most. */
interface Bounds {
  readonly usual: number;
  readonly most: number;
}

/**
 * Calls of `tenon bench`.
 * @limit command line
 * @option --calls
 * @default 1000, at most 1,000,000
 * @beyond it ends
 */
const calls: Bounds = { usual: 1000, most: 1_000_000 };

/**
 * Time of `tenon bench`.
 * @limit command line
 * @option --seconds
 * @default 10 s, at most 10 min
 * @beyond it ends
 */
const seconds: Bounds = { usual: 10, most: 600 };

/**
 * Calls of `tenon bench` at once.
 * @limit command line
 * @option --concurrency
 * @default 1, at most 1000
 * @beyond the others wait
 */
const concurrency: Bounds = { usual: 1, most: 1000 };

const bounds = { calls, seconds, concurrency };

/** Calls before the measurement, so that it does not include the first ones of a new process. */
const warmUpCalls = 10;

export const run: RunCommand = async (given) => {
  const { io } = given;
  const [name = '', ...words] = given.words;
  const maxCalls = countOf(given, 'calls');
  const atOnce = countOf(given, 'concurrency');
  const maxMs = countOf(given, 'seconds') * 1000;
  const json = given.text('args') === '-' ? await io.readInput() : given.text('args');
  const progress = showProgress(io, name);
  const options: MeasureOptions = {
    maxCalls,
    maxMs,
    concurrency: atOnce,
    signal: io.signal,
    now: () => performance.now(),
    onProgress: shownProgress(progress, { maxCalls, maxMs }),
  };
  return withClient(given, async (client) => {
    const args = callArguments({ words, json }, (await findTool(client, name)).inputSchema);
    const call = async (): Promise<boolean> =>
      (await client.tools.call(name, args, { signal: io.signal })).isError !== true;
    for (let n = 0; n < Math.min(warmUpCalls, maxCalls); n++) await call();
    const measured = await measure(call, options);
    progress.end();
    const how = { concurrency: atOnce, protocolVersion: client.protocolVersion };
    return resultOf(measured, how, io);
  }).finally(() => progress.end());
};

/** A bar that is drawn for each call would slow the calls down. */
const drawAfterMs = 100;

/** A bar of the calls or of the time, whichever ends first. */
function shownProgress(
  progress: Progress,
  { maxCalls, maxMs }: Pick<MeasureOptions, 'maxCalls' | 'maxMs'>,
): (calls: number, ms: number) => void {
  let drawnAt = Number.NEGATIVE_INFINITY;
  return (calls, ms) => {
    if (ms - drawnAt < drawAfterMs) return;
    drawnAt = ms;
    const perSecond = Math.round((calls / Math.max(ms, 1)) * 1000);
    const message = `${calls} of ${maxCalls} calls, ${perSecond} a second`;
    progress.report({ progress: Math.max(calls / maxCalls, ms / maxMs), total: 1, message });
  };
}

function resultOf(
  { times, failed, ms }: Measured,
  how: { readonly concurrency: number; readonly protocolVersion: string },
  io: Io,
): CommandResult {
  const made = times.length;
  const callsPerSecond = Math.round((made / Math.max(ms, 0.001)) * 1000);
  const latencyMs = latenciesOf(times);
  const latencies = Object.entries(latencyMs).map(([at, time]) => `${at} ${time}`);
  const isStopped = io.signal.aborted;
  const rows = [
    [
      'calls',
      `${made}, ${how.concurrency} at once, in ${(ms / 1000).toFixed(2)} s${isStopped ? ', then interrupted' : ''}`,
    ],
    ['failed', String(failed)],
    ['calls per second', String(callsPerSecond)],
    ['latency in ms', latencies.join(', ')],
  ];
  return {
    result: {
      ...how,
      calls: made,
      failed,
      ms: Math.round(ms),
      callsPerSecond,
      latencyMs,
      ...(isStopped && { interrupted: true }),
    },
    text: textTable(rows, io.columns),
    exit: isStopped ? 130 : failed === 0 ? 0 : 1,
  };
}

function countOf(given: Given, option: keyof typeof bounds): number {
  const { usual, most } = bounds[option];
  const count = (option === 'seconds' ? given.number(option) : given.count(option)) ?? usual;
  if (count > most) throw usageError(`--${option} cannot be ${count}.`, `It can be at most ${most}.`);
  return count;
}
