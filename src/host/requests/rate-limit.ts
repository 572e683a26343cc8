/** Limits how many requests of one server are allowed in a minute. */

const minute = 60_000;

/** Returns whether one more request is allowed now, and counts it if it is. */
export function createRateLimit(maxPerMinute: number, now: () => number): () => boolean {
  let times: number[] = [];
  return () => {
    const time = now();
    times = times.filter((before) => before > time - minute);
    if (times.length >= maxPerMinute) return false;
    times.push(time);
    return true;
  };
}
