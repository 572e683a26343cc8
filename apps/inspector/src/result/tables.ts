/** Finds tables in values: lists of flat objects, as queries and listings return them. */

export interface FoundTable {
  /** The property that holds it; absent if the value itself is the list. */
  readonly name?: string;
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

const maxColumns = 40;

/** The table of a value, if it is one or has exactly one. */
export function tableIn(value: unknown): FoundTable | undefined {
  const own = tableOf(value);
  if (own !== undefined || typeof value !== 'object' || value === null || Array.isArray(value)) return own;
  const found = Object.entries(value).flatMap(([name, part]) => {
    const table = tableOf(part);
    return table === undefined ? [] : [{ ...table, name }];
  });
  return found.length === 1 ? found[0] : undefined;
}

function tableOf(value: unknown): FoundTable | undefined {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isFlat)) return undefined;
  const columns = [...new Set(value.flatMap((row) => Object.keys(row)))];
  return columns.length === 0 || columns.length > maxColumns ? undefined : { columns, rows: value };
}

const isFlat = (row: unknown): row is Readonly<Record<string, unknown>> =>
  typeof row === 'object' &&
  row !== null &&
  !Array.isArray(row) &&
  Object.values(row).every((cell) => typeof cell !== 'object' || cell === null);
