/** Writes the ledger's summary as text: a table by area and revision, the seed rows, the totals. */
import type { Row } from './rows.ts';
import type { Summary } from './summary.ts';

/** One line per area, one column per revision, each cell `proved/total`. */
export function tableOf(rows: readonly Row[], proved: ReadonlySet<string>): string[] {
  const counted = rows.filter((row) => row.counted);
  const revisions = [...new Set(rows.map((row) => row.revision))].sort();
  const areas = [...new Set(counted.map((row) => row.area))].sort();
  const width = Math.max(...areas.map((area) => area.length), 'all'.length) + 2;
  const line = (name: string, cells: readonly string[]): string =>
    name.padEnd(width) + cells.map((cell) => cell.padStart(12)).join('');
  const cellsOf = (list: readonly Row[]): string[] =>
    [...revisions.map((revision) => list.filter((row) => row.revision === revision)), list].map((some) =>
      cell(some, proved),
    );
  return [
    line('area', [...revisions, 'all']),
    ...areas.map((area) => line(area, cellsOf(counted.filter((row) => row.area === area)))),
    line('all', cellsOf(counted)),
  ];
}

function cell(rows: readonly Row[], proved: ReadonlySet<string>): string {
  return rows.length === 0 ? '' : `${rows.filter((row) => proved.has(row.key)).length}/${rows.length}`;
}

/** The lines under the table. Other programs read the last one. */
export function summaryOf({ total, proved, ofHost, author, other, seeds }: Summary): string[] {
  return [
    `seed rows proved: ${seeds.proved.join(' ') || 'none'}`,
    `seed rows open: ${seeds.open.join(' ') || 'none'}`,
    `rows of hosts proved: ${ofHost.length}`,
    ...author.map((row) => `author row ${row.key}: ${row.author}`),
    `author: ${author.length}`,
    `other: ${other.length}`,
    `ledger: ${proved.length} of ${total} proved`,
  ];
}

/** A JSON list of keys in the style of the formatter: on one line if it fits. */
export function listText(keys: readonly string[]): string {
  const line = `[${keys.map((key) => JSON.stringify(key)).join(', ')}]`;
  return `${line.length <= 120 ? line : JSON.stringify(keys, null, 2)}\n`;
}
