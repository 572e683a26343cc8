/** Whether a value has something at a path of a change, such as `days[].high`. */
import { isRecord } from '../lib/values/is.ts';

/** `name`, `["a name"]`, `[]`, `[0]`, `*` */
const steps = /\[\]|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|[^.[\]]+/g;

export function hasPath(value: unknown, path: string | undefined): boolean {
  if (path === undefined) return false;
  let found: unknown[] = [value];
  for (const [step, index, quotedName] of path.matchAll(steps)) {
    const name = quotedName === undefined ? step : String(JSON.parse(quotedName));
    found = found.flatMap((one) => {
      if (Array.isArray(one))
        return step === '[]' ? one : index === undefined ? [] : one.slice(Number(index), Number(index) + 1);
      if (!isRecord(one)) return [];
      if (step === '*') return Object.values(one);
      return Object.hasOwn(one, name) ? [one[name]] : [];
    });
  }
  return found.length > 0;
}
