/** How well the search finds tools of real servers: a change of the ranking must not make it worse. */
import { expect, it } from 'vitest';
import { ownWordQueries, readCatalogue, readQueries, sharesOf, toolTexts } from './measure.ts';

const catalogue = readCatalogue();

// The ranking was never tuned on the requests of `unseen`: what it reaches there is what a user can expect.
it.each([
  ['unseen', 5, 0.78],
  ['unseen', 8, 0.84],
  ['tuned', 8, 0.9],
] as const)('finds a tool for requests in words of a user, in the set %s among the first %d', (set, first, least) => {
  expect(sharesOf(readQueries(set), toolTexts(catalogue, [set]))[first]).toBeGreaterThanOrEqual(least);
});

it('finds tools among those of all servers together', () => {
  const all = toolTexts(catalogue, ['tuned', 'unseen']);
  expect(sharesOf(readQueries('unseen'), all)[8]).toBeGreaterThanOrEqual(0.74);
});

it.each(['unseen', 'tuned'] as const)('finds a tool of %s by words of its description', (set) => {
  const tools = toolTexts(catalogue, [set]);
  expect(sharesOf(ownWordQueries(tools), tools)[5]).toBeGreaterThanOrEqual(0.95);
});
