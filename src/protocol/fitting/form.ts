/** Reduces an elicitation form to the features of the first revision with forms. */

import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { Fit } from './steps.ts';

/**
 * Removes the mode and all defaults except those of booleans, and writes titled choices as `enum` with names. Other
 * newer features stay, and the check refuses them.
 */
export const plainForm: Fit = (params) => {
  const { mode, ...rest } = params;
  if (mode === 'url' || !isRecord(rest.requestedSchema)) return params;
  const { $schema: _, ...schema } = rest.requestedSchema;
  const properties = isRecord(schema.properties) ? schema.properties : {};
  return {
    ...rest,
    requestedSchema: {
      ...schema,
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, field]) => [key, isRecord(field) ? plainField(field) : field]),
      ),
    },
  };
};

function plainField(field: Fields): Fields {
  if (field.type === 'boolean') return field;
  const { default: _, oneOf, ...plain } = field;
  if (!Array.isArray(oneOf)) return plain;
  const choices = oneOf.filter(isRecord);
  return { ...plain, enum: choices.map((choice) => choice.const), enumNames: choices.map((choice) => choice.title) };
}

/** The elicitation capability in the revision that has forms but no member `form`. */
export const formCapability: Fit = (capabilities) => {
  const { elicitation, ...rest } = capabilities;
  if (!isRecord(elicitation)) return capabilities;
  const hasForm = 'form' in elicitation || !('url' in elicitation);
  return hasForm ? { ...rest, elicitation: {} } : rest;
};
