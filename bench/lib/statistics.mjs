/** Order statistics of a few numbers. */

/** The value below which the share `q` of the numbers lies, interpolated linearly. */
export function quantile(numbers, q) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const place = (sorted.length - 1) * q;
  const below = sorted[Math.floor(place)];
  return below + (sorted[Math.ceil(place)] - below) * (place % 1);
}

export const median = (numbers) => quantile(numbers, 0.5);

/** The median with the quartiles around it. */
export const spread = (numbers) => ({
  median: median(numbers),
  low: quantile(numbers, 0.25),
  high: quantile(numbers, 0.75),
});
