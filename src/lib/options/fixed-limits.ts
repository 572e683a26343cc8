/** Limits that no option sets: constants with `@limit`, which a table has beside its options. */

/** In a table: its fixed limits. In options: other values for them, which only tests have; no entry point exports it. */
export const fixed: unique symbol = Symbol('fixed limits');

/** By the names that options of theirs would have: a number, or how it follows from an option. */
export type FixedLimits = Readonly<Record<string, number | string>>;

export const fixedNamed = (name: string, limits: FixedLimits = {}): number | string | undefined =>
  Object.hasOwn(limits, name) ? limits[name] : undefined;

export const fixedValue = (limit: number | string): string => (typeof limit === 'number' ? `fixed at ${limit}` : limit);

/** A table with fixed limits. It has a name, since declarations of tables cannot write the symbol. */
export type WithFixed<F> = { readonly [fixed]: F };

/** A table with fixed limits, as a type: a limit that follows from an option is there only if a test sets it. */
export type FixedIn<R> =
  R extends WithFixed<infer F>
    ? { readonly [K in keyof F]: F[K] extends string ? number | undefined : number }
    : unknown;
