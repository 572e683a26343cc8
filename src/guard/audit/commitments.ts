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
  readonly value?: unknown;
  /** The salt and the rest of the line, as the commitment has them. */
  readonly committed: string;
}

export function commit(n: number, { field, text, stored }: PrivateText, { digest, salt }: CommitTools): Commitment {
  const random = salt();
  const end = stored ? `"value":${text}` : `"valueSha256":"${digest(text)}"`;
  return {
    commitment: digest(`${random}${end}`),
    line: `{"n":${n},"field":${canonical(field, 'field')},"salt":"${random}",${end}}\n`,
  };
}

/** `undefined` for a line that is not one: every byte of a line is compared here, or is part of what was committed to. */
export function readPrivateLine(line: string): PrivateValue | undefined {
  try {
    const { n, field, salt, value } = JSON.parse(line) as { n: number; field: string; salt: string; value?: unknown };
    const start = `{"n":${n},"field":${canonical(field, 'field')},"salt":"${salt}",`;
    if (!line.startsWith(start) || !line.endsWith('}')) return undefined;
    return { n, field, value, committed: `${salt}${line.slice(start.length, -1)}` };
  } catch {
    return undefined;
  }
}

/** Replaces a line whose value was deleted. It has the same length and ends with it, so that a change is detected. */
export const redactedLine = (length: number): string => String(length).padStart(length);

export const isRedacted = (line: string): boolean => line.startsWith(' ') && line === redactedLine(line.length);

/** Whether a line has the value that the record commits to. */
export const matchesCommitment = ({ n, sealed = {} }: AuditRecord, value: PrivateValue, digest: Digest): boolean =>
  value.n === n && Object.hasOwn(sealed, value.field) && sealed[value.field] === digest(value.committed);
