/** `ctx.sleep()`: how long it may be, and when it ends. */

import { TenonError } from '../../../lib/errors/tenon-error.ts';
import type { Deadlines } from '../../../lib/time/deadlines.ts';
import { pause } from '../../../lib/time/pause.ts';
import { keyMissing } from '../request-errors.ts';

/** The time of a call: its own in this process, or that of the store in a task. */
export interface SleepPorts {
  /** Milliseconds on the clock by which sleeps end. */
  now(): number;
  /** How long a sleep that begins now may be. */
  maxMs(): number;
  /** The hint for a longer sleep. */
  readonly hint: string;
  /** Waits in this process; absent in a task, which ends its run to wait. */
  wait?(ms: number, signal: AbortSignal): Promise<void>;
}

/**
 * The longest sleep of a call that is no task: its client waits, and so do its connection and this process.
 * @limit server
 * @beyond the sleep fails
 * @code invalid-argument
 */
const maxHereMs = 5 * 60_000;

/** Sleeps in this process. */
export const sleepHere = (deadlines: Deadlines): SleepPorts => ({
  now: Date.now,
  maxMs: () => maxHereMs,
  hint: "Sleep less, or let the tool run as a task: tool({ task: 'required' }, …).",
  /** Resolves also when the call ends. */
  wait: (ms, signal) => pause(deadlines, ms, signal),
});

/** The end of a sleep that begins now. Throws `invalid-argument`. */
export function endOfSleep(key: string, ms: number, sleep: SleepPorts): number {
  if (typeof key !== 'string') throw keyMissing('sleep');
  const place = `ctx.sleep(${JSON.stringify(key)})`;
  if (typeof ms !== 'number' || !(ms >= 0))
    throw invalid(`The time of ${place} must be milliseconds, 0 or more.`, `Write ctx.sleep('a-name', 60_000).`);
  const maxMs = sleep.maxMs();
  if (ms > maxMs)
    throw invalid(`The time of ${place} is ${ms} ms; at most ${Math.floor(maxMs)} ms are possible here.`, sleep.hint);
  return sleep.now() + Math.ceil(ms);
}

/** A loop that sleeps under one key would not wait the second time, and would block the process. */
export const repeatedSleep = (key: string): TenonError =>
  invalid(
    `The sleep ${JSON.stringify(key)} has ended. A key can sleep only once.`,
    'Give each sleep its own key, such as one with a number in a loop.',
    'key',
  );

const invalid = (text: string, hint: string, place = 'ms'): TenonError =>
  new TenonError('invalid-argument', text, { hint, details: { place } });
