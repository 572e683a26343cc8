/** How often things go wrong in a run, and until when. */
import type { Random } from '../../client/reconnect/random.ts';
import type { Recorder } from '../history/recorder.ts';

export interface FaultRates {
  /** Of each store operation: fails before it took effect, or after. */
  readonly storeBefore: number;
  readonly storeAfter: number;
  /** Of each message that is only a hint: lost without a signal. */
  readonly hintLost: number;
  /** Of each request: lost before it arrived; of each response, its connection is cut before or within it. */
  readonly requestLost: number;
  readonly responseLost: number;
  readonly chunkLost: number;
  /** Of each request: goes to a node that does not listen. */
  readonly refused: number;
}

/**
 * Faults that the product does not stand yet. They are left out, unless `TENON_GAPS` is set:
 * - faults of the store and the network while a client connects and subscribes: some seeds lose a change (35) or an event (198);
 * - a store that is away for longer than a second.
 */
export const hasGaps = process.env.TENON_GAPS !== undefined;

export const noFaults: FaultRates = {
  storeBefore: 0,
  storeAfter: 0,
  hintLost: 0,
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
