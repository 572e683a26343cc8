/** The messages in a text: one, or those of a batch. */
import { isRecord } from '../../protocol/model/primitives.ts';
import type { Fields } from '../../protocol/neutral.ts';

/** None if the text is not JSON. */
export function messagesIn(text: string): Fields[] {
  try {
    return [JSON.parse(text)].flat().filter(isRecord);
  } catch {
    return [];
  }
}
