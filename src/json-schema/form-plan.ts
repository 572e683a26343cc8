/** Plans a form for a JSON Schema. Pure, and free of packages: the terminal and the page of the inspector draw the same plan. */
import { isJsonObject, type Json, type JsonObject } from './analysis/snapshot.ts';
import { alternativesOf, choicesOf, shownValue, textIn } from './form/alternatives.ts';
import type { FieldFacts, FormField, JsonField, UnionOption } from './form/field.ts';
import { flatSchema, listOf, NoForm, type SchemaDocument } from './form/flat-schema.ts';

export type {
  BooleanField,
  Choice,
  ChoiceField,
  ChoicesField,
  FieldFacts,
  FieldKind,
  FixedField,
  FormField,
  JsonField,
  ListField,
  NumberField,
  ObjectField,
  TextField,
  UnionField,
  UnionOption,
} from './form/field.ts';
export { exampleOf } from './form/formats.ts';
export { checkValue, type FormProblem, initialValue, optionOf, readText, shownText } from './form/values.ts';

/**
 * Schemas that the form of a tool looks at.
 * @limit command line
 * @beyond what is beyond is written as JSON
 */
const maxSchemas = 10_000;

/**
 * Nesting of the fields of a form.
 * @limit command line
 * @beyond what is below is written as JSON
 */
const maxDepth = 24;

/**
 * The form of a value: usually an object whose fields are the arguments of a tool. Never throws: what cannot be drawn is a
 * field that is written as JSON.
 */
export function planForm(schema: unknown): FormField {
  const root = isJsonObject(schema) || typeof schema === 'boolean' ? (schema as Json) : {};
  const document = { root, left: maxSchemas };
  return fieldOf(root, { name: '', isRequired: true, depth: 0, document });
}

/** Where a field stands. */
interface Place {
  readonly name: string;
  readonly isRequired: boolean;
  readonly depth: number;
  readonly document: SchemaDocument;
}

function fieldOf(schema: Json, place: Place): FormField {
  try {
    if (place.depth > maxDepth) throw new NoForm('the schema is nested too deep for a form');
    return planned(flatSchema(schema, place.document), place);
  } catch (error) {
    if (!(error instanceof NoForm)) throw error;
    return jsonField(factsOf(isJsonObject(schema) ? schema : {}, place, true), error.reason);
  }
}

const jsonField = (facts: FieldFacts, reason: string): JsonField => ({ ...facts, kind: 'json', reason });

function planned(schema: JsonObject, place: Place): FormField {
  const { shapes, isNullable } = alternativesOf(schema, place.document);
  const facts = factsOf(schema, place, isNullable);
  const [shape, second] = shapes;
  if (shape === undefined) {
    if (!isNullable) throw new NoForm('no value is allowed');
    return { ...facts, kind: 'fixed', value: null };
  }
  const choices = choicesOf(shapes);
  if (choices !== undefined) {
    const [only, other] = choices;
    if (only !== undefined && other === undefined && !isNullable) return { ...facts, kind: 'fixed', value: only.value };
    return { ...facts, kind: 'choice', choices };
  }
  if (second !== undefined) return { ...facts, kind: 'union', options: optionsOf(shapes, place) };
  if (shape.anyOf !== undefined || shape.oneOf !== undefined) {
    // The only option beside `null` has options of its own: they are the options of this field.
    const inner = fieldOf({ ...shape, ...described(schema) }, { ...place, depth: place.depth + 1 });
    return { ...inner, isNullable: isNullable || inner.isNullable };
  }
  return byType(shape, factsOf({ ...shape, ...schema }, place, isNullable), place);
}

function factsOf(schema: JsonObject, { name, isRequired }: Place, isNullable: boolean): FieldFacts {
  const { title, description, default: suggested, deprecated } = schema;
  return {
    name,
    label: textIn(title) ?? name,
    ...(typeof description === 'string' && { description }),
    isRequired,
    isNullable,
    ...(suggested !== undefined && { suggested }),
    ...(deprecated === true && { isDeprecated: true }),
  };
}

const described = (schema: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(schema).filter(([name]) => ['title', 'description', 'default', 'deprecated'].includes(name)),
  );

