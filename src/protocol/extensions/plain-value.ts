/** Params and results of custom methods that are not objects. Inside the program, and in revisions that require objects, each is wrapped as the field `value` of an object. */

import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';

/** The key of `_meta` that distinguishes such an object from one with a field of this name. */
const mark = 'dev.tenon/plain-value';

export const wrapped = (value: unknown): Fields => (isRecord(value) ? value : { value, _meta: { [mark]: true } });

const isWrapped = ({ _meta: meta }: Fields): boolean => isRecord(meta) && meta[mark] === true;

/** The value as a session sends it. */
export const unwrapped = (fields: Fields): unknown => (isWrapped(fields) ? fields.value : fields);

/** The value for a handler: without `_meta`. */
export function valueOf(fields: Readonly<Fields>): unknown {
  if (isWrapped(fields)) return fields.value;
  const { _meta, ...own } = fields;
  return own;
}
