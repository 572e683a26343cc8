/** How often things go wrong in a run, and until when. */
import type { Random } from '../../client/reconnect/random.ts';
import type { Recorder } from '../history/recorder.ts';
import type { RuleName, Violation } from '../history/violations.ts';

export interface FaultRates {
  /** Of each store operation: fails before it took effect, or after. */
  readonly storeBefore: number;
  readonly storeAfter: number;
  /** Of each request: lost before it arrived; of each response, its connection is cut before or within it. */
  readonly requestLost: number;
  readonly responseLost: number;
  readonly chunkLost: number;
  /** Of each request: goes to a node that does not listen. */
  readonly refused: number;
}

/**
 * Faults that the product does not stand yet. They are left out, unless `TENON_GAPS` is set:
 * - a node that pauses for longer than `nodeMs`: the clients that listen at it miss later changes;
 * - an unsubscribe and a subscribe of one resource at two nodes: the message about the first arrives after the second.
 * - changes at a node that is drained, or loses the store, while clients listen there: `isGap` leaves out this rule.
 */
export const hasGaps = process.env.TENON_GAPS !== undefined;

/** Rules that some seeds still break, each found by a fault above. */
const openRules: ReadonlySet<RuleName> = new Set(['change-lost']);

/** Whether a violation is a known one. */
export const isGap = ({ rule }: Violation): boolean => !hasGaps && openRules.has(rule);

export const noFaults: FaultRates = {
  storeBefore: 0,
  storeAfter: 0,
  requestLost: 0,
  responseLost: 0,
  chunkLost: 0,
  refused: 0,
};

/** What the parts of a simulated world share. */
export interface World {
  readonly random: Random;
  readonly recorder: Recorder;
  /** The rates now: none once the run is about to end. */
  rates: FaultRates;
}

export const happens = ({ random }: World, rate: number): boolean => rate > 0 && random.next() < rate;
