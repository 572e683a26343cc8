/** A configuration file as values, with the lines of its members, and the problems found in it. */
import { isMap, isScalar, isSeq, type Node } from 'yaml';
import { parsePlaced } from '../../guard/policy/document/yaml-places.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Problem } from '../../lib/options/option-rules.ts';
import type { Fields } from '../../lib/values/is.ts';

/**
 * Characters of a configuration file, and of a file with secrets.
 * @limit gateway
 * @beyond the file is refused
 * @code invalid-argument
 */
export const maxConfigChars = 1024 * 1024;

/**
 * Levels of nesting of a configuration file.
 * @limit gateway
 * @beyond the file is refused
 * @code invalid-argument
 */
const maxConfigNesting = 32;

/**
 * Problems of a configuration file that one error lists.
 * @limit gateway
 * @beyond the rest is counted
 * @code invalid-argument
 */
const maxConfigProblems = 50;

/** One problem of a file. */
export interface ConfigProblem extends Problem {
  /** The file, as it was named. */
  readonly file: string;
  /** The line, from 1. */
  readonly line: number;
}

type ValueNode = Node | null | undefined;

export class ConfigDocument {
  /** The content; an empty object if the document could not be read. */
  readonly value: Fields;
  readonly #file: string;
  readonly #root: ValueNode;
  readonly #lineAt: (offset: number) => number;
  readonly #problems: ConfigProblem[] = [];

  /** `isPrivate`: no error has a part of the text. */
  constructor(text: string, file: string, isPrivate = false) {
    this.#file = file;
    const withoutMark = text.replace(/^\uFEFF/, '');
    const parsed = parsePlaced(withoutMark, { maxChars: maxConfigChars, maxNesting: maxConfigNesting });
    this.#root = parsed.root;
    this.#lineAt = (offset) => parsed.positionOf(offset).line;
    // The parser quotes what it does not understand.
    for (const { offset, problem, hint } of parsed.problems) {
      const own = { place: '', text: `The file ${problem}.`, hint: isPrivate ? 'Check this line.' : hint };
      this.#problems.push({ ...own, file, line: this.#lineAt(offset) });
    }
    this.value = this.#read();
  }

  #read(): Fields {
    const broken = this.#problems.length > 0;
    if (!broken && isMap<Node, ValueNode>(this.#root)) return this.#valueOf(this.#root) as Fields;
    if (!broken)
      this.report({
        place: '',
        text: 'The file is not an object.',
        hint: 'Write upstreams: and the name of one below.',
      });
    return {};
  }

  #valueOf(node: ValueNode): unknown {
    if (isSeq<ValueNode>(node)) return node.items.map((one) => this.#valueOf(one));
    if (!isMap<Node, ValueNode>(node)) return isScalar(node) ? node.value : undefined;
    // A null prototype: a key such as __proto__ is a key like any other, and is refused as an unknown one.
    const members = Object.create(null) as Fields;
    for (const { key, value } of node.items) members[keyOf(key)] = value === null ? null : this.#valueOf(value);
    return members;
  }

  /** Adds a problem, at the line of its place. */
  report(problem: Problem): void {
    this.#problems.push(this.problemAt(problem));
  }

  /** A problem with its line, for an error of its own. */
  problemAt(problem: Problem): ConfigProblem {
    return { ...problem, file: this.#file, line: this.lineOf(problem.place) };
  }

  /** The line of a place such as `upstreams.github.args[0]`: of its key, or of the nearest one around it. */
  lineOf(place: string): number {
    let node = this.#root;
    let offset = 0;
    for (let rest = place; rest !== ''; ) {
      const found = memberAt(node, rest);
      if (found === undefined) break;
      ({ offset, node, rest } = found);
    }
    return this.#lineAt(offset);
  }

  /** Throws one error that lists all problems, in the order of the file. */
  finish(): void {
    if (this.#problems.length > 0) throw configError(this.#problems);
  }
}

interface Found {
  readonly offset: number;
  readonly node: ValueNode;
  readonly rest: string;
}

/** Names may have dots and brackets themselves: the longest that fits is meant. */
function memberAt(node: ValueNode, place: string): Found | undefined {
  if (isSeq<ValueNode>(node)) {
    const [whole, at] = /^\[(\d+)\]\.?/.exec(place) ?? [];
    const item = whole === undefined ? undefined : node.items[Number(at)];
    if (whole === undefined || item === undefined) return undefined;
    return { offset: item?.range?.[0] ?? 0, node: item, rest: place.slice(whole.length) };
  }
  if (!isMap<Node, ValueNode>(node)) return undefined;
  let best: Found | undefined;
  for (const { key, value } of node.items) {
    const name = keyOf(key);
    const next = place[name.length];
    if (!place.startsWith(name) || (next !== undefined && next !== '.' && next !== '[')) continue;
    const rest = place.slice(name.length + (next === '.' ? 1 : 0));
    if (best === undefined || rest.length < best.rest.length) best = { offset: key.range?.[0] ?? 0, node: value, rest };
  }
  return best;
}

/** YAML allows keys that are no texts. */
const keyOf = (key: Node): string => (isScalar(key) ? String(key.value) : String(key));

/** One error for all problems, each as `FILE:LINE: what is wrong, what to write`. */
export function configError(found: readonly ConfigProblem[], cause?: unknown): TenonError {
  const sorted = found.toSorted((a, b) => a.line - b.line);
  const problems = sorted.slice(0, maxConfigProblems);
  const lines = problems.map(problemLine);
  const more = sorted.length - problems.length;
  if (more > 0) lines.push(`${more} more problems`);
  const message =
    lines.length === 1 ? (lines[0] as string) : `There are ${sorted.length} problems:\n  ${lines.join('\n  ')}`;
  const details = { problems, count: sorted.length };
  return new TenonError('invalid-argument', message, { details, ...(cause !== undefined && { cause }) });
}

export const problemLine = ({ file, line, text, hint }: ConfigProblem): string => `${file}:${line}: ${text} ${hint}`;
