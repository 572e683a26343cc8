/** Requests and results of the SQLite engine, with texts that SQLite cannot hold encoded. Most have none, and stay as they are. */
import { decodeText, encodeText, isEncoded, isUnfit } from '../../driver/unfit-texts.ts';
import type { Op } from '../../store/driver.ts';

export const encodedOps = (ops: readonly Op[]): readonly Op[] =>
  ops.some((op) => has(op, isUnfit)) ? ops.map((op) => encoded(withChars(op))) : ops;

export const encoded = <T>(value: T): T => (has(value, isUnfit) ? (changed(value, encodeText) as T) : value);

export const decoded = <T>(value: T): T => (has(value, isEncoded) ? (changed(value, decodeText) as T) : value);

/** A text counts as many characters as it has, however it is stored. */
const withChars = (op: Op): Op =>
  op.op === 'put' && op.data !== undefined ? { ...op, chars: op.chars ?? op.data.length } : op;

type Values = Readonly<Record<string, unknown>>;

/** Whether a text within the value is such a one; of names of properties, only those of fields can be. */
function has(value: unknown, isSuch: (text: string) => boolean): boolean {
  if (typeof value === 'string') return isSuch(value);
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((one) => has(one, isSuch));
  for (const name in value) if (has((value as Values)[name], isSuch)) return true;
  const { fields } = value as Values;
  return typeof fields === 'object' && fields !== null && Object.keys(fields).some(isSuch);
}

function changed(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => changed(one, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [change(name), changed(one, change)]));
}
