/** What a peer drops without a word to the other side. */

/** What was dropped quietly, by why. */
export interface PeerCounts {
  /** Answers that came after their request was given up, or for the second time, and news of progress after its end. */
  late: number;
  /** Answers to requests that were never made, and news that belongs to nothing. */
  unknown: number;
  /** Frames and messages that were not valid, and requests whose id was in use: those get no answer. */
  invalid: number;
}

export const noneDropped = (): PeerCounts => ({ late: 0, unknown: 0, invalid: 0 });
