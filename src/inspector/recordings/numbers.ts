/** Numbers of the last hour, second by second, for charts. */
import type { NumbersBucket, Row } from '../api/timeline.ts';

/**
 * Seconds of the charts.
 * @limit inspector
 * @beyond the oldest are dropped
 */
const maxSeconds = 3600;

/** Latencies of one second that percentiles are computed from. */
const maxSamples = 2000;

/** Sessions and open event streams now. */
export type OpenCounts = () => { readonly sessions: number; readonly streams: number };

interface Second {
  readonly byClient: Map<string, Tally>;
  sessions: number;
  streams: number;
}

interface Tally {
  calls: number;
  errors: number;
  messages: number;
  chars: number;
  readonly latencies: number[];
}

export class Numbers {
  /** By the second since the Unix epoch, ascending. */
  readonly #seconds = new Map<number, Second>();
  readonly #open: OpenCounts;

  constructor(open: OpenCounts) {
    this.#open = open;
  }

  add(row: Row, at: number): void {
    const second = this.#second(Math.floor(at / 1000));
    Object.assign(second, this.#open());
    if (row.kind !== 'message') return;
    const tally = second.byClient.get(row.client ?? '') ?? emptyTally();
    second.byClient.set(row.client ?? '', tally);
    tally.messages++;
    tally.chars += row.chars;
    if (row.from !== 'server' || row.latencyMs === undefined) return;
    tally.calls++;
    if (row.isError === true) tally.errors++;
    if (tally.latencies.length < maxSamples) tally.latencies.push(row.latencyMs);
  }

  after(at: number, client: string | undefined): NumbersBucket[] {
    return [...this.#seconds].flatMap(([number, { byClient, sessions, streams }]) => {
      if (number * 1000 <= at) return [];
      const tallies = client === undefined ? [...byClient.values()] : [byClient.get(client) ?? emptyTally()];
      return [{ at: number * 1000, ...summed(tallies), sessions, streams }];
    });
  }

  #second(number: number): Second {
    const found = this.#seconds.get(number) ?? { byClient: new Map(), sessions: 0, streams: 0 };
    this.#seconds.set(number, found);
    const [oldest = number] = this.#seconds.keys();
    if (oldest <= number - maxSeconds) this.#seconds.delete(oldest);
    return found;
  }
}

const emptyTally = (): Tally => ({ calls: 0, errors: 0, messages: 0, chars: 0, latencies: [] });

function summed(tallies: readonly Tally[]): Omit<NumbersBucket, 'at' | 'sessions' | 'streams'> {
  const sum = (name: 'calls' | 'errors' | 'messages' | 'chars'): number =>
    tallies.reduce((total, tally) => total + tally[name], 0);
  const latencies = tallies.flatMap((tally) => tally.latencies).sort((a, b) => a - b);
  const share = (part: number): number => latencies[Math.ceil(latencies.length * part) - 1] ?? 0;
  return {
    calls: sum('calls'),
    errors: sum('errors'),
    messages: sum('messages'),
    chars: sum('chars'),
    p50Ms: share(0.5),
    p95Ms: share(0.95),
    maxMs: latencies.at(-1) ?? 0,
  };
}
