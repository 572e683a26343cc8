/** Values that exist once per process, however many copies of this package are loaded. */

/** The value under a name; created at the first call. */
export function processWide<T>(name: string, make: () => T): T {
  const key = Symbol.for(`tenon ${name}`);
  const places = globalThis as unknown as Record<symbol, T | undefined>;
  places[key] ??= make();
  return places[key];
}