function byType(schema: JsonObject, facts: FieldFacts, place: Place): FormField {
  switch (schema.type ?? impliedType(schema)) {
    case 'string':
      return {
        ...facts,
        ...texts(schema, ['format', 'pattern']),
        ...numbers(schema, ['minLength', 'maxLength']),
        kind: 'text',
        isSecret: schema.format === 'password' || schema.writeOnly === true,
      };
    case 'number':
    case 'integer':
      return {
        ...facts,
        ...numbers(schema, ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']),
        kind: 'number',
        isInteger: schema.type === 'integer',
      };
    case 'boolean':
      return { ...facts, kind: 'boolean' };
    case 'object':
      return objectField(schema, facts, place);
    case 'array':
      return listField(schema, facts, place);
    default:
      throw new NoForm('any value is allowed');
  }
}

/** The type that keywords are for, where none is named. */
function impliedType(schema: JsonObject): string | undefined {
  const has = (...keywords: readonly string[]): boolean => keywords.some((keyword) => schema[keyword] !== undefined);
  if (has('properties', 'required', 'additionalProperties')) return 'object';
  if (has('items', 'prefixItems', 'minItems', 'maxItems')) return 'array';
  if (has('minLength', 'maxLength', 'pattern', 'format')) return 'string';
  return has('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf') ? 'number' : undefined;
}

function objectField(schema: JsonObject, facts: FieldFacts, place: Place): FormField {
  const { additionalProperties: additional } = schema;
  const properties = isJsonObject(schema.properties) ? Object.entries(schema.properties) : [];
  if (properties.length === 0 && additional === undefined && place.depth > 0) throw new NoForm('any object is allowed');
  const required = new Set(listOf(schema.required));
  const more = moreSchema(schema);
  return {
    ...facts,
    kind: 'object',
    fields: once(() => properties.map(([name, inner]) => fieldOf(inner, inside(place, name, required.has(name))))),
    ...(more !== undefined && { more: once(() => fieldOf(more, inside(place, '', true))) }),
  };
}

/** Keywords by which an object gets fields that are not listed. */
const furtherFields = ['if', 'patternProperties', 'dependentSchemas', 'dependencies', 'unevaluatedProperties'];

function moreSchema(schema: JsonObject): Json | undefined {
  const { additionalProperties: additional, patternProperties: patterns } = schema;
  if (additional !== undefined && additional !== false && patterns === undefined) return additional;
  const isFurther = furtherFields.some((keyword) => schema[keyword] !== undefined && schema[keyword] !== false);
  return isFurther ? true : undefined;
}

function listField(schema: JsonObject, facts: FieldFacts, place: Place): FormField {
  if (schema.prefixItems !== undefined || Array.isArray(schema.items))
    throw new NoForm('each place of the list has a schema of its own');
  const item = fieldOf(schema.items ?? true, inside(place, '', true));
  const sizes = numbers(schema, ['minItems', 'maxItems']);
  // A list of a few known values is one question: which of them.
  if (item.kind === 'choice' && !item.isNullable) return { ...facts, ...sizes, kind: 'choices', choices: item.choices };
  return { ...facts, ...sizes, kind: 'list', item, isUnique: schema.uniqueItems === true };
}

function optionsOf(shapes: readonly JsonObject[], place: Place): readonly UnionOption[] {
  return shapes.map((shape) => ({
    label: textIn(shape.title) ?? tagOf(shape) ?? typeName(shape),
    ...(typeof shape.description === 'string' && { description: shape.description }),
    field: once(() => fieldOf(shape, { ...inside(place, '', true) })),
  }));
}

/** The value of a property that tags the options of a union, such as `{ type: { const: 'circle' } }`. */
function tagOf({ properties }: JsonObject): string | undefined {
  if (!isJsonObject(properties)) return undefined;
  const tags = Object.values(properties).filter(isJsonObject);
  const tag = tags.find(({ const: value }) => typeof value === 'string') ?? tags.find(hasOneValue);
  return tag === undefined ? undefined : shownValue(tag.const ?? listOf(tag.enum)[0]);
}

const hasOneValue = ({ enum: values }: JsonObject): boolean => Array.isArray(values) && values.length === 1;

const typeNames: Readonly<Record<string, string>> = { string: 'text', array: 'list', integer: 'whole number' };

function typeName(shape: JsonObject): string {
  const type = String(shape.type ?? impliedType(shape) ?? 'JSON');
  const names = isJsonObject(shape.properties) ? Object.keys(shape.properties).slice(0, 3) : [];
  return names.length === 0 ? (typeNames[type] ?? type) : `${type} with ${names.join(', ')}`;
}

const inside = ({ depth, document }: Place, name: string, isRequired: boolean): Place => ({
  name,
  isRequired,
  depth: depth + 1,
  document,
});

function numbers<const Name extends string>(schema: JsonObject, names: readonly Name[]): { [N in Name]?: number } {
  const found = names.filter((name) => typeof schema[name] === 'number');
  return Object.fromEntries(found.map((name) => [name, schema[name]])) as { [N in Name]?: number };
}

function texts<const Name extends string>(schema: JsonObject, names: readonly Name[]): { [N in Name]?: string } {
  const found = names.filter((name) => typeof schema[name] === 'string');
  return Object.fromEntries(found.map((name) => [name, schema[name]])) as { [N in Name]?: string };
}

/** Plans at the first call: a schema may be inside itself. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
