/** Schemas of a document as JSON Schema 2020-12. References become `$defs`, so that recursion stays as it is. */
import { type Fields, isRecord } from '../../lib/values/is.ts';
import { atPointer, listOf, type ReadDocument, resolved, textOf, Unusable } from '../document/document.ts';

/** Keywords that are taken over, by what their values are. All others say nothing about values: examples, XML, extensions. */
const plain = new Set(
  'title description format pattern enum const required deprecated minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems uniqueItems minProperties maxProperties minContains maxContains dependentRequired contentEncoding contentMediaType type default'.split(
    ' ',
  ),
);
const single = new Set(
  'not if then else items additionalProperties propertyNames contains unevaluatedItems unevaluatedProperties'.split(
    ' ',
  ),
);
const lists = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const maps = new Set(['properties', 'patternProperties', 'dependentSchemas']);

/**
 * Levels of a schema. `fromJsonSchema()` has a bound of its own, which would come too late.
 * @limit OpenAPI
 * @beyond the operation is left out
 */
const maxLevels = 60;

/**
 * Schemas of one operation, each level counted.
 * @limit OpenAPI
 * @beyond the operation is left out
 */
const maxSchemas = 10_000;

export interface ConvertOptions {
  /** Whether `default` is taken over: a validator would add the values to what the caller sent. */
  readonly withDefaults: boolean;
  /** Whether patterns are: some cannot be run safely. */
  readonly withPatterns: boolean;
}

/** Converts the input schemas of one operation. */
export class SchemaConverter {
  readonly #document: ReadDocument;
  readonly #options: ConvertOptions;
  /** Names in `$defs` by pointer. */
  readonly #names = new Map<string, string>();
  readonly #definitions = new Map<string, unknown>();
  /** The names and pointers of those that are not converted yet. */
  readonly #waiting: (readonly [name: string, pointer: string])[] = [];
  #converted = 0;

  constructor(document: ReadDocument, options: ConvertOptions) {
    this.#document = document;
    this.#options = options;
  }

  /** One after the other: each may refer to the next, in a chain of any length. */
  get definitions(): Fields | undefined {
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
      const [name, pointer] = next;
      this.#definitions.set(name, this.convert(atPointer(this.#document.root, pointer)));
    }
    return this.#definitions.size === 0 ? undefined : Object.fromEntries(this.#definitions);
  }

  convert(schema: unknown, level = 0): Fields | boolean {
    if (typeof schema === 'boolean') return schema;
    if (!isRecord(schema)) throw new Unusable('a schema is not an object');
    this.#converted += 1;
    if (level > maxLevels || this.#converted > maxSchemas) throw new Unusable('its schemas are too large');
    const { $ref } = schema;
    if (typeof $ref !== 'string') return this.#own(schema, level);
    const reference = { $ref: `#/$defs/${this.#define($ref)}` };
    // OpenAPI 3.0 ignores what stands beside a reference.
    return this.#document.is30 ? reference : { ...this.#own(schema, level), ...reference };
  }

  /** The name of a definition. It exists before it is converted: it may refer to itself. */
  #define(pointer: string): string {
    const known = this.#names.get(pointer);
    if (known !== undefined) return known;
    const last = (pointer.split('/').at(-1) ?? '').replace(/[^A-Za-z0-9_.-]+/g, '_');
    let name = last === '' ? 'schema' : last;
    for (let n = 2; this.#definitions.has(name); n++) name = `${last}_${n}`;
    this.#names.set(pointer, name);
    this.#definitions.set(name, true);
    this.#waiting.push([name, pointer]);
    return name;
  }

  #own(schema: Fields, level: number): Fields {
    const below = (one: unknown): Fields | boolean => this.convert(one, level + 1);
    const made: [string, unknown][] = [];
    for (const [keyword, value] of Object.entries(schema)) {
      if (value === undefined || this.#isLeftOut(keyword)) continue;
      if (single.has(keyword)) made.push([keyword, below(value)]);
      else if (lists.has(keyword)) made.push([keyword, listOf(value).map(below)]);
      else if (maps.has(keyword)) made.push([keyword, this.#map(value, keyword, below)]);
      else if (plain.has(keyword)) made.push([keyword, value]);
    }
    const own = Object.fromEntries(made);
    if (Array.isArray(own.required)) own.required = this.#writable(own.required, schema.properties);
    return modern(own, schema);
  }

  #isLeftOut(keyword: string): boolean {
    const { withDefaults, withPatterns } = this.#options;
    return (keyword === 'default' && !withDefaults) || (keyword === 'pattern' && !withPatterns);
  }

  #map(value: unknown, keyword: string, below: (one: unknown) => unknown): Fields {
    if (!isRecord(value)) throw new Unusable(`${keyword} is not an object`);
    const names = Object.keys(value);
    if (names.includes('__proto__')) throw new Unusable('a property is named __proto__');
    const kept = keyword === 'properties' ? names.filter((name) => !this.#isReadOnly(value[name])) : names;
    return Object.fromEntries(kept.map((name) => [name, below(value[name])]));
  }

  #writable(required: readonly unknown[], properties: unknown): unknown[] {
    const known = isRecord(properties) ? properties : {};
    return required.filter((name) => !(Object.hasOwn(known, String(name)) && this.#isReadOnly(known[String(name)])));
  }

  #isReadOnly(schema: unknown): boolean {
    return (
      isRecord(schema) &&
      (schema.readOnly === true || (schema.$ref !== undefined && resolved(this.#document, schema).readOnly === true))
    );
  }
}

/** A schema of OpenAPI 3.0 in the words of 2020-12. Many documents of 3.1 still have schemas of 3.0. */
function modern(own: Fields, source: Fields): Fields {
  const made = { ...own };
  for (const [bound, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (typeof made[exclusive] !== 'boolean') continue;
    const isExclusive = made[exclusive] === true && made[bound] !== undefined;
    delete made[exclusive];
    if (!isExclusive) continue;
    made[exclusive] = made[bound];
    delete made[bound];
  }
  if (source.nullable !== true) return made;
  if (Array.isArray(made.enum) && !made.enum.includes(null)) made.enum = [...made.enum, null];
  if (textOf(made.type) !== '') return { ...made, type: [made.type, 'null'] };
  return made.enum === undefined ? { anyOf: [made, { type: 'null' }] } : made;
}
