/** Walks a schema once at definition: every subschema well formed, every reference local, resolved and not a loop. */

import { below, maxReferences, refusal } from '../limits.ts';
import { checkKeywords, type Dialect, dialectOf } from './dialect.ts';
import { isJsonObject, type Json, type JsonObject, own } from './snapshot.ts';
import { type Subschema, subschemasOf } from './subschemas.ts';

const referenceKeywords = ['$ref', '$dynamicRef'] as const;
type ReferenceKeyword = (typeof referenceKeywords)[number];
type References = { readonly [keyword in ReferenceKeyword]?: Json };

/** The result of walking a schema. */
export interface Analysis {
  readonly root: Json;
  readonly dialect: Dialect;
  /** Every schema that can be reached, and its pointer. */
  readonly pointers: ReadonlyMap<JsonObject, string>;
  /** The targets of the references of a schema. */
  readonly references: ReadonlyMap<JsonObject, References>;
}

/** Walks `root`; throws `invalid-schema` where it cannot be used. */
export function analyse(root: Json): Analysis {
  if (typeof root !== 'boolean' && !isJsonObject(root)) {
    throw refusal('', 'must be an object or a boolean.', 'Write a JSON Schema, such as { "type": "object" }.');
  }
  const dialect = dialectOf(root);
  const pointers = new Map<JsonObject, string>();
  const anchors = new Map<string, JsonObject>();
  const waiting: JsonObject[] = [];

  const visit = (node: JsonObject, pointer: string): void => {
    if (pointers.has(node)) return;
    pointers.set(node, pointer);
    waiting.push(node);
    checkKeywords(node, pointer, dialect);
    for (const name of anchorsOf(node, pointer, dialect)) {
      if (anchors.has(name)) throw refusal(pointer, `gives the anchor '${name}' twice.`, 'Use a name once.');
      anchors.set(name, node);
    }
    for (const sub of subschemasOf(node, pointer, dialect)) visit(sub.schema, sub.pointer);
  };

  const references = new Map<JsonObject, References>();
  let count = 0;
  if (isJsonObject(root)) visit(root, '');
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const found: { [keyword in ReferenceKeyword]?: Json } = {};
    for (const keyword of referenceKeywords) {
      const reference = own(node, keyword);
      if (typeof reference !== 'string' || (keyword === '$dynamicRef' && dialect === 'draft-07')) continue;
      const pointer = below(pointers.get(node) ?? '', keyword);
      if ((count += 1) > maxReferences) {
        const hint = 'Make the schema smaller.';
        throw refusal(pointer, `exceeds the limit of ${maxReferences} references.`, hint);
      }
      const target = resolve(root, anchors, reference, pointer);
      if (isJsonObject(target.schema)) visit(target.schema, target.pointer);
      found[keyword] = target.schema;
    }
    references.set(node, found);
  }
  const analysis = { root, dialect, pointers, references };
  refuseLoops(analysis);
  return analysis;
}

/** The names a schema gives itself; throws where it makes itself a document of its own. */
function anchorsOf(node: JsonObject, pointer: string, dialect: Dialect): string[] {
  const id = own(node, '$id');
  const names = [own(node, '$anchor'), own(node, '$dynamicAnchor')];
  if (typeof id === 'string' && pointer !== '' && !(dialect === 'draft-07' && own(node, '$ref') !== undefined)) {
    if (dialect !== 'draft-07' || !id.startsWith('#')) {
      const hint = "Drop the inner $id and point to the schema with '#/$defs/…'.";
      throw refusal(below(pointer, '$id'), 'is not supported inside a schema, only at its root.', hint);
    }
    names.push(id.slice(1));
  }
  // A $dynamicAnchor that repeats the $anchor of the same schema names the same thing.
  return [...new Set(names.filter((name) => typeof name === 'string'))];
}

interface Target {
  readonly schema: Json;
  readonly pointer: string;
}

function resolve(root: Json, anchors: ReadonlyMap<string, JsonObject>, reference: string, pointer: string): Target {
  const fragment = localFragment(root, reference, pointer);
  if (fragment === '') return { schema: root, pointer: '' };
  const named = fragment.startsWith('/') ? atPointer(root, fragment) : anchors.get(fragment);
  if (named === undefined) {
    const hint = "Define it under $defs and point to it with '#/$defs/…'.";
    throw refusal(pointer, `does not exist: ${JSON.stringify(reference.slice(0, 100))}.`, hint);
  }
  if (typeof named !== 'boolean' && !isJsonObject(named)) {
    throw refusal(pointer, 'points at something that is not a schema.', 'Point at an object or a boolean.');
  }
  return { schema: named, pointer: fragment };
}

/** Whether the document has this `$id`, but for a fragment. */
function isIdOf(root: Json, base: string): boolean {
  const id = isJsonObject(root) ? own(root, '$id') : undefined;
  return id === base || (typeof id === 'string' && id.startsWith(`${base}#`));
}

/** The decoded fragment after `#`; throws if the reference leaves the document. */
function localFragment(root: Json, reference: string, pointer: string): string {
  const [base = ''] = reference.split('#', 1);
  const local = base !== '' && isIdOf(root, base) ? reference.slice(base.length) : reference;
  if (local !== '' && !local.startsWith('#')) {
    const hint = "Copy the schema under $defs and point to it with '#/$defs/…'.";
    const shown = JSON.stringify(reference.slice(0, 100));
    throw refusal(pointer, `points outside the document (${shown}), and nothing is fetched.`, hint);
  }
  try {
    return decodeURIComponent(local.slice(1));
  } catch (cause) {
    throw refusal(pointer, 'is not a valid URI fragment.', "Write '%25' for '%'.", cause);
  }
}

function atPointer(root: Json, fragment: string): Json | undefined {
  let at: Json | undefined = root;
  for (const token of fragment.slice(1).split('/')) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) at = /^(?:0|[1-9]\d*)$/.test(key) ? (at as readonly Json[])[Number(key)] : undefined;
    else at = isJsonObject(at) ? own(at, key) : undefined;
  }
  return at;
}

/** The schemas that `node` applies to the same value, through references too. */
export function appliedHere(node: JsonObject, { dialect, references }: Analysis): JsonObject[] {
  const subs = subschemasOf(node, '', dialect).filter((sub: Subschema) => sub.scope === 'here');
  const targets = Object.values(references.get(node) ?? {}).filter(isJsonObject);
  return [...subs.map((sub) => sub.schema), ...targets];
}

/** A schema that leads back to itself without going into the value would be checked for ever. */
function refuseLoops(analysis: Analysis): void {
  const done = new Set<JsonObject>();
  for (const start of analysis.pointers.keys()) {
    const path = new Set<JsonObject>();
    const stack: { node: JsonObject; next: JsonObject[] }[] = [];
    const enter = (node: JsonObject): void => {
      if (path.has(node)) {
        const hint = 'Let the recursion pass through properties or items.';
        throw refusal(analysis.pointers.get(node) ?? '', 'refers to itself without looking into the value.', hint);
      }
      if (done.has(node)) return;
      path.add(node);
      stack.push({ node, next: appliedHere(node, analysis) });
    };
    enter(start);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const next = top.next.pop();
      if (next !== undefined) {
        enter(next);
        continue;
      }
      path.delete(top.node);
      done.add(top.node);
      stack.pop();
    }
  }
}
