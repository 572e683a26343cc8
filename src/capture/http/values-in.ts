/** The JSON values in a text: one, or those of a batch. */

import { deepest } from '../../jsonrpc/limits.ts';

/**
 * `undefined` if the text is not JSON. A value that is nested deeper than any message may be counts as no JSON: writing it
 * again, or comparing it, would exhaust the stack.
 */
export function valuesIn(text: string): unknown[] | undefined {
  try {
    const values: unknown[] = [JSON.parse(text)].flat();
    return values.some((value) => isDeeper(value, deepest)) ? undefined : values;
  } catch {
    return undefined;
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
