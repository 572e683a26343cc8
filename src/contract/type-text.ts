/** A JSON Schema as the text of a TypeScript type. */
import { escapeControls } from '../lib/text/control-characters.ts';
import { isRecord } from '../lib/values/is.ts';
import { canonicalSchema } from './schema/canonical.ts';
import { type Fields, inside, type Located, resolved, TooMuchWork, type Work } from './schema/document.ts';
import type { TypeNames } from './type-names.ts';

export interface Declarations {
  readonly names: TypeNames;
  /** The types that were declared, in their order: name and text. */
  readonly declared: Map<string, string>;
  /** Names of definitions by their meaning: two tools that share one share its type. */
  readonly known: Map<string, string>;
  readonly work: Work;
}

/** Declares the type of a schema under a name, and what it refers to. */
export function declareType(name: string, schema: Located, into: Declarations): void {
  // The place is taken first, so that a type stands before those that it refers to.
  into.declared.set(name, '');
  into.declared.set(name, boundedText(schema, into));
}

function boundedText(schema: Located, into: Declarations): string {
  try {
    return typeText(schema, into, 0);
  } catch (error) {
    if (error instanceof TooMuchWork) return 'unknown';
    throw error;
  }
}

function typeText(schema: Located, into: Declarations, depth: number): string {
  const { node } = schema;
  into.work.step(depth);
  if (node === false) return 'never';
  if (!isRecord(node)) return 'unknown';
  const below = (inner: unknown): string => typeText(inside(schema, inner), into, depth + 1);
  const all = [
    ...(typeof node.$ref === 'string' ? [referenceText(schema, node.$ref, into)] : []),
    ...(Array.isArray(node.allOf) ? node.allOf.map(below) : []),
    ...[node.anyOf, node.oneOf].filter(Array.isArray).map((branches) => union(branches.map(below))),
    ...ownText(node, below),
  ].filter((text) => text !== 'unknown');
  return intersection(all);
}

const union = (texts: readonly string[]): string => {
  const distinct = [...new Set(texts)];
  if (distinct.length === 0) return 'never';
  return distinct.includes('unknown') ? 'unknown' : distinct.join(' | ');
};

function intersection(texts: readonly string[]): string {
  const distinct = [...new Set(texts)];
  if (distinct.length <= 1) return distinct[0] ?? 'unknown';
  return distinct.map((text) => (text.includes(' | ') ? `(${text})` : text)).join(' & ');
}

/** A definition has a name of its own, which may refer to itself. */
function referenceText({ root }: Located, reference: string, into: Declarations): string {
  const target = resolved(root, reference, into.work);
  if (target === undefined) return 'unknown';
  const schema = { node: target, root };
  const meaning = canonicalSchema(schema, into.work);
  const known = into.known.get(meaning);
  if (known !== undefined) return known;
  const name = into.names.unique(reference.split('/').at(-1) ?? '', 'Definition');
  into.known.set(meaning, name);
  declareType(name, schema, into);
  return name;
}

/** The types that the keywords of the schema itself describe. */
function ownText(node: Fields, below: (inner: unknown) => string): string[] {
  if (Object.hasOwn(node, 'const')) return [literal(node.const)];
  if (Array.isArray(node.enum)) return [union(node.enum.map(literal))];
  const types = node.type === undefined ? [] : [node.type].flat();
  // Without a type, keywords of objects show that one is meant.
  if (types.length === 0 && (isRecord(node.properties) || Array.isArray(node.required))) types.push('object');
  if (types.length === 0 && node.items !== undefined) types.push('array');
  return types.length === 0 ? [] : [union(types.map((type) => typedText(String(type), node, below)))];
}

function typedText(type: string, node: Fields, below: (inner: unknown) => string): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return arrayText(node, below);
    case 'object':
      return objectText(node, below);
    default:
      return 'unknown';
  }
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (isRecord(value))
    return `{ ${Object.entries(value)
      .map(([name, one]) => `${propertyName(name)}: ${literal(one)}`)
      .join('; ')} }`;
  return inCode(JSON.stringify(value));
}

function arrayText(node: Fields, below: (inner: unknown) => string): string {
  const first = Array.isArray(node.prefixItems) ? node.prefixItems : Array.isArray(node.items) ? node.items : [];
  const rest = Array.isArray(node.items) ? node.additionalItems : node.items;
  if (first.length === 0) return `Array<${rest === undefined ? 'unknown' : below(rest)}>`;
  const least = typeof node.minItems === 'number' ? node.minItems : 0;
  const places = first.map((one, index) => (index < least ? below(one) : `(${below(one)})?`));
  return `[${[...places, ...(rest === false ? [] : [`...Array<${rest === undefined ? 'unknown' : below(rest)}>`])].join(', ')}]`;
}

function objectText(node: Fields, below: (inner: unknown) => string): string {
  const properties = isRecord(node.properties) ? node.properties : {};
  const required = new Set(Array.isArray(node.required) ? node.required.map(String) : []);
  const names = [...new Set([...Object.keys(properties), ...required])];
  const { additionalProperties: others } = node;
  if (names.length === 0 && others === false) return 'Record<string, never>';
  if (names.length === 0)
    return others === undefined ? 'Record<string, unknown>' : `{ [name: string]: ${below(others)} }`;
  const fields = names.map((name) => {
    const type = Object.hasOwn(properties, name) ? below(properties[name]) : 'unknown';
    return `${documentation(properties[name])}${propertyName(name)}${required.has(name) ? '' : '?'}: ${type};`;
  });
  // Other fields may have other types than those with a name.
  const rest = others === undefined || others === false ? [] : ['[name: string]: unknown;'];
  return `{\n${indented([...fields, ...rest].join('\n'))}\n}`;
}

export const propertyName = (name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) && name !== '__proto__' ? name : inCode(JSON.stringify(name));

export const indented = (text: string): string => text.replace(/^(?=.)/gm, '  ');

/** A string of JSON in which nothing can end a line or change how it is read. */
export const inCode = (json: string): string => escapeControls(json);

/** The description as JSDoc, with nothing that ends the comment. */
export function documentation(schema: unknown): string {
  const text = isRecord(schema) ? (schema.description ?? schema.title) : undefined;
  if (typeof text !== 'string' || text.trim() === '') return '';
  return `/** ${escapeControls(text.replace(/\s+/g, ' ').trim().slice(0, 500)).replaceAll('*/', '*\\/')} */\n`;
}
