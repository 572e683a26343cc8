/** JSON in one form only: sorted keys, no spaces, ASCII. Equal values have equal bytes, and every byte means something. */
import { TenonError } from '../../lib/errors/tenon-error.ts';

/**
 * Depth of a value.
 * @limit audit
 * @beyond the event is refused
 * @code invalid-argument
 */
const maxDepth = 1100;

/** Texts of values that never change; empty until one is needed. */
const lasting = new WeakMap<object, string>();

/** Marks a value whose members never change: its text is made once. */
export function unchanging<T extends object>(value: T): T {
  lasting.set(Object.freeze(value), '');
  return value;
}

/** Throws `invalid-argument` for a value that is not JSON. `place` begins the path in its text. */
export function canonical(value: unknown, place: string): string {
  const known = typeof value === 'object' && value !== null ? lasting.get(value) : undefined;
  if (known) return known;
  const text = write(value, 0);
  if (text === undefined) throw notJson(place, value);
  if (known === '') lasting.set(value as object, text);
  return text;
}

/** `undefined` if something in it is not JSON: its place is looked for only then. */
function write(value: unknown, depth: number): string | undefined {
  switch (typeof value) {
    case 'string':
      return quoted(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'number':
      return Number.isFinite(value) ? JSON.stringify(value) : undefined;
    case 'object':
      if (value === null) return 'null';
      if (depth >= maxDepth) return undefined;
      if (hasToJson(value)) return write(value.toJSON(), depth + 1);
      return Array.isArray(value) ? writeList(value, depth + 1) : writeMembers(value, depth + 1);
    default:
      return undefined;
  }
}

function writeList(values: readonly unknown[], depth: number): string | undefined {
  let all = '';
  for (const value of values) {
    const text = write(value ?? null, depth);
    if (text === undefined) return undefined;
    all += all === '' ? text : `,${text}`;
  }
  return `[${all}]`;
}

/** Absent and undefined members are the same. */
function writeMembers(value: object, depth: number): string | undefined {
  let all = '';
  for (const key of sortedKeys(value)) {
    const member = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    const text = write(member, depth);
    if (text === undefined) return undefined;
    all += `${all === '' ? '' : ','}${quoted(key)}:${text}`;
  }
  return `{${all}}`;
}

/** Most objects of the log have their keys in order already. */
function sortedKeys(value: object): readonly string[] {
  const keys = Object.keys(value);
  for (let at = 1; at < keys.length; at++) if ((keys[at - 1] as string) > (keys[at] as string)) return keys.sort();
  return keys;
}

/** As in JSON.stringify: dates and URLs are texts. */
const hasToJson = (value: object): value is { toJSON(): unknown } =>
  typeof (value as { toJSON?: unknown }).toJSON === 'function';

/** What JSON writes as it is. */
const plain = /^[ !#-[\]-~]*$/;

/** Longer texts are searched faster by JSON.stringify. */
const quoted = (text: string): string =>
  text.length <= shortChars && plain.test(text) ? `"${text}"` : ascii(JSON.stringify(text));

const outside = /[\u007f-\uffff]/;
const allOutside = /[\u007f-\uffff]/g;

/** Longer texts are escaped as bytes: replacing 1.4 million characters held up all callers for 0.7 s, this for 0.15 s. */
const shortChars = 1000;

function ascii(text: string): string {
  if (!outside.test(text)) return text;
  if (text.length > shortChars) return escapedAsBytes(text);
  return text.replace(allOutside, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const [backslash, letterU, firstOutside] = [0x5c, 0x75, 0x7f];
const digits = new TextEncoder().encode('0123456789abcdef');

function escapedAsBytes(text: string): string {
  const bytes = new Uint8Array(text.length * 6);
  let end = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < firstOutside) {
      bytes[end++] = code;
      continue;
    }
    bytes[end++] = backslash;
    bytes[end++] = letterU;
    for (let shift = 12; shift >= 0; shift -= 4) bytes[end++] = digits[(code >> shift) & 15] as number;
  }
  return new TextDecoder().decode(bytes.subarray(0, end));
}

/** Names the first value that is not JSON. */
function notJson(place: string, value: unknown, depth = 0): TenonError {
  if (typeof value === 'object' && value !== null && depth < maxDepth) {
    for (const [key, member] of Object.entries(value))
      if (member !== undefined && write(member, depth + 1) === undefined)
        return notJson(Array.isArray(value) ? `${place}[${key}]` : `${place}.${key}`, member, depth + 1);
  }
  const isDeep = typeof value === 'object';
  const where = isDeep ? place.slice(0, 200) : place;
  return new TenonError(
    'invalid-argument',
    `An audit record cannot be written: ${where} ${isDeep ? 'is nested too deep' : `is not JSON: ${typeof value}`}.`,
    { hint: 'Pass plain JSON values.', details: { place: where } },
  );
}
