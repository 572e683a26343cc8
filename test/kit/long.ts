/** How much a test repeats: little in `npm test`, much in `npm run test:long`. */
const isLong = process.env.TENON_LONG !== undefined;

export const scaled = (count: number, longCount: number): number => (isLong ? longCount : count);

/** As titles have it: 10,000. */
export const inWords = (count: number): string => count.toLocaleString('en-US');
