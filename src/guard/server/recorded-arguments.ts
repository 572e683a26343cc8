/** The arguments in the record of a decision: those that the policy read, so that another policy can decide again, and those that the client sent. */
import type { AuditFields } from '../audit/record.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** Replaces values that JSON cannot represent. */
const notJson = 'not JSON';

/** `decided` are the validated arguments, or the variables of a template. `sent` is recorded where it differs. */
export function recordedArguments(decided: Arguments | undefined, sent: unknown): AuditFields {
  const read = decided === undefined || Object.keys(decided).length === 0 ? undefined : decided;
  const recorded = { arguments: read === undefined || isJson(read) ? read : notJson };
  return sent === undefined || isSame(decided ?? {}, sent) ? recorded : { ...recorded, sent: recordable(sent) };
}

/** The validated arguments, as an approver sees them beside those that were sent: only where they differ. */
export function validatedArguments(decided: Arguments | undefined, sent: unknown): { readonly validated?: unknown } {
  return decided === undefined || isSame(decided, sent) ? {} : { validated: recordable(decided) };
}

/** Converts values that may not be JSON: claims of `authenticate`, and numbers that overflow to Infinity. */
export function recordable(value: unknown): unknown {
  if (isJson(value)) return value;
  try {
    return JSON.parse(JSON.stringify(value));
  } catch {
    return notJson;
  }
}

/** No message is nested deeper, but a schema may transform arguments into a circular value. */
const maxDepth = 1000;

/** Whether conditions read the same value from the record. A set or map of a schema library would look empty there. */
function isJson(value: unknown, depth = 0): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null)
    return value === null || typeof value === 'string' || typeof value === 'boolean';
  if (depth > maxDepth) return false;
  if (Array.isArray(value)) return value.every((one) => isJson(one, depth + 1));
  if (value instanceof Date) return !Number.isNaN(value.getTime());
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  for (const key of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[key];
    if (member !== undefined && !isJson(member, depth + 1)) return false;
  }
  return true;
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other) || one instanceof Date) return false;
  const [keys, others] = [Object.keys(one), Object.keys(other)];
  return (
    keys.length === others.length &&
    keys.every((key) => Object.hasOwn(other, key) && isSame(one[key as never], other[key as never]))
  );
}
