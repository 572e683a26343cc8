/** Finds tools by words: BM25 over weighted fields, with endings removed, synonyms and beginnings of words. */
import { related } from './synonyms.ts';
import { type Field, fields, fieldWords, type ToolText } from './tool-text.ts';
import { wordsOf } from './words.ts';

/** Tools by their words. Names are unique: a tool that is added again replaces the one before. */
export interface ToolIndex {
  /** The names of the tools that fit best, at most `limit`: the best first, equal ones by name. */
  search(query: string, limit: number): readonly string[];
  /** Adds tools, or replaces those with the same names. */
  add(tools: readonly ToolText[]): void;
  /** Removes tools. Unknown names have no effect. */
  remove(names: readonly string[]): void;
}

/** Different words of a query; the rest of it is ignored. */
const maxWords = 32;

/** Of each tool, however many there are. */
const leastWords = 20;

/** How soon more of the same word stops to count, and how much longer fields count less. */
const saturation = 1.2;
const lengthEffect = 0.5;

/** A word that is only the beginning of an indexed one, such as `repo`. */
const beginningWeight = 0.6;
const leastBeginning = 4;

/**
 * Words of all tools of a search together, the same word of two tools twice. Each tool has an equal part of them.
 * @limit agents
 * @beyond the last words of a tool are not searched
 */
const maxIndexedWords = 300_000;

/** `expected`: how many tools it will have, if that is known. */
export function createToolIndex(expected = 0): ToolIndex {
  /** For each word the tools that have it, with how much it counts there. */
  const postings = new Map<string, Map<string, number>>();
  const wordsByTool = new Map<string, readonly string[]>();

  function remove(name: string): void {
    for (const word of wordsByTool.get(name) ?? []) {
      const tools = postings.get(word);
      tools?.delete(name);
      if (tools?.size === 0) postings.delete(word);
    }
    wordsByTool.delete(name);
  }

  function add(tool: ToolText, maxWordsOfTool: number): void {
    remove(tool.name);
    const weights = [...weightsOf(tool)].slice(0, maxWordsOfTool);
    for (const [word, weight] of weights) {
      const tools = postings.get(word);
      if (tools === undefined) postings.set(word, new Map([[tool.name, weight]]));
      else tools.set(tool.name, weight);
    }
    wordsByTool.set(
      tool.name,
      weights.map(([word]) => word),
    );
  }

  /** How rare a word is: what every tool has does not distinguish them. */
  function rarity(tools: ReadonlyMap<string, number>): number {
    return Math.log(1 + (wordsByTool.size - tools.size + 0.5) / (tools.size + 0.5));
  }

  /** The indexed words that a word of a query stands for, with how much each counts. */
  function meanings(word: string): ReadonlyMap<string, number> {
    const found = new Map<string, number>([...related(word), [word, 1]]);
    if (word.length >= leastBeginning)
      for (const indexed of postings.keys())
        if (indexed.startsWith(word) && !found.has(indexed)) found.set(indexed, beginningWeight);
    return found;
  }

  /** What one word of a query gives each tool: its best meaning there, so that synonyms do not add up. */
  function scoresOf(word: string): ReadonlyMap<string, number> {
    const scores = new Map<string, number>();
    for (const [meaning, share] of meanings(word)) {
      const tools = postings.get(meaning);
      if (tools === undefined) continue;
      const factor = share * rarity(tools);
      for (const [name, weight] of tools) {
        const score = (factor * weight) / (weight + saturation);
        if (score > (scores.get(name) ?? 0)) scores.set(name, score);
      }
    }
    return scores;
  }

  return {
    add(tools) {
      const count = Math.max(expected, wordsByTool.size + tools.length);
      const maxWordsOfTool = Math.max(leastWords, Math.floor(maxIndexedWords / count));
      for (const tool of tools) add(tool, maxWordsOfTool);
    },
    remove: (names) => names.forEach(remove),
    search(query, limit) {
      const totals = new Map<string, number>();
      for (const word of [...new Set(wordsOf(query))].slice(0, maxWords))
        for (const [name, score] of scoresOf(word)) totals.set(name, (totals.get(name) ?? 0) + score);
      return [...totals]
        .sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
        .slice(0, limit)
        .map(([name]) => name);
    },
  };
}

/** How much each word of a tool counts, over all its fields. */
function weightsOf(tool: ToolText): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const [field, words] of Object.entries(fieldWords(tool)) as [Field, readonly string[]][]) {
    const { weight, usual } = fields[field];
    const each = weight / (1 - lengthEffect + (lengthEffect * words.length) / usual);
    for (const word of words) weights.set(word, (weights.get(word) ?? 0) + each);
  }
  return weights;
}
