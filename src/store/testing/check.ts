/** The assertions of the suite: it has its own, so that it works with any test runner. */

const maxShown = 400;

/** Fails unless both are equal. A property that is `undefined` is as good as none. */
export function same(actual: unknown, expected: unknown, what: string): void {
  const [found, wanted] = [inOrder(actual), inOrder(expected)];
  if (found !== wanted) throw new Error(`${what}: expected ${short(wanted)}, found ${short(found)}.`);
}

/** Fails unless it is true. */
export function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(`Expected: ${what}.`);
}

/** The value of a promise; fails if it takes longer than any store needs. */
export async function soon<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Waited ${patienceMs} ms for ${what}.`)), patienceMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

const patienceMs = 30_000;

/** As JSON whose objects have their keys in order. */
const inOrder = (value: unknown): string => JSON.stringify(value, sorted) ?? 'undefined';

function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

const short = (text: string): string => (text.length > maxShown ? `${text.slice(0, maxShown)}…` : text);
