/** Counts of the messages that a peer dropped. */

export interface PeerCounts {
  /** Answers that came after their request was abandoned, or twice, and progress after the result. */
  late: number;
  /** Answers and progress that belong to no request, errors without an id included. */
  unknown: number;
  /** Invalid frames and messages, unknown methods included, and requests whose id was in use, which get no answer. */
  invalid: number;
}

export const createPeerCounts = (): PeerCounts => ({ late: 0, unknown: 0, invalid: 0 });
