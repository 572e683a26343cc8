/** Seeded random numbers: the same seed gives the same sequence. */

export interface Random {
  /** From 0 up to 1. */
  next(): number;
  /** A whole number from 0 up to `limit`. */
  below(limit: number): number;
  pick<T>(from: readonly T[]): T | undefined;
  /** Picks one of the choices by its weight. */
  weighted<T>(choices: ReadonlyArray<readonly [number, T]>): T;
}

/** Mulberry32: small, and good enough to shuffle events. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    pick: (from) => from[below(from.length)],
    weighted(choices) {
      let at = next() * choices.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, choice] of choices) {
        at -= weight;
        if (at < 0) return choice;
      }
      return (choices[0] as readonly [number, never])[1];
    },
  };
}
