/** A schema and the document that its references point into, with a bound on the work of looking at it. */
import { isRecord } from '../../lib/values/is.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** A part of a schema. */
export interface Located {
  readonly node: unknown;
  readonly root: unknown;
}

/** Thrown when two schemas take more work to compare than the limit. They are undecided then. */
export class TooMuchWork extends Error {}

/**
 * Parts of all schemas of two servers that `compareSnapshots` looks at.
 * @limit contract
 * @beyond further changes of schemas are `undecided`
 */
const maxSteps = 300_000;

/**
 * Depth of a schema with references followed.
 * @limit contract
 * @beyond the change is `undecided`, the type `unknown`
 */
const maxDepth = 200;

export interface Work {
  /** Counts steps. */
  step(depth?: number, count?: number): void;
  /** Canonical forms of schemas that were looked at, by the schema. */
  readonly marks: Map<unknown, unknown>;
  /** A short mark for a text, the same for the same text. An object: a schema has none where its parts are replaced by them. */
  markOf(text: string): object;
}

export function createWork(steps = maxSteps): Work {
  let left = steps;
  const texts = new Map<string, object>();
  return {
    step(depth = 0, count = 1) {
      left -= count;
      if (left < 0 || depth > maxDepth) throw new TooMuchWork();
    },
    marks: new Map(),
    markOf(text) {
      const known = texts.get(text) ?? { mark: texts.size };
      texts.set(text, known);
      return known;
    },
  };
}

export const rootOf = (schema: unknown): Located => ({ node: schema, root: schema });

export const inside = ({ root }: Located, node: unknown): Located => ({ node, root });

export const ownField = (holder: unknown, name: string): unknown =>
  isRecord(holder) && Object.hasOwn(holder, name) ? holder[name] : undefined;

/** The target of a reference; `undefined` if it is outside the document, or does not exist. */
export function resolved(root: unknown, reference: unknown, work: Work): unknown {
  if (typeof reference !== 'string') return undefined;
  const id = ownField(root, '$id');
  const local = typeof id === 'string' && reference.startsWith(`${id}#`) ? reference.slice(id.length) : reference;
  if (!local.startsWith('#')) return undefined;
  const fragment = decoded(local.slice(1));
  if (fragment === '') return root;
  return fragment?.startsWith('/') ? atPointer(root, fragment) : fragment && anchored(root, fragment, work, 0);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function atPointer(root: unknown, pointer: string): unknown {
  let at: unknown = root;
  for (const token of pointer.slice(1).split('/')) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    at = Array.isArray(at) ? at[Number(key)] : ownField(at, key);
  }
  return at;
}

function anchored(node: unknown, name: string, work: Work, depth: number): unknown {
  work.step(depth);
  if (Array.isArray(node)) return firstOf(node, name, work, depth);
  if (!isRecord(node)) return undefined;
  if (node.$anchor === name || node.$dynamicAnchor === name || node.$id === `#${name}`) return node;
  return firstOf(Object.values(node), name, work, depth);
}

function firstOf(nodes: readonly unknown[], name: string, work: Work, depth: number): unknown {
  for (const node of nodes) {
    const found = anchored(node, name, work, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
