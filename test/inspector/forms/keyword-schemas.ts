/** Schemas written by hand: at least one for every keyword of JSON Schema, with values that fit and values that do not. */
import type { FieldKind } from '../../../src/json-schema/form-plan.ts';

export interface KeywordCase {
  readonly keyword: string;
  /** The schema of the argument `value`. */
  readonly schema: object | boolean;
  readonly kind: FieldKind;
  readonly fits: readonly unknown[];
  readonly differs?: readonly unknown[];
  /** Whether only the server notices that a value does not fit. */
  readonly byServer?: true;
}

const row = (
  keyword: string,
  schema: object | boolean,
  kind: FieldKind,
  fits: readonly unknown[],
  differs: readonly unknown[] = [],
): KeywordCase => ({ keyword, schema, kind, fits, differs });

/** The form does not run this keyword: the server does. */
const left = (...given: Parameters<typeof row>): KeywordCase => ({ ...row(...given), byServer: true });

const format = (name: string, fits: string, differs: string): KeywordCase =>
  row(`format ${name}`, { type: 'string', format: name }, 'text', [fits], [differs]);

/** `$defs` of every schema. */
export const definitions = {
  city: { $dynamicAnchor: 'city', type: 'string', minLength: 1 },
  tree: {
    type: 'object',
    properties: { name: { type: 'string' }, parts: { type: 'array', items: { $ref: '#/$defs/tree' } } },
    required: ['name'],
  },
} as const;

const texts: readonly KeywordCase[] = [
  row('type string', { type: 'string' }, 'text', ['', 'a', '\u0000 "\\', 'null'], [1, null]),
  row('minLength', { type: 'string', minLength: 2 }, 'text', ['ab', '😀😀'], ['a', '😀']),
  row('maxLength', { type: 'string', maxLength: 2 }, 'text', ['', '😀😀'], ['abc']),
  row('minLength alone', { minLength: 2 }, 'text', ['ab'], ['a']),
  left('pattern', { type: 'string', pattern: '^[a-z]+$' }, 'text', ['abc'], ['ABC']),
  left('pattern that never ends', { type: 'string', pattern: '^(a+)+$' }, 'text', ['aa'], ['b']),
  left('contentEncoding', { type: 'string', contentEncoding: 'base64' }, 'text', ['aGk=']),
  left('contentMediaType', { type: 'string', contentMediaType: 'text/html' }, 'text', ['<p>']),
  left('contentSchema', { type: 'string', contentMediaType: 'application/json', contentSchema: {} }, 'text', ['{}']),
  format('date', '2024-02-29', '2023-02-29'),
  format('date-time', '2024-02-29T10:00:00+02:00', '2024-02-29'),
  format('time', '10:00:00Z', '10'),
  format('email', 'ada@example.com', 'ada'),
  format('uri', 'https://example.com/a?b#c', 'a b'),
  format('uuid', '123e4567-e89b-42d3-a456-426614174000', '123'),
  format('ipv4', '127.0.0.1', '127.0.0.256'),
  row('format unknown', { type: 'string', format: 'of-my-own' }, 'text', ['anything']),
  row('writeOnly', { type: 'string', writeOnly: true }, 'text', ['secret'], [1]),
];

const numbers: readonly KeywordCase[] = [
  row('type number', { type: 'number' }, 'number', [0, -1.5, 1e21, 5e-324], ['1', true]),
  row('type integer', { type: 'integer' }, 'number', [0, -3, 2 ** 53], [1.5, '1']),
  row('minimum', { type: 'number', minimum: 1 }, 'number', [1], [0.9]),
  row('maximum', { type: 'number', maximum: 1 }, 'number', [1], [1.1]),
  row('exclusiveMinimum', { type: 'number', exclusiveMinimum: 1 }, 'number', [1.1], [1]),
  row('exclusiveMaximum', { type: 'number', exclusiveMaximum: 1 }, 'number', [0.9], [1]),
  row('exclusiveMinimum alone', { exclusiveMinimum: 1 }, 'number', [2], [1]),
  row('exclusiveMaximum alone', { exclusiveMaximum: 1 }, 'number', [0], [1]),
  row('multipleOf', { type: 'number', multipleOf: 0.5 }, 'number', [0, 1.5], [0.7]),
  row('minimum alone', { minimum: 1 }, 'number', [2], [0]),
];

