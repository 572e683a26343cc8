/** The lines and bars of a small chart, as paths of SVG. Pure. */

export interface Point {
  /** 0 at the left edge, 1 at the right. */
  readonly x: number;
  readonly y: number;
}

export const chartWidth = 240;
export const chartHeight = 64;

/** A number that the highest point fits below, and that reads well. */
export function niceMaximum(highest: number): number {
  if (highest <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(highest));
  return ([1, 2, 5, 10].find((step) => step * power >= highest) ?? 10) * power;
}

const round = (value: number): number => Math.round(value * 100) / 100;

const placed = ({ x, y }: Point, maximum: number): readonly [number, number] => [
  round(x * chartWidth),
  round(chartHeight - (Math.min(y, maximum) / maximum) * chartHeight),
];

export const linePath = (points: readonly Point[], maximum: number): string =>
  points
    .map((point) => placed(point, maximum))
    .map(([x, y], at) => `${at === 0 ? 'M' : 'L'}${x} ${y}`)
    .join('');

/** A value stays until the next one: no ramp leads there. */
export const stepPath = (points: readonly Point[], maximum: number): string =>
  points
    .map((point) => placed(point, maximum))
    .map(([x, y], at) => (at === 0 ? `M${x} ${y}` : `H${x}V${y}`))
    .join('');

/** One bar a second, seconds without a number have none. */
export const barPath = (points: readonly Point[], maximum: number): string =>
  points
    .filter(({ y }) => y > 0)
    .map((point) => placed(point, maximum))
    .map(([x, y]) => `M${x} ${chartHeight}V${y}`)
    .join('');
