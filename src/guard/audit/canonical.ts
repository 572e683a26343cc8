/** JSON in one form only: sorted keys, no spaces, ASCII. Equal values have equal bytes, and every byte means something. */
import { TenonError } from '../../jsonrpc/errors.ts';

/** No message of a peer is nested deeper: `limits.maxDepth` is at most 1000. */
const maxDepth = 1100;

/** Throws `invalid-argument` for what JSON cannot have. `place` begins the path in its text. */
export function canonical(value: unknown, place: string, depth = 0): string {
  switch (typeof value) {
    case 'string':
      return ascii(JSON.stringify(value));
    case 'boolean':
      return value ? 'true' : 'false';
    case 'number':
      if (Number.isFinite(value)) return JSON.stringify(value);
      break;
    case 'object':
      if (value === null) return 'null';
      if (depth >= maxDepth) break;
      if (hasToJson(value)) return canonical(value.toJSON(), place, depth + 1);
      return Array.isArray(value) ? list(value, place, depth) : members(value, place, depth);
  }
  const problem = typeof value === 'object' ? 'is nested too deep' : `is not JSON: ${typeof value}`;
  throw new TenonError('invalid-argument', `An audit record cannot be written: ${place} ${problem}.`, {
    hint: 'Pass plain JSON values.',
    details: { place },
  });
}

function list(values: readonly unknown[], place: string, depth: number): string {
  let text = '[';
  for (const [at, value] of values.entries()) {
    if (at > 0) text += ',';
    text += canonical(value ?? null, `${place}[${at}]`, depth + 1);
  }
  return `${text}]`;
}

/** Absent and undefined members are the same. */
function members(value: object, place: string, depth: number): string {
  let text = '';
  for (const key of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    text += `${text === '' ? '' : ','}${ascii(JSON.stringify(key))}:${canonical(member, `${place}.${key}`, depth + 1)}`;
  }
  return `{${text}}`;
}

/** As in JSON.stringify: dates and URLs are texts. */
const hasToJson = (value: object): value is { toJSON(): unknown } =>
  typeof (value as { toJSON?: unknown }).toJSON === 'function';

const outside = /[\u007f-\uffff]/g;

const ascii = (text: string): string =>
  text.replace(outside, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
