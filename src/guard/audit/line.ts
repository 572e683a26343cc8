/** One line of the log: how it is written, and how its stored bytes are checked. */
import { canonical } from './canonical.ts';
import { type Commitment, type CommitTools, commit } from './commitments.ts';
import type { PreparedEvent } from './prepare.ts';
import type { AuditRecord, ChainHead, Digest } from './record.ts';

export interface WrittenLines {
  /** The lines of the records. */
  readonly text: string;
  /** The lines of the private values. */
  readonly privateText: string;
  readonly head: ChainHead;
}

/** The lines of the events after `head`. All text is ASCII. */
export function writeLines(events: readonly PreparedEvent[], head: ChainHead, tools: CommitTools): WrittenLines {
  let text = '';
  let privateText = '';
  let { n, hash } = head;
  for (const { kind, at, members, privates } of events) {
    const sealed: Record<string, string> = Object.create(null) as Record<string, string>;
    for (const value of privates) {
      const made: Commitment = commit(n, value, tools);
      sealed[value.field] = made.commitment;
      privateText += made.line;
    }
    const ends = privates.length === 0 ? '' : `,"sealed":${canonical(sealed, 'sealed')}`;
    const body = `{"n":${n},"at":"${at}","prev":"${hash}","kind":"${kind}"${members}${ends}`;
    hash = tools.digest(body);
    text += `${body},"hash":"${hash}"}\n`;
    n++;
  }
  return { text, privateText, head: { n, hash } };
}

/** `,"hash":"` and 64 digits and `"}`. */
const endLength = 9 + 64 + 2;
const endPattern = /^,"hash":"([\da-f]{64})"\}$/;

/** Why a line is not a record of the log. */
export type LineProblem = 'not-a-record' | 'wrong-hash' | 'wrong-number' | 'wrong-link';

/** The record of a line without its end; the problem if it does not continue the chain at `head`. */
export function readLine(line: string, head: ChainHead, digest: Digest): AuditRecord | LineProblem {
  const record = readRecord(line);
  if (record === undefined) return 'not-a-record';
  if (digest(line.slice(0, -endLength)) !== record.hash) return 'wrong-hash';
  if (record.n !== head.n) return 'wrong-number';
  return record.prev === head.hash ? record : 'wrong-link';
}

/** The record of a line; its hash is not checked. */
export function readRecord(line: string): AuditRecord | undefined {
  if (!endPattern.test(line.slice(-endLength))) return undefined;
  try {
    const record = JSON.parse(line) as AuditRecord;
    return Number.isSafeInteger(record.n) && typeof record.prev === 'string' ? record : undefined;
  } catch {
    return undefined;
  }
}
