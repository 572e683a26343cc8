/** Counts of the messages that a peer dropped. */

export interface PeerCounts {
  /** Answers that came after their request was abandoned, or twice, and progress after the result. */
  late: number;
  /** Answers and progress that belong to no request. */
  unknown: number;
  /** Invalid frames and messages, and requests whose id was in use, which get no answer. */
  invalid: number;
}

export const createPeerCounts = (): PeerCounts => ({ late: 0, unknown: 0, invalid: 0 });
