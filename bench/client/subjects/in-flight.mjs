/** Keeps a number of calls in flight, and throws on a wrong answer. */

/** A batch of n makes n times `unit` calls. */
export function prepared(call, inFlight) {
  const check = async () => {
    const { content } = await call();
    if (content?.[0]?.text !== 'hello') throw new Error(`the answer was ${JSON.stringify(content)}`);
  };
  const lane = async (n) => {
    for (let done = 0; done < n; done += 1) await check();
  };
  return { unit: inFlight, batch: (n) => Promise.all(Array.from({ length: inFlight }, () => lane(n))) };
}
