/** One parsed file: its tree, the parent of every node, and its comments. */
import { type Comment, type Node, type Program, parseSync, visitorKeys } from 'oxc-parser';

export interface SourceFile {
  /** As the user wrote it, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly program: Program;
  readonly comments: readonly Comment[];
  /** Every node, a parent before its children. */
  readonly nodes: readonly Node[];
  parentOf(node: Node): Node | undefined;
}

/** Why a file cannot be parsed. */
export class SyntaxProblem extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** Levels of nodes in nodes: a file that has more was not written by hand, and takes time by its levels. */
const maxLevels = 1000;

/** Parses TypeScript or JavaScript, by the ending of the path; throws a `SyntaxProblem`. */
export function parseSource(path: string, text: string): SourceFile {
  const { program, comments, errors } = parseSync(path, text, { preserveParens: false, ...languageOf(path) });
  const problem = errors.find(({ severity }) => String(severity) === 'Error');
  if (problem !== undefined) throw new SyntaxProblem(problem.message, problem.labels[0]?.start ?? 0);
  const parents = new Map<Node, Node>();
  const nodes: Node[] = [];
  // Without recursion: a long chain of operators is a deep tree.
  const waiting: (readonly [node: Node, level: number])[] = [[program, 0]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [node, level] = next;
    if (level > maxLevels) throw new SyntaxProblem(`The file is nested deeper than ${maxLevels} levels`, node.start);
    nodes.push(node);
    for (const child of childrenOf(node).reverse()) {
      parents.set(child, node);
      waiting.push([child, level + 1]);
    }
  }
  return { path, text, program, comments, nodes, parentOf: (node) => parents.get(node) };
}

/** JavaScript files may have JSX; TypeScript files have it by their ending alone. */
const languageOf = (path: string): { lang?: 'jsx' } => (/\.[cm]?js$/.test(path) ? { lang: 'jsx' } : {});

function childrenOf(node: Node): Node[] {
  const fields = node as unknown as Readonly<Record<string, unknown>>;
  return (visitorKeys[node.type] ?? []).flatMap((key) => fields[key]).filter(isNode);
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

/** Line and column of an offset, both from 1. */
export function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

/** The nearest node around a node that satisfies a condition. */
export function enclosing(source: SourceFile, node: Node, isWanted: (node: Node) => boolean): Node | undefined {
  let each = source.parentOf(node);
  while (each !== undefined && !isWanted(each)) each = source.parentOf(each);
  return each;
}

export const textOf = (source: SourceFile, node: { readonly start: number; readonly end: number }): string =>
  source.text.slice(node.start, node.end);
