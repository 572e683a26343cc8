/** One text for all schemas that are written differently only in order, names of definitions and annotations. */
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import { isRecord } from '../../lib/values/is.ts';
import { type Fields, type Located, resolved, type Work } from './document.ts';
import { annotations, naming } from './keywords.ts';

/** Parts that only name or describe. */
const left: ReadonlySet<string> = new Set([...annotations, ...naming]);

const unordered: ReadonlySet<string> = new Set(['enum', 'required', 'type', 'anyOf', 'oneOf', 'allOf']);

/** Keywords whose members are names, or values, not schemas. */
const maps: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas', 'dependencies']);
const plain: ReadonlySet<string> = new Set(['enum', 'const', 'required', 'type', 'dependentRequired']);

/** Equal for two schemas of one `work` if they are the same but for names, texts and order. */
export function canonicalSchema({ node, root }: Located, work: Work): string {
  return canonicalJson(new Expansion(root, work).expanded(node));
}

/**
 * Replaces references by their targets, and each schema by a short mark for its text: a text with everything in it would
 * double with every level of two references.
 */
class Expansion {
  readonly #root: unknown;
  readonly #work: Work;
  /** The schemas around the present one. A reference back to one of them becomes the distance to it. */
  readonly #path: unknown[] = [];
  /** References that are followed with nothing between: a chain of them may be endless. */
  #chained = 0;
  /** The outermost of them that was referred back to. */
  #outermost = Infinity;

  constructor(root: unknown, work: Work) {
    this.#root = root;
    this.#work = work;
  }

  expanded(node: unknown): unknown {
    this.#work.step(this.#path.length + this.#chained);
    if (Array.isArray(node)) return node.map((one) => this.expanded(one));
    if (!isRecord(node)) return node;
    const cycle = this.#path.indexOf(node);
    if (cycle !== -1) {
      this.#outermost = Math.min(this.#outermost, cycle);
      return { cycle: this.#path.length - cycle };
    }
    const known = this.#work.marks.get(node);
    return known ?? this.#marked(node);
  }

  /** What refers back beyond itself depends on where it stands, so that its mark is not remembered. */
  #marked(node: Fields): unknown {
    const before = this.#outermost;
    this.#outermost = Infinity;
    const text = this.#withoutNames(node);
    const isClosed = this.#outermost >= this.#path.length;
    this.#outermost = Math.min(before, isClosed ? Infinity : this.#outermost);
    if (isClosed) this.#work.marks.set(node, text);
    return text;
  }

  #withoutNames(node: Fields): unknown {
    const target = resolved(this.#root, node.$ref, this.#work);
    const names = Object.keys(node).filter((name) => !left.has(name));
    // A description beside a reference changes nothing, so that the reference is what it points at.
    if (target !== undefined && names.length === 1) {
      this.#chained++;
      const behind = this.expanded(target);
      this.#chained--;
      return behind;
    }
    this.#path.push(node);
    const fields = Object.fromEntries(
      names.map((name) => {
        if (name === '$ref') return [name, target === undefined ? node.$ref : this.expanded(target)];
        return [name, ordered(name, this.#keyword(name, node[name]))];
      }),
    );
    this.#path.pop();
    return this.#work.markOf(canonicalJson(fields));
  }

  #keyword(name: string, value: unknown): unknown {
    if (plain.has(name)) return value;
    if (maps.has(name) && isRecord(value))
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.expanded(one)]));
    return this.expanded(value);
  }
}

const ordered = (name: string, value: unknown): unknown =>
  unordered.has(name) && Array.isArray(value)
    ? value
        .map((one) => [canonicalJson(one), one] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([, one]) => one)
    : value;
