/** Searches the tools that a caller sees: one index for each set of tools, made at its first search. */
import type { ToolIndex } from '../../agents/search/tool-index.ts';
import type { ToolText } from '../../agents/search/tool-text.ts';
import { originOf } from '../../host/lists/names.ts';
import type { Fields } from '../../lib/values/is.ts';

/** Tools by their names, as a registry has them. */
export type RecordedTools = ReadonlyMap<string, { readonly record: Fields }>;

/** Sets of tools that are remembered: callers with equal permissions have the same. */
const maxIndexes = 16;

/** The texts of a tool, with the upstream in its name. */
function textOf(name: string, { title, description, inputSchema }: Fields): ToolText {
  const server = originOf(name)?.server;
  return {
    name,
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    ...(typeof inputSchema === 'object' && inputSchema !== null && { inputSchema }),
    ...(server !== undefined && { server }),
  };
}

export class ToolIndexes {
  /** By the tools themselves: two sets with equal names may have other texts. */
  readonly #known = new Map<string, Promise<ToolIndex>>();
  readonly #numbers = new WeakMap<object, number>();
  #nextNumber = 0;

  textsOf(tools: RecordedTools, isOwn: (name: string) => boolean): ReadonlyMap<string, ToolText> {
    const texts = [...tools].filter(([name]) => !isOwn(name)).map(([name, { record }]) => textOf(name, record));
    return new Map(texts.map((text) => [text.name, text]));
  }

  /** Only of what the caller sees: how rare a word is would reveal tools that are hidden. */
  async search(
    tools: RecordedTools,
    texts: ReadonlyMap<string, ToolText>,
    query: string,
    limit: number,
  ): Promise<readonly string[]> {
    const key = [...texts.keys()].map((name) => this.#numberOf(tools.get(name)?.record ?? texts)).join();
    const index = this.#known.get(key) ?? indexOf(texts);
    this.#known.delete(key);
    this.#known.set(key, index);
    const [oldest] = this.#known.keys();
    if (this.#known.size > maxIndexes && oldest !== undefined) this.#known.delete(oldest);
    return (await index).search(query, limit);
  }

  #numberOf(record: object): number {
    const known = this.#numbers.get(record) ?? ++this.#nextNumber;
    this.#numbers.set(record, known);
    return known;
  }
}

/** Tools that are indexed without a pause. */
const toolsAtOnce = 50;

/** Loaded at the first search: most gateways have none. */
async function indexOf(texts: ReadonlyMap<string, ToolText>): Promise<ToolIndex> {
  const { createToolIndex } = await import('../../agents/search/tool-index.ts');
  const all = [...texts.values()];
  const index = createToolIndex(all.length);
  for (let at = 0; at < all.length; at += toolsAtOnce) {
    index.add(all.slice(at, at + toolsAtOnce));
    // Other calls go on meanwhile.
    await new Promise<void>((resolve) => setTimeout(resolve, 0));
  }
  return index;
}
