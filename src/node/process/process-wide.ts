/** What a process has one of, however many copies of this package are loaded into it. */

/** The value under a name; made by whoever asks first. */
export function processWide<T>(name: string, make: () => T): T {
  const key = Symbol.for(`tenon ${name}`);
  const places = globalThis as unknown as Record<symbol, T | undefined>;
  places[key] ??= make();
  return places[key];
}
