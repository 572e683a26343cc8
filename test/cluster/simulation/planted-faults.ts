/** Faults planted into the store of a run: the checker must find each of them. */
import type { OnceState, StoredEvents } from 'tenon/store';
import type { RuleName } from '../history/violations.ts';

export type Run = (...given: unknown[]) => unknown;

/** Replaces the outcome of an operation; `undefined` lets it take place. */
export type PlantedFault = (
  operation: string,
  given: readonly unknown[],
  run: Run,
) => { readonly value: unknown } | undefined;

/** A fault, and the rules of which a run with it breaks at least one. */
export interface Planted {
  readonly name: string;
  readonly rules: readonly RuleName[];
  readonly create: () => PlantedFault;
  /** How long a node may be silent: after that time nodes read what they may have missed, with or without a signal. */
  readonly deadNodeMs?: number;
}

/** Does something else at every `n`-th time that an operation runs. */
const every =
  (
    n: number,
    wanted: string,
    instead: (given: readonly unknown[], run: Run) => { readonly value: unknown } | undefined,
  ) =>
  (): PlantedFault => {
    let count = 0;
    return (operation, given, run) => (operation === wanted && ++count % n === 0 ? instead(given, run) : undefined);
  };

/** Changes the texts of what is read when a stream is resumed. */
const reading = (change: (texts: readonly string[]) => readonly string[]) =>
  every(1, 'events.readAfter', (given, run) => {
    const found = run(...given) as StoredEvents | undefined;
    if (found === undefined) return { value: undefined };
    const texts = change(found.events.map(({ data }) => data));
    return { value: { ...found, events: texts.map((data, index) => ({ n: found.from + index + 1, data })) } };
  });

const lost: readonly RuleName[] = ['event-lost-on-resume', 'stream-event-missing', 'no-outcome', 'unnamed-error'];

export const plantedFaults: readonly Planted[] = [
  {
    name: 'an append is skipped',
    rules: lost,
    create: every(3, 'events.append', () => ({ value: 1000 })),
  },
  {
    name: 'two events are swapped',
    rules: ['stream-event-out-of-order', ...lost],
    create: reading((texts) => [...texts.slice(1, 2), ...texts.slice(0, 1), ...texts.slice(2)]),
  },
  {
    name: 'a resumed stream leaves an event out',
    rules: lost,
    create: reading((texts) => texts.slice(texts.length > 1 ? 1 : 0)),
  },
  {
    name: 'a resumed stream repeats an event',
    rules: ['event-repeated-on-resume', 'stream-event-repeated'],
    create: reading((texts) => [...texts.slice(0, 1), ...texts]),
  },
  {
    name: 'the result at the end of a stream is not stored',
    rules: lost,
    create: every(1, 'events.end', () => ({ value: 1000 })),
  },
  {
    name: 'the events of another session are read',
    rules: ['event-of-another-principal', 'result-of-another-principal', 'result-of-another-request'],
    create: () => {
      const places: (readonly [session: string, stream: string])[] = [];
      return (operation, given, run) => {
        const [session, stream, last] = given as [string, string, number];
        if (operation === 'events.append') places.push([session, stream]);
        const other = operation === 'events.readAfter' && places.findLast((place) => place[0] !== session);
        return other ? { value: run(...other, last) ?? run(...given) } : undefined;
      };
    },
  },
  {
    name: 'a message of the bus is dropped without a signal',
    rules: ['change-lost', 'no-outcome', 'answer-lost'],
    create: every(2, 'bus.receive', () => ({ value: undefined })),
  },
  {
    name: 'the signal for lost messages is dropped',
    rules: ['change-lost', 'no-outcome', 'answer-lost'],
    create: every(1, 'bus.missed', () => ({ value: undefined })),
    deadNodeMs: 120_000,
  },
  {
    name: 'an idempotency key is ignored',
    rules: ['idempotency-key-ran-twice'],
    create: every(1, 'once.begin', () => ({ value: { state: 'begun' } satisfies OnceState })),
  },
  {
    name: 'a key has the result of another one',
    rules: ['result-of-another-request', 'result-of-another-principal'],
    create: () => {
      const ended: string[] = [];
      return (operation, given, run) => {
        if (operation === 'once.end') ended.push(given[3] as string);
        if (operation !== 'once.begin') return undefined;
        const value = run(...given) as OnceState;
        return { value: value.state === 'ended' ? { ...value, text: ended.at(-1) } : value };
      };
    },
  },
];
