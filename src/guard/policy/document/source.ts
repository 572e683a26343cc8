/** The text of a policy as YAML nodes, and the problems found in it, each with line and column. */
import { isMap, isScalar, isSeq, type Node } from 'yaml';
import { nameHint } from '../../../lib/text/nearest-name.ts';
import { maxDocumentChars, maxEntries, maxNesting, maxTextChars } from '../limits.ts';
import { invisible } from '../matching/canonical-uri.ts';
import { invalidPolicy, type PolicyProblem } from './problems.ts';
import { type PlacedDocument, parsePlaced } from './yaml-places.ts';

export type PolicyNode = Node | null | undefined;

/** A member of an object of the document. */
export interface Member {
  readonly key: Node;
  readonly value: PolicyNode;
}

/** Readers of values report what is wrong and return `undefined`; `finish` throws if anything was reported. */
export class PolicySource {
  readonly root: PolicyNode;
  readonly #fileName: string;
  readonly #document: PlacedDocument;
  readonly #problems: PolicyProblem[] = [];

  constructor(text: string, fileName: string) {
    this.#fileName = fileName;
    this.#document = parsePlaced(text, { maxChars: maxDocumentChars, maxNesting });
    for (const { offset, problem, hint } of this.#document.problems) this.#add(offset, 'policy', problem, hint);
    this.root = this.#document.root;
    this.finish();
  }

  /** Whether nothing was reported so far. */
  get valid(): boolean {
    return this.#problems.length === 0;
  }

  report(node: PolicyNode, place: string, problem: string, hint: string): undefined {
    this.#add(node?.range?.[0] ?? 0, place, problem, hint);
  }

  /** Reports a place inside a text, where its characters stand in the document as they are. */
  reportInside(node: PolicyNode, offset: number, place: string, problem: string, hint: string): undefined {
    const plain = isScalar(node) && (node.type === 'PLAIN' || node.type?.startsWith('QUOTE') === true);
    const start = node?.range?.[0] ?? 0;
    const quote = isScalar(node) && node.type !== 'PLAIN' ? 1 : 0;
    this.#add(plain ? start + quote + offset : start, place, problem, hint);
  }

  #add(offset: number, place: string, problem: string, hint: string): undefined {
    const position = this.#document.positionOf(offset);
    this.#problems.push({ ...position, place, message: `${place} ${problem}.`, hint });
  }

  positionOf(node: PolicyNode): { readonly line: number; readonly column: number } {
    return this.#document.positionOf(node?.range?.[0] ?? 0);
  }

  /** The members of an object. Unknown names are reported. */
  members(node: PolicyNode, place: string, known: readonly string[]): ReadonlyMap<string, Member> | undefined {
    if (!isMap<Node, PolicyNode>(node)) {
      return this.report(node, place, 'is not an object', `${place} is an object with ${known.join(', ')}.`);
    }
    const members = new Map<string, Member>();
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : '';
      if (known.includes(name)) members.set(name, { key, value });
      else this.report(key, `${place === 'policy' ? '' : `${place}.`}${name}`, 'is not known', nameHint(name, known));
    }
    return members;
  }

  /** The entries of a list of at most `most`. */
  entries(node: PolicyNode, place: string, most: number): readonly Node[] | undefined {
    if (!isSeq<Node>(node)) return this.report(node, place, 'is not a list', 'Write a list: [one, other].');
    if (node.items.length <= most) return node.items;
    return this.report(node, place, `has ${node.items.length} entries`, `At most ${most} are allowed.`);
  }

  text(node: PolicyNode, place: string, most: number = maxTextChars): string | undefined {
    const value = isScalar(node) ? node.value : undefined;
    if (typeof value !== 'string' || value === '') {
      return this.report(node, place, 'is not a text', 'Write a text that is not empty; put numbers in quotes.');
    }
    if (invisible.test(value.replace(/[\n\t]/g, ''))) {
      return this.report(node, place, 'has an invisible character', 'Names are compared exactly; delete it.');
    }
    if (value.normalize('NFC') !== value) {
      return this.report(node, place, 'is not in Unicode normalisation form C', 'Names are compared exactly.');
    }
    if (value.length <= most) return value;
    return this.report(node, place, `has ${value.length} characters`, `At most ${most} are allowed.`);
  }

  /** One text or a list of them. */
  texts(node: PolicyNode, place: string): readonly (readonly [text: string, node: PolicyNode])[] | undefined {
    if (!isSeq(node)) {
      const text = this.text(node, place);
      return text === undefined ? undefined : [[text, node]];
    }
    if (node.items.length === 0) return this.report(node, place, 'is empty', 'Write at least one entry.');
    return this.entries(node, place, maxEntries)?.flatMap((entry, at) => {
      const text = this.text(entry, `${place}[${at}]`);
      return text === undefined ? [] : [[text, entry] as const];
    });
  }

  /** Throws one error that lists all problems, in the order of the document. */
  finish(): void {
    if (this.#problems.length === 0) return;
    throw invalidPolicy(this.#fileName, this.#problems);
  }
}
