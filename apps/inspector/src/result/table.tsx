/** A table of values that is sorted by a click on a column. */
import { useState } from 'preact/hooks';
import { shownValue } from '../controls/format.ts';
import type { FoundTable } from './tables.ts';

/**
 * On the page: rows of a table at first.
 * @limit inspector
 * @beyond a button shows more
 */
const rowsAtOnce = 200;

interface Order {
  readonly column: string;
  readonly isDown: boolean;
}

export function Table({ table }: { readonly table: FoundTable }) {
  const [order, setOrder] = useState<Order | undefined>(undefined);
  const [shown, setShown] = useState(rowsAtOnce);
  const rows = order === undefined ? table.rows : [...table.rows].sort(comparing(order));
  const sort = (column: string): void =>
    setOrder(
      order?.column === column ? (order.isDown ? undefined : { column, isDown: true }) : { column, isDown: false },
    );
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label={`Table with ${table.rows.length} rows`}>
      <table>
        <thead>
          <tr>
            {table.columns.map((column) => (
              <th key={column} aria-sort={sortOf(order, column)}>
                <button type="button" onClick={() => sort(column)}>
                  {column}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shown).map((row, at) => (
            <tr key={at}>
              {table.columns.map((column) => (
                <td key={column} class={typeof row[column] === 'number' ? 'number' : undefined}>
                  {row[column] === undefined ? '' : shownValue(row[column], 400)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > shown && (
        <button type="button" class="button quiet" onClick={() => setShown(shown + rowsAtOnce)}>
          {rows.length - shown} more rows
        </button>
      )}
    </div>
  );
}

function sortOf(order: Order | undefined, column: string): 'ascending' | 'descending' | undefined {
  if (order?.column !== column) return undefined;
  return order.isDown ? 'descending' : 'ascending';
}

type Row = FoundTable['rows'][number];

const comparing =
  ({ column, isDown }: Order) =>
  (one: Row, other: Row): number => {
    const [a, b] = [one[column], other[column]];
    const order =
      typeof a === 'number' && typeof b === 'number' ? a - b : String(a ?? '').localeCompare(String(b ?? ''));
    return isDown ? -order : order;
  };
