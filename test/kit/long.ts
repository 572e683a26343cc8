/** How often a test repeats: few times in `npm test` and `npm run test:system`, many times in `npm run test:long`. */

export const isLong = process.env.TENON_TIER === 'long';

export const scaled = (count: number, longCount: number): number => (isLong ? longCount : count);

/** A number for titles: 10,000. */
export const inWords = (count: number): string => count.toLocaleString('en-US');
