/** Repeats a call, several at once, until a count or a time is reached or it is stopped, and measures each. */

export interface MeasureOptions {
  readonly maxCalls: number;
  readonly maxMs: number;
  /** How many calls run at once. */
  readonly concurrency: number;
  /** In milliseconds, with fractions. */
  readonly now: () => number;
  /** Stops it: what was measured until then is the result. */
  readonly signal: AbortSignal;
  /** After each call: how many have ended, and the time since the first began. */
  onProgress?(calls: number, ms: number): void;
}

export interface Measured {
  /** The time of each call in milliseconds, in the order in which they ended. */
  readonly times: Float64Array;
  /** How many of them `call` reported as failed. */
  readonly failed: number;
  /** From the first call to the last result. */
  readonly ms: number;
}

/** `call` resolves to whether it worked. What it throws before it is stopped ends the measurement. */
export async function measure(call: () => Promise<boolean>, options: MeasureOptions): Promise<Measured> {
  const { maxCalls, maxMs, concurrency, now, signal, onProgress } = options;
  const times = new Float64Array(maxCalls);
  const began = now();
  let started = 0;
  let ended = 0;
  let failed = 0;
  const worker = async (): Promise<void> => {
    while (started < maxCalls && now() - began < maxMs && !signal.aborted) {
      started++;
      const from = now();
      if (!(await call())) failed++;
      times[ended++] = now() - from;
      onProgress?.(ended, now() - began);
    }
  };
  const workers = Array.from({ length: Math.min(concurrency, maxCalls) }, worker);
  await Promise.all(workers).catch((error: unknown) => {
    // The others start no more calls.
    started = maxCalls;
    // A call that was interrupted is not one that failed.
    if (!signal.aborted) throw error;
  });
  return { times: times.subarray(0, ended), failed, ms: now() - began };
}

export interface Latencies {
  readonly min: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

/** Milliseconds, to three places. A percentile is the time that so many calls took at most. */
export function latenciesOf(times: Float64Array): Latencies {
  const sorted = times.slice().sort();
  const at = (share: number): number => rounded(sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0);
  const mean = sorted.reduce((sum, one) => sum + one, 0) / Math.max(1, sorted.length);
  return { min: at(0), mean: rounded(mean), p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) };
}

const rounded = (ms: number): number => Math.round(ms * 1000) / 1000;
