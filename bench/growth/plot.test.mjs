/** A plot has a panel for each group and a line for each series, in both themes. Run with `node --test bench/growth`. */
import { doesNotMatch, equal, match, notEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { plot, themeNames } from './plot.mjs';

const points = (ratios) => ratios.map((ratio, n) => ({ size: 10 ** (n + 1), micros: 80 * ratio, ratio }));
const results = [
  { group: 'rules', points: points([1, 1.1, 4]) },
  { group: 'nodes', series: 'Redis', points: points([1, 1, 1]) },
  { group: 'nodes', series: '<PostgreSQL>', points: points([1, 1.1, 1.1]) },
];

test('each group has a panel, each series a line and a name', () => {
  const svg = plot(results, 'light');
  equal(svg.match(/<g /g).length, 2);
  equal(svg.match(/<polyline /g).length, 3);
  match(svg, />Redis</);
  match(svg, />&lt;PostgreSQL&gt;</);
  match(svg, /viewBox="0 0 900 210"/);
});

test('every number of a plot is one, and every point lies in its panel', () => {
  const svg = plot(results, 'dark');
  doesNotMatch(svg, /NaN|undefined|Infinity/);
  for (const [, y] of svg.matchAll(/cy="([\d.]+)"/g)) equal(Number(y) >= 34 && Number(y) <= 164, true);
});

test('the themes differ', () => {
  equal(themeNames.join(), 'light,dark');
  notEqual(plot(results, 'light'), plot(results, 'dark'));
});
