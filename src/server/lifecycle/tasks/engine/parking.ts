/** The waits with which a run ends, as its task stores them: new entries of the journal, open requests, and the time to wake. */
import type { InputRequest } from '../../../../protocol/neutral.ts';
import type { Journal } from '../../../ports/journal.ts';
import { type AskedEntry, clientKeyOf, createKeyed, type Entry, type KnownJournal, roundOf } from './entries.ts';

interface Parking {
  /** The keys of the client. */
  readonly open: readonly string[];
  readonly wakeAt: number | undefined;
  readonly entries: readonly Entry[];
}

/** `clockError` is how far the clock of the store is ahead of the clock of this run. */
export function parkedWith(
  requests: Readonly<Record<string, InputRequest>>,
  journal: Journal,
  known: KnownJournal,
  clockError: number,
): Parking {
  const { sleeps = {}, sleeping = [] } = journal;
  const earlier = known.journal.sleeps ?? createKeyed<number>();
  const ends = Object.entries(sleeps).map(([key, end]) => [key, earlier[key] ?? end + clockError] as const);
  const fresh = ends.filter(([key]) => earlier[key] === undefined);
  const wakeTimes = ends.filter(([key]) => sleeping.includes(key)).map(([, end]) => end);
  const asked = askedWith(requests, journal, known);
  return {
    open: Object.keys(requests).map((key) => clientKeyOf(asked, key)),
    wakeAt: wakeTimes.length === 0 ? undefined : Math.min(...wakeTimes),
    entries: [
      ...(fresh.length === 0 ? [] : [{ is: 'asleep' as const, ends: Object.fromEntries(fresh) }]),
      ...(asked === known.asked || Object.keys(requests).length === 0 ? [] : [asked]),
    ],
  };
}

/** A request that is open already keeps the key that the client knows. */
function askedWith(
  requests: Readonly<Record<string, InputRequest>>,
  { round, requested, own, returned, isForwarded }: Journal,
  { asked: before, open }: KnownJournal,
): AskedEntry {
  if (returned !== undefined)
    return { is: 'asked', round, requests, own, ...(isForwarded === true && { isForwarded }) };
  const rounds = createKeyed<number>();
  for (const [key, digest] of Object.entries(requested)) {
    if (before?.digests?.[key] === digest && Object.hasOwn(open, clientKeyOf(before, key)))
      rounds[key] = roundOf(before, key);
  }
  const same = Object.keys(rounds).length;
  // All requests are open already: nothing new is asked.
  if (before !== undefined && same > 0 && same === Object.keys(requests).length) return before;
  return { is: 'asked', round, requests, digests: requested, ...(same === 0 ? {} : { rounds }) };
}
