/** Drives a connection with as many calls in flight as the job says. */

/** Calls that each lane makes, so that the lanes stay full for most of a batch. */
const callsOfLane = 16;

/** Makes a subject of `connect(job)`, which settles with `{ call(a, b) }` or `{ skipped: reason }`. */
export const driving = (connect) =>
  async function prepare(job) {
    const connection = await connect(job);
    if (connection.skipped !== undefined) return connection;
    const lane = async (calls) => {
      for (let n = 0; n < calls; n += 1) {
        const text = await connection.call(n, 5);
        if (text !== String(n + 5)) throw new Error(`${n} + 5 is not ${text}`);
      }
    };
    await lane(1);
    return {
      unit: job.inFlight * callsOfLane,
      batch: (n) => Promise.all(Array.from({ length: job.inFlight }, () => lane(n * callsOfLane))),
    };
  };
