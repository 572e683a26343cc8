/** Drives a connection with the job's number of calls in flight. */

/** The calls of each lane: enough to have all lanes busy for most of a batch. */
const callsOfLane = 16;

/** Creates a subject from `connect(job)`, which resolves with `{ call(a, b) }` or `{ skipped: reason }`. */
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
