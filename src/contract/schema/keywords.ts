/** The keywords of JSON Schema by what they do for a comparison. */

/** Texts for people and models, and values that no validator looks at. */
export const annotations = [
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
] as const;

/** Rules that are not compared: two schemas agree in them if they are the same. */
export const uncompared = [
  'not',
  'if',
  'then',
  'else',
  'contains',
  'minContains',
  'maxContains',
  'propertyNames',
  'patternProperties',
  'dependencies',
  'dependentRequired',
  'dependentSchemas',
  'unevaluatedItems',
  'unevaluatedProperties',
  '$dynamicRef',
] as const;

/** Bounds: whether the larger or the smaller value refuses more, and what is refused beyond it. */
export const bounds: Readonly<
  Record<string, { readonly kind: 'least' | 'most'; readonly type: string; refused(bound: number): string }>
> = {
  minimum: { kind: 'least', type: 'number', refused: (bound) => `less than ${bound}` },
  exclusiveMinimum: { kind: 'least', type: 'number', refused: (bound) => `${bound} or less` },
  maximum: { kind: 'most', type: 'number', refused: (bound) => `more than ${bound}` },
  exclusiveMaximum: { kind: 'most', type: 'number', refused: (bound) => `${bound} or more` },
  minLength: { kind: 'least', type: 'string', refused: (bound) => `less than ${bound} characters` },
  maxLength: { kind: 'most', type: 'string', refused: (bound) => `more than ${bound} characters` },
  minItems: { kind: 'least', type: 'array', refused: (bound) => `less than ${bound} items` },
  maxItems: { kind: 'most', type: 'array', refused: (bound) => `more than ${bound} items` },
  uniqueItems: { kind: 'least', type: 'array', refused: () => 'repeated items' },
  minProperties: { kind: 'least', type: 'object', refused: (bound) => `less than ${bound} fields` },
  maxProperties: { kind: 'most', type: 'object', refused: (bound) => `more than ${bound} fields` },
};

/** Keywords that only name parts of a schema. */
export const naming: readonly string[] = [
  '$defs',
  'definitions',
  '$schema',
  '$id',
  '$anchor',
  '$dynamicAnchor',
  '$comment',
  '$vocabulary',
];

/** Keywords that every reader of JSON Schema knows; others are annotations of their inventors. */
export const known: ReadonlySet<string> = new Set([
  ...annotations,
  ...uncompared,
  ...Object.keys(bounds),
  ...naming,
  '$ref',
  'type',
  'enum',
  'const',
  'allOf',
  'anyOf',
  'oneOf',
  'format',
  'pattern',
  'multipleOf',
  'uniqueItems',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'prefixItems',
  'additionalItems',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
]);
