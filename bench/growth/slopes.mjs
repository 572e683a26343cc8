/** How much a cost grows with a size: over the whole range, as a slope, and whether it may. */
import { threeFigures } from '../lib/report.mjs';

/** What grows by more over its range needs a reason in `known.mjs`. */
export const maxGrowth = 1.2;

/**
 * `points` are `{ size, micros, ratio }` from the smallest size to the largest, `ratio` being the cost beside that at the
 * smallest. `growth` is that of the largest; `slope` is the exponent of the cost: 0 is flat, 1 is proportional to the size.
 */
export function growthOf(points) {
  return {
    growth: points.at(-1).ratio,
    slope: slopeOf(points.map(({ size, ratio }) => [Math.log(size), Math.log(ratio)])),
  };
}

/** Least squares. */
function slopeOf(pairs) {
  const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  const x = mean(pairs.map(([first]) => first));
  const y = mean(pairs.map(([, second]) => second));
  const spread = pairs.reduce((sum, [first]) => sum + (first - x) ** 2, 0);
  return pairs.reduce((sum, [first, second]) => sum + (first - x) * (second - y), 0) / spread;
}

/** What is wrong with the results: something grows without a reason, or the machine was too busy to know. */
export function problemsOf(results, known) {
  return results.flatMap(({ title, points, growth, control }) => {
    const [smallest, largest] = [points[0], points.at(-1)].map(({ size }) => size.toLocaleString('en-US'));
    if (Math.max(control, 1 / control) > maxGrowth)
      return [`${title}: the control differs ${threeFigures(control)} times; repeat it on a quiet machine`];
    if (growth <= maxGrowth || Object.hasOwn(known, title)) return [];
    return [
      `${title}: a call takes ${threeFigures(growth)} times the processor time with ${largest} as with ${smallest}; ` +
        `make it flat, or list it with its reason in bench/growth/known.mjs`,
    ];
  });
}
