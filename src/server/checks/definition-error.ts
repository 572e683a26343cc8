/** The error for an invalid definition: the place, what is wrong there, and a hint. */
import { TenonError } from '../../jsonrpc/errors.ts';

export const refused = (text: string, hint: string, place?: string): TenonError =>
  new TenonError('invalid-definition', text, { hint, ...(place !== undefined && { details: { place } }) });
