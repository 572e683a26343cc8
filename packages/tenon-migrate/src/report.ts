/** The report of a run, as text. */

import type { Arguments } from './arguments.ts';
import { changedLines } from './changed-lines.ts';
import type { Migration, SourceText } from './migrate.ts';

const kinds = [
  ['tools', 'tool', 'tools'],
  ['prompts', 'prompt', 'prompts'],
  ['resources', 'resource', 'resources'],
  ['resourceTemplates', 'resource template', 'resource templates'],
] as const;

const count = (number: number, one: string, many: string): string => `${number} ${number === 1 ? one : many}`;

/** What was converted, what is left, and what to do next. */
export function reportOf(migration: Migration, before: readonly SourceText[], mode: Arguments['mode']): string {
  const { changed, findings, converted } = migration;
  const would = mode === 'write' ? 'converted' : 'would be converted';
  const lines: string[] = [];
  if (mode !== 'write') lines.push(...changed.flatMap((file) => changedLines(before, file)));
  const parts = kinds.flatMap(([kind, one, many]) => (converted[kind] > 0 ? [count(converted[kind], one, many)] : []));
  const files = count(changed.length, 'file', 'files');
  lines.push(
    changed.length === 0 ? 'Nothing to convert.' : `${parts.join(', ') || 'Imports and types'} ${would} in ${files}:`,
  );
  lines.push(...changed.map(({ path }) => `  ${path}`));
  if (findings.length > 0) {
    lines.push('', `${count(findings.length, 'place is', 'places are')} left for you:`);
    lines.push(
      ...findings.map(
        ({ path, line, column, what, section }) => `  ${path}:${line}:${column} ${what} (migrating.md#${section})`,
      ),
    );
    lines.push('', 'migrating.md is docs/guide/migrating.md of the package tenon.');
  }
  if (changed.length > 0 && mode === 'write') {
    lines.push('', 'Next: npm install tenon zod, format the files, compile them, and run your tests.');
  }
  return `${lines.join('\n')}\n`;
}

/** Control characters in names and lines of files would drive the terminal; those that reorder text would disguise it. */
export const printable = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .replace(
      /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu,
      (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`,
    );

/** One line for each file that was left as it is. */
export const failuresOf = ({ failures }: Pick<Migration, 'failures'>): string =>
  failures.map(({ path, line, column, message }) => `${path}:${line}:${column} ${message}\n`).join('');
