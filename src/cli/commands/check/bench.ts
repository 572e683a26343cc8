/** `tenon bench`: calls a tool many times, and shows calls per second and latencies. */

import { findTool } from '../../answers/typed-request.ts';
import { callArguments } from '../../input/call-arguments.ts';
import type { CommandResult, RunCommand } from '../../io/command.ts';
import type { Given } from '../../io/given.ts';
import type { Io } from '../../io/io.ts';
import { showProgress } from '../../output/progress.ts';
import { textTable } from '../../output/table.ts';
import { withClient } from '../../target/open-client.ts';
import { usageError } from '../../usage-error.ts';
import { latenciesOf, type Measured, type MeasureOptions, measure } from './measure.ts';

/** What one run may do at most; the guide names them. */
const limits = { calls: 1_000_000, seconds: 600, concurrency: 1000 } as const;
/** Calls before the measurement, so that it does not include the first ones of a new process. */
const warmUpCalls = 10;

export const run: RunCommand = async (given) => {
  const { io } = given;
  const [name = '', ...words] = given.words;
  const maxCalls = countOf(given, 'calls', 1000);
  const concurrency = countOf(given, 'concurrency', 1);
  const maxMs = countOf(given, 'seconds', 10) * 1000;
  const json = given.text('args') === '-' ? await io.readInput() : given.text('args');
  const progress = showProgress(io, name);
  const step = Math.ceil(maxCalls / 100);
  const options: MeasureOptions = {
    maxCalls,
    maxMs,
    concurrency,
    signal: io.signal,
    now: () => performance.now(),
    onProgress: (calls) => calls % step === 0 && progress.report({ progress: calls, total: maxCalls }),
  };
  return withClient(given, async (client) => {
    const args = callArguments({ words, json }, (await findTool(client, name)).inputSchema);
    const call = async (): Promise<boolean> =>
      (await client.tools.call(name, args, { signal: io.signal })).isError !== true;
    for (let n = 0; n < Math.min(warmUpCalls, maxCalls); n++) await call();
    const measured = await measure(call, options);
    progress.end();
    return resultOf(measured, { concurrency, protocolVersion: client.protocolVersion }, io);
  }).finally(() => progress.end());
};

function resultOf(
  { times, failed, ms }: Measured,
  how: { readonly concurrency: number; readonly protocolVersion: string },
  io: Io,
): CommandResult {
  const calls = times.length;
  const callsPerSecond = Math.round((calls / Math.max(ms, 0.001)) * 1000);
  const latencyMs = latenciesOf(times);
  const latencies = Object.entries(latencyMs).map(([at, time]) => `${at} ${time}`);
  const rows = [
    ['calls', `${calls}, ${how.concurrency} at once, in ${(ms / 1000).toFixed(2)} s`],
    ['failed', String(failed)],
    ['calls per second', String(callsPerSecond)],
    ['latency in ms', latencies.join(', ')],
  ];
  return {
    result: { ...how, calls, failed, ms: Math.round(ms), callsPerSecond, latencyMs },
    text: textTable(rows, io.columns),
    exit: failed === 0 ? 0 : 1,
  };
}

function countOf(given: Given, option: keyof typeof limits, otherwise: number): number {
  const count = (option === 'seconds' ? given.number(option) : given.count(option)) ?? otherwise;
  if (count > limits[option])
    throw usageError(`--${option} cannot be ${count}.`, `It can be at most ${limits[option]}.`);
  return count;
}