const values: readonly KeywordCase[] = [
  row('type boolean', { type: 'boolean' }, 'boolean', [true, false], ['true', 0]),
  row('type null', { type: 'null' }, 'fixed', [null], [0]),
  row('enum', { enum: ['a', 'b', 3, true] }, 'choice', ['a', 3, true], ['c', '3']),
  row('enum of objects', { enum: [{ a: 1 }, [2], 'x'] }, 'choice', [{ a: 1 }, [2]], [{ a: 2 }]),
  row('enum with null', { enum: ['a', 'b', null] }, 'choice', ['a', null], ['c']),
  row('enum of one', { enum: ['a'] }, 'fixed', ['a'], ['b']),
  row('const', { const: 'a' }, 'fixed', ['a'], ['b']),
  row('const object', { const: { a: [1] } }, 'fixed', [{ a: [1] }], [{ a: [2] }]),
  row('enumNames', { type: 'string', enum: ['a', 'b'], enumNames: ['First', 'Second'] }, 'choice', ['b'], ['Second']),
  row(
    'oneOf const',
    {
      oneOf: [
        { const: 'a', title: 'First' },
        { const: 'b', title: 'Second' },
      ],
    },
    'choice',
    ['b'],
    ['c'],
  ),
  row('type list with null', { type: ['string', 'null'] }, 'text', ['a', null], [1]),
  row('type list', { type: ['string', 'integer'] }, 'union', ['a', 1], [true]),
  row('title and description', { type: 'string', title: 'City', description: 'Where' }, 'text', ['Oslo']),
  row('default', { type: 'integer', default: 3 }, 'number', [3], ['3']),
  row('default null', { type: ['integer', 'null'], default: null }, 'number', [null, 1], ['a']),
  row('examples', { type: 'string', examples: ['Oslo'] }, 'text', ['Oslo']),
  row('deprecated', { type: 'string', deprecated: true }, 'text', ['a']),
  row('readOnly', { type: 'string', readOnly: true }, 'text', ['a']),
  row('$comment', { type: 'string', $comment: 'for readers' }, 'text', ['a']),
];

const lists: readonly KeywordCase[] = [
  row('type array', { type: 'array' }, 'list', [[], [1, 'a', null]], [{}]),
  row('items', { type: 'array', items: { type: 'integer' } }, 'list', [[], [1]], [['a'], [null]]),
  row('items false', { type: 'array', items: false }, 'list', [[]]),
  row('minItems', { type: 'array', items: { type: 'string' }, minItems: 1 }, 'list', [['a']], [[]]),
  row('maxItems', { type: 'array', items: { type: 'string' }, maxItems: 1 }, 'list', [['a']], [['a', 'b']]),
  row('uniqueItems', { type: 'array', items: { type: 'integer' }, uniqueItems: true }, 'list', [[1, 2]], [[1, 1]]),
  row('items enum', { type: 'array', items: { enum: ['a', 'b'] } }, 'choices', [[], ['a', 'b']], [['c']]),
  left(
    'uniqueItems enum',
    { type: 'array', items: { enum: ['a', 'b'] }, uniqueItems: true },
    'choices',
    [['a', 'b']],
    [['a', 'a']],
  ),
  left('prefixItems', { type: 'array', prefixItems: [{ type: 'string' }] }, 'json', [['a'], []], [[1]]),
  left('contains', { type: 'array', items: {}, contains: { const: 1 } }, 'list', [[1]], [[2]]),
  left('minContains', { type: 'array', contains: { const: 1 }, minContains: 2 }, 'list', [[1, 1]], [[1]]),
  left('maxContains', { type: 'array', contains: { const: 1 }, maxContains: 1 }, 'list', [[1]], [[1, 1]]),
  left('unevaluatedItems', { type: 'array', unevaluatedItems: false }, 'list', [[]], [[1]]),
];

const pair = { a: { type: 'string' }, b: { type: 'integer' } } as const;

const objects: readonly KeywordCase[] = [
  row('properties', { type: 'object', properties: pair }, 'object', [{}, { a: 'x', b: 1 }], [{ a: 1 }, []]),
  row('required', { type: 'object', properties: pair, required: ['a'] }, 'object', [{ a: 'x' }], [{ b: 1 }]),
  left('required unlisted', { type: 'object', properties: pair, required: ['c'] }, 'object', [{ c: 1 }], [{}]),
  left(
    'additionalProperties false',
    { type: 'object', properties: pair, additionalProperties: false },
    'object',
    [{ a: 'x' }],
    [{ c: 1 }],
  ),
  row(
    'additionalProperties',
    { type: 'object', additionalProperties: { type: 'integer' } },
    'object',
    [{ x: 1 }],
    [{ x: 'a' }],
  ),
  left(
    'patternProperties',
    { type: 'object', patternProperties: { '^n': { type: 'integer' } } },
    'json',
    [{ n: 1 }],
    [{ n: 'a' }],
  ),
  left(
    'propertyNames',
    { type: 'object', properties: pair, propertyNames: { maxLength: 1 } },
    'object',
    [{ a: 'x' }],
    [{ ab: 1 }],
  ),
  left('minProperties', { type: 'object', properties: pair, minProperties: 1 }, 'object', [{ b: 1 }], [{}]),
  left(
    'maxProperties',
    { type: 'object', properties: pair, maxProperties: 1 },
    'object',
    [{ b: 1 }],
    [{ a: 'x', b: 1 }],
  ),
  left(
    'dependentRequired',
    { type: 'object', properties: pair, dependentRequired: { a: ['b'] } },
    'object',
    [{}],
    [{ a: 'x' }],
  ),
  left(
    'dependentSchemas',
    { type: 'object', properties: pair, dependentSchemas: { a: { required: ['b'] } } },
    'object',
    [{ a: 'x', b: 1 }],
    [{ a: 'x' }],
  ),
  left(
    'unevaluatedProperties',
    { type: 'object', properties: pair, unevaluatedProperties: false },
    'object',
    [{ a: 'x' }],
    [{ c: 1 }],
  ),
  row('type object alone', { type: 'object' }, 'json', [{}, { x: 1 }]),
  row(
    'names of the language',
    { type: 'object', properties: { constructor: { type: 'string' }, toString: { type: 'integer' } } },
    'object',
    [{}, { constructor: 'a', toString: 1 }],
    [{ constructor: 1 }],
  ),
];

