/** Descriptions that are missing, say nothing, are too long, or are nearly those of another tool. */

import { stem } from '../search/words.ts';
import type { CheckedTool } from './cost.ts';
import { finding, type ToolFinding } from './finding.ts';
import { wordsIn } from './words.ts';

/** Some APIs, such as that of Azure OpenAI, reject a request with a longer one. */
const maxChars = 1024;

/** Characters that are compared. */
const comparedChars = 4000;

/** Beyond so many tools, only equal descriptions are found: the number of pairs grows with the square. */
const maxCompared = 1000;

/** The share of words that two descriptions have in common. */
const alikeShare = 0.85;

export function descriptionFindings(tools: readonly CheckedTool[]): ToolFinding[] {
  return [...tools.flatMap(oneDescription), ...alikeFindings(tools)];
}

function oneDescription({ name, description = '' }: CheckedTool): ToolFinding[] {
  const text = description.trim();
  if (text === '')
    return [
      finding(
        'description-missing',
        name,
        'The tool has no description.',
        'Write what it does and when to use it, in one to three sentences.',
      ),
    ];
  const own = new Set(wordsIn(name).map(stem));
  if (wordsIn(text.slice(0, comparedChars)).every((word) => own.has(stem(word)) || fillers.has(word)))
    return [
      finding(
        'description-repeats-name',
        name,
        `The description says no more than the name: "${text.slice(0, 100)}".`,
        'Write what it returns, and when to use it rather than another tool.',
      ),
    ];
  if (text.length <= maxChars) return [];
  return [
    finding(
      'description-long',
      name,
      `The description has ${text.length} characters. Some APIs, such as that of Azure OpenAI, accept ${maxChars}.`,
      'Move what is about an argument to its description, and what is about the server to its instructions.',
    ),
  ];
}

const fillers = new Set(['a', 'an', 'the', 'of', 'to', 'in', 'for', 'from', 'by', 'with', 'and', 'tool', 'this']);

interface Described {
  readonly name: string;
  /** The distinct words of its description. */
  readonly words: ReadonlySet<string>;
  /** Those of them that its name has too: these distinguish it. */
  readonly distinct: ReadonlySet<string>;
}

/** Each tool is named once, with the first that is like it. */
function alikeFindings(tools: readonly CheckedTool[]): ToolFinding[] {
  const described = tools.map(read).filter(({ words }) => words.size > 0);
  const compared = described.slice(0, maxCompared);
  const equal = new Map<string, Described>();
  return described.flatMap((one, at) => {
    const key = [...one.words].join(' ');
    const same = equal.get(key);
    if (same === undefined) equal.set(key, one);
    const other =
      same !== undefined && !differ(same, one)
        ? same
        : compared.slice(0, Math.min(at, maxCompared)).find((earlier) => areAlike(earlier, one));
    return other === undefined || other.name === one.name ? [] : [alike(one.name, other.name)];
  });
}

const alike = (name: string, other: string): ToolFinding =>
  finding(
    'descriptions-alike',
    name,
    `The description is nearly that of \`${other}\`.`,
    'Say in both what only this tool does, or offer one tool with an argument.',
  );

function read({ name, description = '' }: CheckedTool): Described {
  const words = new Set(wordsIn(description.slice(0, comparedChars)).map(stem));
  return {
    name,
    words,
    distinct: new Set(
      wordsIn(name)
        .map(stem)
        .filter((word) => words.has(word)),
    ),
  };
}

function areAlike(one: Described, other: Described): boolean {
  const [less, more] = one.words.size < other.words.size ? [one.words, other.words] : [other.words, one.words];
  if (less.size / more.size < alikeShare) return false;
  let common = 0;
  for (const word of less) if (more.has(word)) common++;
  return common / (one.words.size + other.words.size - common) >= alikeShare && !differ(one, other);
}

/** Each description has a word of its own name that the other lacks: "Lists issues" and "Lists projects". */
const differ = (one: Described, other: Described): boolean => isDistinct(one, other) && isDistinct(other, one);

const isDistinct = ({ distinct }: Described, { words }: Described): boolean =>
  [...distinct].some((word) => !words.has(word));
