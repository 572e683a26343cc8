/** Finds the field because of which the schema of a form cannot be sent. */
import { isRecord } from '../../lib/values/is.ts';

/** The first field that no form can have alone, and what is wrong with it. `isForm` checks a whole schema. */
export function wrongFormField(
  schema: unknown,
  isForm: (schema: unknown) => boolean,
): { readonly name: string; readonly problem: string } | undefined {
  if (!isRecord(schema) || !isRecord(schema.properties)) return undefined;
  const isWrong = ([name, field]: [string, unknown]): boolean =>
    !isForm({ type: 'object', properties: { [name]: field } });
  const found = Object.entries(schema.properties).find(isWrong);
  return found && { name: found[0], problem: problemOf(found[1]) };
}

function problemOf(field: unknown): string {
  const { type, format, anyOf, allOf, $ref } = isRecord(field) ? field : {};
  if (type === 'object') return 'is an object, and a form is flat';
  if (type === 'array') return 'is a list, and a form has only lists of choices';
  if (type === 'string' && typeof format === 'string') return `has the format ${JSON.stringify(format)}`;
  if (Array.isArray(type) || anyOf !== undefined || allOf !== undefined || $ref !== undefined)
    return 'has several types or a reference';
  return 'has a type that no form has';
}
