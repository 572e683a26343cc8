/** The texts of a schema for people and models, by the place in the value: descriptions, titles, defaults. */
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import { isRecord } from '../../lib/values/is.ts';
import { partsOf } from './alternatives.ts';
import { inside, type Located, rootOf, type Work } from './document.ts';
import { annotations, known } from './keywords.ts';
import { fieldPath, type Path, stepsOf } from './problem.ts';

/** For each keyword the values that it has at the place: alternatives may have several. */
type Texts = Map<string, Set<string>>;

export interface ChangedText {
  readonly path: Path;
  readonly keyword: string;
}

/** The texts that changed at places that both schemas have. */
export function changedTexts(before: unknown, after: unknown, work: Work): ChangedText[] {
  const [old, now] = [before, after].map((schema) => {
    const places = new Map<Path, Texts>();
    collect(rootOf(schema), '', places, [], work, new Map());
    return places;
  }) as [Map<Path, Texts>, Map<Path, Texts>];
  return [...old].flatMap(([path, texts]) => {
    const others = now.get(path);
    if (others === undefined) return [];
    const keywords = new Set([...texts.keys(), ...others.keys()]);
    return [...keywords]
      .filter((keyword) => !isSame(texts.get(keyword), others.get(keyword)))
      .map((keyword) => ({ path, keyword }));
  });
}

const isSame = (some: ReadonlySet<string> = new Set(), others: ReadonlySet<string> = new Set()): boolean =>
  some.size === others.size && [...some].every((one) => others.has(one));

function collect(
  schema: Located,
  path: Path,
  places: Map<Path, Texts>,
  above: readonly unknown[],
  work: Work,
  seen: Map<unknown, Set<Path>>,
): void {
  work.step(above.length, 1 + stepsOf(path));
  if (!isRecord(schema.node) || above.includes(schema.node)) return;
  const paths = seen.get(schema.node) ?? new Set();
  if (paths.has(path)) return;
  seen.set(schema.node, paths.add(path));
  const below = [...above, schema.node];
  const parts = partsOf(schema, work, 0);
  const texts = places.get(path) ?? new Map();
  places.set(path, texts);
  for (const keyword of new Set([...annotations, ...parts.flatMap(inventedKeywords)])) {
    // The nearest text counts: a description beside a reference replaces the one behind it.
    const holder = parts.find((part) => Object.hasOwn(part, keyword));
    if (holder !== undefined) texts.set(keyword, (texts.get(keyword) ?? new Set()).add(canonicalJson(holder[keyword])));
  }
  const into = (node: unknown, place: Path): void => collect(inside(schema, node), place, places, below, work, seen);
  for (const part of parts) {
    for (const branch of [part.anyOf, part.oneOf].flat()) into(branch, path);
    for (const [name, node] of Object.entries(isRecord(part.properties) ? part.properties : {}))
      into(node, fieldPath(path, name));
    for (const [index, node] of (Array.isArray(part.prefixItems) ? part.prefixItems : []).entries())
      into(node, `${path}[${index}]`);
    into(part.items, `${path}[]`);
    into(part.additionalProperties, path === '' ? '*' : `${path}.*`);
  }
}

const inventedKeywords = (part: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(part).filter((name) => !known.has(name));
