/** Faults planted into the store of a run: the checker must find each of them. */

type Run = (...given: unknown[]) => unknown;

/** Replaces the outcome of an operation; `undefined` lets it take place. */
export type PlantedFault = (
  operation: string,
  given: readonly unknown[],
  run: Run,
) => { readonly value: unknown } | undefined;
