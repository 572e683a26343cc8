/** The messages in a text: one, or those of a batch. */

import { deepest } from '../../jsonrpc/limits.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';

/** None if the text is not JSON. */
export const messagesIn = (text: string): Fields[] => valuesIn(text)?.filter(isRecord) ?? [];

/**
 * One value, or those of a batch; `undefined` if the text is not JSON. A value that is nested deeper than any message may be
 * counts as no JSON: writing it again, or comparing it, would exhaust the stack.
 */
export function valuesIn(text: string): unknown[] | undefined {
  try {
    const values: unknown[] = [JSON.parse(text)].flat();
    return values.some((value) => isDeeper(value, deepest)) ? undefined : values;
  } catch {
    return undefined;
  }
}

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));
