/** Some of many cases in `npm test` and `npm run test:node24`, all of them in `npm run test:system` and `npx vitest`. */

export const isSample = process.env.TENON_TIER === 'fast' || process.env.TENON_TIER === 'node24';

/** Every 17th case: a prime, so that no column of a table of cases is always the same. */
export const sampled = <T>(cases: readonly T[], every = 17): readonly T[] =>
  isSample ? cases.filter((_, at) => at % every === 0) : cases;
