/** The error for an invalid definition: the place, what is wrong there, and a hint. */
import { TenonError } from '../../lib/errors/tenon-error.ts';

export const refused = (text: string, hint: string, place?: string): TenonError =>
  new TenonError('invalid-definition', text, { hint, ...(place !== undefined && { details: { place } }) });

/** The type of a wrong value, for the text of an error. */
export const typeNameOf = (value: unknown): string => {
  if (Array.isArray(value)) return 'a list';
  if (value === null || value === undefined) return String(value);
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
};