const rules: readonly KeywordCase[] = [
  row('true', true, 'json', [1, 'a', null, {}]),
  row('empty', {}, 'json', [1, 'a', null, {}]),
  row('anyOf', { anyOf: [{ type: 'string' }, { type: 'integer' }] }, 'union', ['a', 1], [true]),
  row('anyOf with null', { anyOf: [{ type: 'string' }, { type: 'null' }] }, 'text', ['a', null], [1]),
  row(
    'anyOf in anyOf with null',
    { anyOf: [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }, { type: 'null' }] },
    'union',
    ['a', 1, null],
    [true],
  ),
  row(
    'oneOf',
    {
      oneOf: [
        { type: 'object', properties: { kind: { const: 'circle' }, r: { type: 'number' } }, required: ['kind', 'r'] },
        { type: 'object', properties: { kind: { const: 'box' }, w: { type: 'number' } }, required: ['kind', 'w'] },
      ],
    },
    'union',
    [
      { kind: 'circle', r: 1 },
      { kind: 'box', w: 2 },
    ],
    [{ kind: 'circle', w: 2 }, { kind: 'x' }],
  ),
  left(
    'anyOf required',
    { type: 'object', properties: pair, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    'object',
    [{ a: 'x' }],
    [{}],
  ),
  row('allOf', { allOf: [{ type: 'integer' }, { minimum: 1 }, { maximum: 3 }] }, 'number', [2], [0, 4]),
  row(
    'allOf objects',
    { allOf: [{ type: 'object', properties: pair }, { required: ['a'] }] },
    'object',
    [{ a: '' }],
    [{}],
  ),
  left('not', { type: 'string', not: { const: 'x' } }, 'text', ['a'], ['x']),
  left('not alone', { not: { type: 'string' } }, 'json', [1], ['x']),
  left(
    'if then else',
    // oxlint-disable-next-line unicorn/no-thenable -- A keyword of JSON Schema.
    { type: 'integer', if: { minimum: 5 }, then: { multipleOf: 5 }, else: { maximum: 3 } },
    'number',
    [10, 2],
    [6, 4],
  ),
  row('$ref', { $ref: '#/$defs/city' }, 'text', ['Oslo'], ['']),
  row('$ref with siblings', { $ref: '#/$defs/city', maxLength: 4 }, 'text', ['Oslo'], ['Bergen']),
  row(
    '$ref to itself',
    { $ref: '#/$defs/tree' },
    'object',
    [{ name: 'a', parts: [{ name: 'b', parts: [] }] }],
    [{ name: 'a', parts: [{}] }],
  ),
  row('$defs and $anchor', { $defs: { own: { $anchor: 'own', type: 'string' } }, type: 'string' }, 'text', ['a'], [1]),
  row('$dynamicRef', { $dynamicRef: '#city' }, 'json', []),
];

export const keywordCases: readonly KeywordCase[] = [...texts, ...numbers, ...values, ...lists, ...objects, ...rules];

/** Keywords of JSON Schema 2020-12 that say something of a value. `$id`, `$schema` and `$vocabulary` name the document. */
export const keywords =
  '$anchor $comment $defs $dynamicAnchor $dynamicRef $ref additionalProperties allOf anyOf const contains contentEncoding contentMediaType contentSchema default dependentRequired dependentSchemas deprecated description else enum examples exclusiveMaximum exclusiveMinimum format if items maxContains maxItems maxLength maxProperties maximum minContains minItems minLength minProperties minimum multipleOf not oneOf pattern patternProperties prefixItems properties propertyNames readOnly required then title type unevaluatedItems unevaluatedProperties uniqueItems writeOnly'.split(
    ' ',
  );
