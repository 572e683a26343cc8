/** Equal calls that only read and are in flight share one result. One that is aborted leaves the others. */
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import { orAborted } from '../../lib/time/or-aborted.ts';

interface Flight {
  readonly result: Promise<unknown>;
  readonly abandoned: AbortController;
  waiters: number;
}

export interface JoinedReads {
  run<T>(
    key: readonly unknown[],
    signal: AbortSignal | undefined,
    read: (signal: AbortSignal) => Promise<T>,
  ): Promise<T>;
}

export function createJoinedReads(): JoinedReads {
  const flights = new Map<string, Flight>();

  function begin(name: string, read: (signal: AbortSignal) => Promise<unknown>): Flight {
    const abandoned = new AbortController();
    const result = read(abandoned.signal);
    const flight: Flight = { result, abandoned, waiters: 0 };
    const end = (): void => {
      if (flights.get(name) === flight) flights.delete(name);
    };
    result.then(end, end);
    flights.set(name, flight);
    return flight;
  }

  return {
    async run<T>(
      key: readonly unknown[],
      signal: AbortSignal | undefined,
      read: (signal: AbortSignal) => Promise<T>,
    ): Promise<T> {
      signal?.throwIfAborted();
      const name = canonicalJson(key);
      const flight = flights.get(name) ?? begin(name, read);
      flight.waiters++;
      try {
        return (await orAborted(flight.result, signal)) as T;
      } finally {
        flight.waiters--;
        if (flight.waiters === 0) {
          if (flights.get(name) === flight) flights.delete(name);
          flight.abandoned.abort(signal?.reason);
        }
      }
    },
  };
}
