/** Searches of tools that cost much: by their words, of which an upstream has as many as it wants, and by names that a caller sends. */
import { expect, it } from 'vitest';
import { findTools } from '../../../src/agents/context/find-tools.ts';
import { createToolIndex } from '../../../src/agents/search/tool-index.ts';
import type { ToolText } from '../../../src/agents/search/tool-text.ts';
import { ToolIndexes } from '../../../src/gateway/catalogue/tool-indexes.ts';

const wordOf = (at: number): string => `w${at.toString(36)}`;

it('the words of many long tools are searched in part, of each tool as many [S24, S36]', async () => {
  const tools = Array.from({ length: 600 }, (_, n): ToolText => {
    const words = Array.from({ length: 800 }, (__, at) => wordOf(n * 800 + at));
    return { name: `t${n}`, description: words.join(' ') };
  });
  const index = createToolIndex();
  index.add(tools);
  expect(index.search(wordOf(599 * 800 + 400), 1)).toEqual(['t599']);
  expect(index.search(wordOf(799), 1)).toEqual([]);
});

it('other calls go on while the tools of a gateway are indexed [S24, S36]', async () => {
  const records = Array.from({ length: 200 }, (_, n) => [`t${n}`, { record: { name: `t${n}` } }] as const);
  const tools = new Map(records);
  const indexes = new ToolIndexes();
  const texts = indexes.textsOf(tools, () => false);
  // Loads the search.
  await indexes.search(new Map(), new Map(), 't1', 1);
  let turns = 0;
  const turn = (): void => void (turns++, (next = setImmediate(turn)));
  let next = setImmediate(turn);
  await indexes.search(tools, texts, 't1', 1);
  clearImmediate(next);
  expect(turns).toBeGreaterThan(1);
});

it('of a hundred thousand names that no tool has, a hundred are compared with all tools [S24, S36]', async () => {
  let compared = 0;
  const tools = new Map<string, ToolText>([['one__tool', { name: 'one__tool' }]]);
  const counted = Object.assign(new Map(tools), { keys: () => (compared++, tools.keys()) });
  const names = Array.from({ length: 100_000 }, (_, n) => `none${n}`);
  await findTools({ names }, { tools: counted, search: () => [], withSchemas: false });
  expect(compared).toBe(100);
});
