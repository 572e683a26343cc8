/** Generates JSON Schema from a model, for documentation and for other tools. */
import type { Model } from '../../src/protocol/model/model.ts';
import type { Shape } from '../../src/protocol/model/shape.ts';

type Json = Record<string, unknown>;

function schemaOf(model: Model, shape: Shape): Json {
  const inner = (part: Shape): Json => schemaOf(model, part);
  switch (shape.is) {
    case 'anything':
      return {};
    case 'string':
    case 'boolean':
    case 'null':
      return { type: shape.is };
    case 'number':
    case 'integer':
      return {
        type: shape.is,
        ...(shape.min === undefined ? {} : { minimum: shape.min }),
        ...(shape.max === undefined ? {} : { maximum: shape.max }),
      };
    case 'just':
      return { const: shape.value };
    case 'word':
      return { enum: shape.of };
    case 'list':
      return { type: 'array', items: inner(shape.of), ...(shape.most === undefined ? {} : { maxItems: shape.most }) };
    case 'either':
      return { anyOf: shape.of.map(inner) };
    case 'named':
      return { $ref: `#/$defs/${shape.name}` };
    case 'kinds':
      return { anyOf: [...shape.of.map((name) => inner({ is: 'named', name })), unknownKind(model, shape.of)] };
    case 'record': {
      const fields = Object.entries(shape.fields);
      const required = fields.filter(([, { optional }]) => !optional).map(([key]) => key);
      return {
        type: 'object',
        ...(fields.length > 0
          ? { properties: Object.fromEntries(fields.map(([key, field]) => [key, inner(field.shape)])) }
          : {}),
        ...(required.length > 0 ? { required } : {}),
        ...(shape.rest === undefined || shape.rest.is === 'anything'
          ? {}
          : { additionalProperties: inner(shape.rest) }),
      };
    }
  }
}

function unknownKind(model: Model, known: readonly string[]): Json {
  const types = known.map((name) => {
    const shape = model.shapes[name];
    const type = shape?.is === 'record' ? shape.fields.type?.shape : undefined;
    return type?.is === 'just' ? type.value : name;
  });
  return { type: 'object', required: ['type'], properties: { type: { type: 'string', not: { enum: types } } } };
}

export const jsonSchemaOf = (title: string, model: Model): Json => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title,
  $defs: Object.fromEntries(Object.entries(model.shapes).map(([name, shape]) => [name, schemaOf(model, shape)])),
});
