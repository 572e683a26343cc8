/** A function that tells right from wrong, as a Standard Schema: for shapes that need no library. */
import type { StandardSchema } from './standard.ts';

/** `T` is what a value is taken to be that `holds`; `expected` says in words what it has to be. */
export const checked = <T>(holds: (value: unknown) => boolean, expected: string): StandardSchema<T> => ({
  '~standard': {
    version: 1,
    vendor: 'tenon',
    validate: (value) => (holds(value) ? { value: value as T } : { issues: [{ message: `expected ${expected}` }] }),
  },
});
