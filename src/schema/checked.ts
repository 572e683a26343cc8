/** Makes a Standard Schema of a check function, for shapes that need no schema library. */
import type { StandardSchema } from './standard.ts';

/** `T` is the type of values that pass; `expected` describes them in the error. */
export const checked = <T>(holds: (value: unknown) => boolean, expected: string): StandardSchema<T> => ({
  '~standard': {
    version: 1,
    vendor: 'tenon',
    validate: (value) => (holds(value) ? { value: value as T } : { issues: [{ message: `expected ${expected}` }] }),
  },
});
