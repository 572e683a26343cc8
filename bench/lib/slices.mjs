/** Compares subjects in short alternating slices, so that noise affects all of them equally. */
import { median, quantile, spread } from './statistics.mjs';

/**
 * A subject is `{ name, slice(ms) }`, where `slice` works for about that long and resolves with
 * `{ count, ms, cpuMs }`: the number of operations, their wall time and their processor time.
 * The control is another subject made like the first one: the difference between the two is noise.
 */
export async function alternate(subjects, { rounds, sliceMs, warmMs }) {
  for (const subject of subjects) await subject.slice(warmMs);
  const slices = new Map(subjects.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? subjects : subjects.toReversed();
    for (const subject of order) slices.get(subject.name).push(await subject.slice(sliceMs));
  }
  return slices;
}

/**
 * One row per subject: operations per second (wall time; the 90th percentile is the rate with little noise),
 * processor time of one operation, and both relative to each yardstick, slice by slice of the same round.
 */
export function summarize(slices, yardsticks) {
  return [...slices].map(([name, own]) => ({
    name,
    perSecond: { median: median(own.map(rate)), p90: quantile(own.map(rate), 0.9) },
    cpuMicros: median(own.map(cost)),
    timeOf: beside(own, slices, yardsticks, cost),
    rateOf: beside(own, slices, yardsticks, rate),
  }));
}

const beside = (own, slices, yardsticks, measure) =>
  Object.fromEntries(
    yardsticks.map((yardstick) => [
      yardstick,
      spread(own.map((slice, round) => measure(slice) / measure(slices.get(yardstick)[round]))),
    ]),
  );

const rate = ({ count, ms }) => (count / ms) * 1000;
const cost = ({ count, cpuMs }) => (cpuMs * 1000) / count;
