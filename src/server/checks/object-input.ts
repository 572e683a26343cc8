/** The input schema of a tool as every protocol version has it: with `type: 'object'` at its root. */
import { describesObject } from '../../protocol/fitting/structured.ts';
import type { JsonSchemaObject } from '../../schema/reading.ts';
import { refused } from './definition-error.ts';

/** Adds the type to a union or an intersection of objects. Throws `invalid-definition` for anything else. */
export function objectInput(place: string, schema: JsonSchemaObject): JsonSchemaObject {
  if (schema.type === 'object') return schema;
  if (describesObject(schema)) return { ...schema, type: 'object' };
  const isUnion = schema.anyOf !== undefined || schema.oneOf !== undefined;
  throw refused(
    `${place}: the schema allows values that are not objects${foundType(schema)}. MCP sends arguments as an object.`,
    isUnion
      ? "Make every member of the union an object, as in z.discriminatedUnion('kind', [z.object({ … }), z.object({ … })]), or wrap the union in an object."
      : 'Wrap the schema in an object, as in z.object({ value: schema }).',
  );
}

const foundType = ({ type }: JsonSchemaObject): string =>
  type === undefined ? '' : ` (type: ${JSON.stringify(type)})`;
