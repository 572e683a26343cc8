/** Writes results: a Markdown table for people, a JSON file for programs. */
import { mkdirSync, writeFileSync } from 'node:fs';

const folder = new URL('../results/', import.meta.url);

/** A Markdown table. The first column is text, the others are numbers. */
export function table(heads, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const rule = heads.map((_, column) => (column === 0 ? '---' : '---:'));
  return [line(heads), line(rule), ...rows.map(line)].join('\n');
}

/** Three significant figures, with k or M. */
export function short(number) {
  if (number >= 1e6) return `${threeFigures(number / 1e6)}M`;
  return number >= 1e3 ? `${threeFigures(number / 1e3)}k` : threeFigures(number);
}

export const percent = (share) => `${threeFigures(share * 100)} %`;
export const threeFigures = (number) => String(Number(number.toPrecision(3)));

/** Stores the result beside earlier ones and returns the file's path. */
export function save(topic, info, result) {
  mkdirSync(folder, { recursive: true });
  const file = new URL(`${topic}-${info.date.replaceAll(':', '-')}.json`, folder);
  writeFileSync(file, `${JSON.stringify({ topic, info, result }, null, 2)}\n`);
  return file.pathname;
}
