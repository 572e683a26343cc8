/** Compares what the tests prove with what the ledger requires. */
import { type Row, seedRows } from './rows.ts';

export interface Summary {
  /** Rows that must be proved, author rows included. */
  readonly total: number;
  /** Keys of counted rows that are proved, sorted. */
  readonly proved: readonly string[];
  /** Keys of rows of hosts that are proved, sorted. */
  readonly ofHost: readonly string[];
  /** Counted rows that only the author of a server can break. */
  readonly author: readonly Row[];
  /** Proved keys of rows that need no proof (SHOULD, manual and the like). */
  readonly other: readonly string[];
  readonly seeds: { readonly proved: readonly string[]; readonly open: readonly string[] };
}

export function summarize(rows: readonly Row[], proved: ReadonlySet<string>): Summary {
  const counted = rows.filter((row) => row.counted);
  const keys = (list: readonly Row[]): string[] => list.map((row) => row.key).filter((key) => proved.has(key));
  return {
    total: counted.length,
    proved: keys(counted.filter((row) => row.author === undefined)).sort(),
    ofHost: keys(rows.filter((row) => row.ofHost)).sort(),
    author: counted.filter((row) => row.author !== undefined),
    other: keys(rows.filter((row) => !row.counted && !row.ofHost)).sort(),
    seeds: {
      proved: seedRows.filter((seed) => proved.has(seed)),
      open: seedRows.filter((seed) => !proved.has(seed)),
    },
  };
}

/** Ids in test names that the ledger does not contain. */
export function unknownIds(rows: readonly Row[], mentioned: ReadonlySet<string>): string[] {
  const known = new Set([...rows.map((row) => row.key), ...seedRows]);
  return [...mentioned].filter((id) => !known.has(id)).sort();
}

/** The content of spec/proved.json: the rows of the founding documents, then the counted rows and those of hosts. */
export const pinnedKeys = ({ proved, ofHost, seeds }: Summary): string[] => [
  ...seeds.proved,
  ...[...proved, ...ofHost].sort(),
];

/** Keys of the first list that the second lacks. */
export function missingKeys(keys: readonly string[], from: readonly string[]): string[] {
  const there = new Set(from);
  return keys.filter((key) => !there.has(key)).sort();
}
