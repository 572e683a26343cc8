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
  /** The line of the file of private values; empty where the value is not stored. */
  readonly line: string;
}

/** A line of the file of private values. */
export interface PrivateValue {
  readonly n: number;
  readonly field: string;
  readonly salt: string;
  readonly value: unknown;
}

export function commit(n: number, { field, text, stored }: PrivateText, { digest, salt }: CommitTools): Commitment {
  const random = salt();
  const start = `{"n":${n},"field":${canonical(field, 'field')},"salt":"${random}","value":`;
  return { commitment: digest(`${random}${text}`), line: stored ? `${start}${text}}\n` : '' };
}

/** `undefined` for a line that is not one. A redacted line is blank. */
export function readPrivateLine(line: string): PrivateValue | undefined {
  try {
    const value = JSON.parse(line) as PrivateValue;
    const written = `{"n":${value.n},"field":${canonical(value.field, 'field')},"salt":"${value.salt}","value":${canonical(value.value, 'value')}}`;
    // Another text for the same values would be a change that no hash covers.
    return Number.isSafeInteger(value.n) && written === line ? value : undefined;
  } catch {
    return undefined;
  }
}

export const isRedacted = (line: string): boolean => /^ +$/.test(line);

/** Whether a stored value is the one that the record commits to. */
export function matchesCommitment({ sealed = {} }: AuditRecord, value: PrivateValue, digest: Digest): boolean {
  return (
    Object.hasOwn(sealed, value.field) &&
    sealed[value.field] === digest(`${value.salt}${canonical(value.value, 'value')}`)
  );
}
