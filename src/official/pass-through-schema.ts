/** A schema that accepts everything: the server behind the bridge validates, and its error texts stay. */
import type { Schema } from '../schema/standard.ts';

/** `jsonSchema` is what lists show. */
export const passThrough = <T = Record<string, unknown>>(jsonSchema: Record<string, unknown>): Schema<T, T> => ({
  '~standard': {
    version: 1,
    // It does no work that a large value could make long.
    vendor: 'tenon',
    validate: (value) => ({ value: value as T }),
    jsonSchema: { input: () => jsonSchema, output: () => jsonSchema },
  },
});
