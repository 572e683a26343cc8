/** Names of types, made of names of a server, each used once. */

export interface TypeNames {
  /** `get-forecast` becomes `GetForecast`, and with a number if that is taken. */
  unique(name: string, otherwise: string): string;
}

export function createTypeNames(taken: readonly string[]): TypeNames {
  const used = new Set(taken);
  /** The last number of each name: very many may be the same. */
  const numbers = new Map<string, number>();
  return {
    unique(name, otherwise) {
      const wanted = pascal(name) || otherwise;
      let found = wanted;
      let number = numbers.get(wanted) ?? 1;
      while (used.has(found)) found = `${wanted}${++number}`;
      numbers.set(wanted, number);
      used.add(found);
      return found;
    },
  };
}

/** Types cannot begin with a digit. */
function pascal(name: string): string {
  const words = name.slice(0, 100).match(/[A-Za-z\d]+/g) ?? [];
  const joined = words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('');
  return /^\d/.test(joined) ? `_${joined}` : joined;
}
