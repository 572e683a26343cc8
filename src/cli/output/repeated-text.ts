/** Whether a text of a result only repeats its structured content, as servers do for models. */
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import { isRecord } from '../../lib/values/is.ts';

/** All of it, one of its fields, or one item of a list: some servers wrap what a tool returns in a field. */
export function repeatsStructure(text: string, structure: unknown): boolean {
  const fields = isRecord(structure) ? Object.values(structure) : [];
  const values = [structure, ...fields, ...fields.flatMap((field) => (Array.isArray(field) ? field : []))];
  const read = parsed(text);
  return values.some((one) => one === text || (read !== undefined && canonicalJson(one) === canonicalJson(read)));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
