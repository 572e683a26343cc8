/** How often what a client keeps was of use. */
export interface CacheCounts {
  /** Answered without a request. */
  hits: number;
  /** Fetched from the server. */
  misses: number;
  /** Answered by the request of another caller that was under way. */
  joined: number;
  /** Fetched anew, and equal to what there was. */
  unchanged: number;
}

export const noneCounted = (): CacheCounts => ({ hits: 0, misses: 0, joined: 0, unchanged: 0 });
