/** Private values: the chain has a salted hash of each; the value itself can be deleted, and the chain stays whole. */
import { canonical } from './canonical.ts';
import type { PrivateText } from './prepare.ts';
import type { AuditRecord, Digest } from './record.ts';

export interface CommitTools {
  readonly digest: Digest;
  /** 32 random hexadecimal digits. Without a salt, short values could be guessed from their hash. */
  readonly salt: () => string;
}

export interface Commitment {
  readonly commitment: string;
  /** The line of the file of private values. */
  readonly line: string;
}

/** A line of the file of private values. A value that is too long is not in it, only its hash. */
export interface PrivateValue {
  readonly n: number;
  readonly field: string;
  readonly salt: string;
  readonly value?: unknown;
  readonly valueSha256?: string;
}

export function commit(n: number, { field, text, stored }: PrivateText, { digest, salt }: CommitTools): Commitment {
  const random = salt();
  const end = stored ? `"value":${text}` : `"valueSha256":"${digest(text)}"`;
  return {
    commitment: digest(`${random}${end}`),
    line: `{"n":${n},"field":${canonical(field, 'field')},"salt":"${random}",${end}}\n`,
  };
}

/** `undefined` for a line that is not one. */
export function readPrivateLine(line: string): PrivateValue | undefined {
  try {
    const value = JSON.parse(line) as PrivateValue;
    // Another text for the same values would be a change that no hash covers.
    return line === `{"n":${value.n},"field":${canonical(value.field, 'field')},"salt":"${value.salt}",${endOf(value)}}`
      ? value
      : undefined;
  } catch {
    return undefined;
  }
}

/** What replaces a line whose value was deleted: of the same length, which it ends with, so that a change of it is found. */
export const redactedLine = (length: number): string => String(length).padStart(length);

export const isRedacted = (line: string): boolean => line === redactedLine(line.length);

/** Whether a line has what the record commits to. */
export function matchesCommitment({ n, sealed = {} }: AuditRecord, value: PrivateValue, digest: Digest): boolean {
  return (
    value.n === n &&
    Object.hasOwn(sealed, value.field) &&
    sealed[value.field] === digest(`${value.salt}${endOf(value)}`)
  );
}

const endOf = ({ value, valueSha256 }: PrivateValue): string =>
  valueSha256 === undefined ? `"value":${canonical(value, 'value')}` : `"valueSha256":"${valueSha256}"`;
