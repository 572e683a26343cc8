/** One text for all schemas that are written differently only in order, names of definitions and annotations. */
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import { isRecord } from '../../lib/values/is.ts';
import { type Located, resolved, type Work } from './document.ts';
import { annotations, naming } from './keywords.ts';

/** Parts that only name or describe. */
const left: ReadonlySet<string> = new Set([...annotations, ...naming]);

const unordered: ReadonlySet<string> = new Set(['enum', 'required', 'type', 'anyOf', 'oneOf', 'allOf']);

/** Keywords whose members are names, or values, not schemas. */
const maps: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas', 'dependencies']);
const plain: ReadonlySet<string> = new Set(['enum', 'const', 'required', 'type', 'dependentRequired']);

export function canonicalSchema({ node, root }: Located, work: Work): string {
  return canonicalJson(expanded(node, root, [], work));
}

/** Replaces references by their targets; a reference back to a parent becomes the distance to it. */
function expanded(node: unknown, root: unknown, path: readonly unknown[], work: Work): unknown {
  work.step(path.length);
  if (Array.isArray(node)) return node.map((one) => expanded(one, root, path, work));
  if (!isRecord(node)) return node;
  const cycle = path.indexOf(node);
  if (cycle !== -1) return { cycle: path.length - cycle };
  const target = resolved(root, node.$ref, work);
  const names = Object.keys(node).filter((name) => !left.has(name));
  // A description beside a reference changes nothing, so that the reference is what it points at.
  if (target !== undefined && names.length === 1) return expanded(target, root, path, work);
  const below = [...path, node];
  return Object.fromEntries(
    names.map((name) => {
      if (name === '$ref') return [name, target === undefined ? node.$ref : expanded(target, root, below, work)];
      return [name, ordered(name, keywordValue(name, node[name], root, below, work))];
    }),
  );
}

function keywordValue(name: string, value: unknown, root: unknown, path: readonly unknown[], work: Work): unknown {
  if (plain.has(name)) return value;
  if (maps.has(name) && isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, expanded(one, root, path, work)]));
  return expanded(value, root, path, work);
}

const ordered = (name: string, value: unknown): unknown =>
  unordered.has(name) && Array.isArray(value)
    ? value
        .map((one) => [canonicalJson(one), one] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([, one]) => one)
    : value;
