/** The messages in a text: one, or those of a batch. */

import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import { valuesIn } from '../http/values-in.ts';

/** None if the text is not JSON. */
export const messagesIn = (text: string): Fields[] => valuesIn(text)?.filter(isRecord) ?? [];
