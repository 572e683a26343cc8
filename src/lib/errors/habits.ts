/** Methods that other libraries have and this one has not: each throws what to write instead. */
import { TenonError } from './tenon-error.ts';

/** A prototype with such methods. `of` is the name of the object, as in `client`; each text completes "In Tenon this is …". */
export function habitsOf(of: string, texts: Readonly<Record<string, string>>): object {
  const habits = Object.entries(texts).map(([name, text]) => [
    name,
    {
      value: () => {
        throw new TenonError('invalid-argument', `${of}.${name}() does not exist. In Tenon this is ${text}.`, {
          hint: 'docs/guide/migrating.md has both side by side.',
        });
      },
    },
  ]);
  return Object.create(Object.prototype, Object.fromEntries(habits)) as object;
}
