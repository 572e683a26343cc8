/** The messages in a text: one, or those of a batch. */

import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';

/** None if the text is not JSON. */
export function messagesIn(text: string): Fields[] {
  try {
    return [JSON.parse(text)].flat().filter(isRecord);
  } catch {
    return [];
  }
}
