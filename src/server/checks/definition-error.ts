/** What refuses a definition: the place and what is wrong there, and the mend. */
import { TenonError } from '../../jsonrpc/errors.ts';

export const refused = (text: string, hint: string): TenonError => new TenonError('invalid-definition', text, { hint });
