/** Measures how often the search finds a tool that fits a request. */
import { readFileSync } from 'node:fs';
import { createToolIndex } from '../../../src/agents/search/tool-index.ts';
import type { ToolText } from '../../../src/agents/search/tool-text.ts';
import { wordsOf } from '../../../src/agents/search/words.ts';

export type SetName = 'tuned' | 'unseen';
/** A request, and the names of the tools that fit. */
export type Query = readonly [text: string, fitting: readonly string[]];

interface CatalogueTool {
  readonly server: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments: readonly string[];
  readonly chars: number;
}

export interface Catalogue {
  readonly servers: readonly { readonly server: string; readonly set: SetName }[];
  readonly tools: readonly CatalogueTool[];
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`fixtures/${name}.json`, import.meta.url), 'utf8'));

export const readCatalogue = (): Catalogue => read('tools') as Catalogue;
export const readQueries = (set: SetName): readonly Query[] => read(`${set}-queries`) as readonly Query[];

export const toolTexts = ({ servers, tools }: Catalogue, sets: readonly SetName[]): readonly ToolText[] =>
  tools.flatMap(({ server, name, title, description, arguments: names }) => {
    if (!servers.some((one) => one.server === server && sets.includes(one.set))) return [];
    const inputSchema = { type: 'object', properties: Object.fromEntries(names.map((one) => [one, {}])) };
    return [{ server, name, title, description, inputSchema }];
  });

const most = 12;

/** Requests made of the first words of descriptions, without words of the name, where they distinguish the tool. */
export function ownWordQueries(tools: readonly ToolText[]): readonly Query[] {
  const byText = new Map<string, string[]>();
  for (const { name, description = '' } of tools) {
    const named = new Set(wordsOf(name));
    const words = description.split(/[^\p{L}\p{N}]+/u).filter((word) => {
      const [stemmed] = wordsOf(word);
      return stemmed !== undefined && !named.has(stemmed);
    });
    const text = words.slice(0, most).join(' ');
    if (words.length >= 3) byText.set(text, [...(byText.get(text) ?? []), name]);
  }
  // A description that several tools begin with distinguishes none of them.
  return [...byText].filter(([, names]) => names.length === 1);
}

/** The shares of requests whose fitting tool is among the first. */
export function sharesOf(queries: readonly Query[], tools: readonly ToolText[]): Record<1 | 5 | 8, number> {
  const index = createToolIndex();
  index.add(tools);
  const ranks = queries.map(([text, fitting]) => {
    const found = index.search(text, 8);
    const rank = found.findIndex((name) => fitting.includes(name));
    return rank === -1 ? Infinity : rank;
  });
  const within = (count: number): number => ranks.filter((rank) => rank < count).length / queries.length;
  return { 1: within(1), 5: within(5), 8: within(8) };
}
