/** When two JSON values are the same, and whether those of a list all differ. */

import { isJsonObject } from '../analysis/snapshot.ts';
import type { Budget } from '../budget.ts';

/** A text that two values share exactly when JSON Schema calls them equal. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (isJsonObject(value)) {
    const members = Object.keys(value)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
    return `{${members.join()}}`;
  }
  return JSON.stringify(value) ?? 'undefined';
}

export function allDifferent(items: readonly unknown[], budget: Budget): boolean {
  const seen = new Set<string>();
  for (const item of items) {
    const text = canonical(item);
    budget.spend(1 + text.length / 16);
    if (seen.has(text)) return false;
    seen.add(text);
  }
  return true;
}

/** Whether a value is among `members`. Takes no longer than the members are large, however large the value is. */
export function membership(members: readonly unknown[]): (value: unknown) => boolean {
  const isStructured = (member: unknown): member is object => typeof member === 'object' && member !== null;
  const structured = members.filter(isStructured);
  const plain = new Set(members.filter((member) => !isStructured(member)));
  return (value) => (isStructured(value) ? structured.some((member) => equal(member, value)) : plain.has(value));
}

function equal(left: unknown, right: unknown): boolean {
  if (Array.isArray(left)) {
    return Array.isArray(right) && left.length === right.length && left.every((item, at) => equal(item, right[at]));
  }
  if (!isJsonObject(left)) return left === right;
  const keys = Object.keys(left);
  return (
    isJsonObject(right) &&
    keys.every((key) => Object.hasOwn(right, key) && equal(left[key], right[key])) &&
    keys.length === Object.keys(right).length
  );
}
