/** Finds what is wrong with a schema: a provider would reject the whole request because of it. */
import { isRecord } from '../../lib/values/is.ts';
import { type Node, subschemas, typesOf } from './nodes.ts';

/**
 * Characters of the schema of one tool.
 * @limit agents
 * @beyond the tool is left out, and named in `errors`
 */
export const maxSchemaChars = 200_000;

/**
 * Levels of nesting of the schema of one tool.
 * @limit agents
 * @beyond the tool is left out, and named in `errors`
 */
export const maxSchemaDepth = 40;

const types: ReadonlySet<unknown> = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === 'string') && new Set(value).size === value.length;
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);
const isFilled = (value: unknown): boolean => Array.isArray(value) && value.length > 0;
const isSchema = (value: unknown): boolean => isRecord(value) || typeof value === 'boolean';
const isText = (value: unknown): boolean => typeof value === 'string';

/** What the value of a keyword has to be, for those that providers check. */
const keywords: Readonly<Record<string, readonly [holds: (value: unknown) => boolean, must: string]>> = {
  $ref: [isText, 'a text'],
  additionalProperties: [isSchema, 'a schema'],
  allOf: [isFilled, 'a list of schemas'],
  anyOf: [isFilled, 'a list of schemas'],
  description: [isText, 'a text'],
  enum: [isFilled, 'a list of values'],
  format: [isText, 'a text'],
  maxItems: [isCount, 'a count'],
  maxLength: [isCount, 'a count'],
  maxProperties: [isCount, 'a count'],
  maximum: [isNumber, 'a number'],
  minItems: [isCount, 'a count'],
  minLength: [isCount, 'a count'],
  minProperties: [isCount, 'a count'],
  minimum: [isNumber, 'a number'],
  multipleOf: [(value) => isNumber(value) && (value as number) > 0, 'a number over 0'],
  oneOf: [isFilled, 'a list of schemas'],
  pattern: [isText, 'a text'],
  patternProperties: [isRecord, 'an object of schemas'],
  prefixItems: [Array.isArray, 'a list of schemas'],
  properties: [isRecord, 'an object of schemas'],
  // A boolean is the form of draft-03, which lowering removes.
  required: [(value) => isTexts(value) || typeof value === 'boolean', 'a list of names, each once'],
};

/** What is wrong and where, or `undefined`. */
export function problemOf(schema: unknown): string | undefined {
  if (!isRecord(schema)) return 'The schema must be an object.';
  const tooDeep = depthProblem(schema);
  if (tooDeep !== undefined) return tooDeep;
  if (JSON.stringify(schema).length > maxSchemaChars) return `The schema is over ${maxSchemaChars} characters long.`;
  const wrong = wrongIn(schema, '');
  if (wrong !== undefined) return wrong;
  const root = typesOf(schema);
  if (root !== undefined && !root.includes('object')) return 'The schema must have the type "object" at its root.';
  return undefined;
}

/** Before anything recurses: a schema may also refer to itself. */
function depthProblem(schema: object): string | undefined {
  let level: unknown[] = [schema];
  for (let depth = 0; level.length > 0; depth++) {
    // A schema in two levels: `properties`, then its name.
    if (depth > maxSchemaDepth * 2) return `The schema is nested deeper than ${maxSchemaDepth} levels.`;
    if (level.length > maxSchemaChars) return `The schema is over ${maxSchemaChars} characters long.`;
    level = level.flatMap((value) =>
      Object.values(value as object).filter((one) => typeof one === 'object' && one !== null),
    );
  }
  return undefined;
}

function wrongIn(node: Node, path: string): string | undefined {
  const listed = typesOf(node);
  if (listed !== undefined && (listed.length === 0 || !listed.every((type) => types.has(type))))
    return `${placeOf(path)} has the type ${JSON.stringify(node.type)?.slice(0, 80)}, which does not exist.`;
  for (const [keyword, [holds, must]] of Object.entries(keywords)) {
    const value = node[keyword];
    if (value !== undefined && !holds(value)) return `${placeOf(path)} has ${keyword}, which must be ${must}.`;
  }
  for (const [schema, place] of subschemas(node, path)) {
    if (!isSchema(schema)) return `${placeOf(place)} must be a schema.`;
    const wrong = isRecord(schema) ? wrongIn(schema, place) : undefined;
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

const placeOf = (path: string): string => (path === '' ? 'The schema' : `The schema at ${path.slice(0, 120)}`);
