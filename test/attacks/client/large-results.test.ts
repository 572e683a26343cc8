/** Results of a server with as many values as a message may have: the command line shows them in time linear in their length. */
import { expect, it } from 'vitest';
import { commandResult } from '../../../src/cli/output/shown-result.ts';
import { textTable } from '../../../src/cli/output/table.ts';

const io = { isTerminal: true, hasColor: false, columns: 80, cwd: '/' } as never;
const many = <T>(count: number, one: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => one(n));

it('rows that have a name each are shown as JSON, not as a table of all names [S24]', async () => {
  const structuredContent = { rows: many(100_000, (n) => ({ [`k${n}`]: n })) };
  const { text } = await commandResult({ content: [], structuredContent }, io, undefined);
  expect(text).toBe(JSON.stringify(structuredContent));
});

it('many texts are compared with many structured values at once [S24]', async () => {
  const content = many(100_000, (n) => ({ type: 'text', text: String(n) }));
  const { text } = await commandResult({ content, structuredContent: { rows: many(99_999, (n) => n) } }, io, undefined);
  expect(text?.split('\n')[0]).toBe('99999');
});

it('a table may have more rows than a function has arguments [S24]', () => {
  const table = textTable(
    many(300_000, (n) => ['a', String(n)]),
    80,
  );
  expect(table.slice(-9)).toBe('a  299999');
});
