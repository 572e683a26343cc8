/** Whether a figure stays as it is over a soak: the last third of its samples beside the first, once it has settled. */
import { median } from '../lib/statistics.mjs';

/** Until then caches fill, and nothing expires yet. */
const settlingShare = 0.25;

/** What a figure may grow by: a share of itself, or so much, whichever is more. */
export const allowances = {
  heap: { share: 0.05, least: 2e6 },
  handles: { share: 0.1, least: 3 },
  store: { share: 0.1, least: 5e6 },
};

/** `{ early, late }`, the medians of the first and the last third of the samples after the first quarter. */
export function endsOf(values) {
  const settled = values.slice(Math.floor(values.length * settlingShare));
  const third = Math.max(1, Math.floor(settled.length / 3));
  return { early: median(settled.slice(0, third)), late: median(settled.slice(-third)) };
}

/** The figures that have grown. A figure that falls is flat. */
export function problemsOf(samples) {
  return Object.entries(allowances).flatMap(([figure, { share, least }]) => {
    const { early, late } = endsOf(samples.map((sample) => sample[figure]));
    if (late - early <= Math.max(early * share, least)) return [];
    return [
      `${figure} grew from ${early.toLocaleString('en-US')} to ${late.toLocaleString('en-US')} under a steady load`,
    ];
  });
}
