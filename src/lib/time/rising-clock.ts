/** A clock that never goes back: when the time of the machine is set back, it goes on from where it was. */
export function risingClock(clock: () => number): () => number {
  let ahead = 0;
  let latest = Number.NEGATIVE_INFINITY;
  return () => {
    const moment = clock();
    if (moment + ahead < latest) ahead = latest - moment;
    latest = moment + ahead;
    return latest;
  };
}
