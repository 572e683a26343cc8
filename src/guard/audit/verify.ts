/** Checks a chain line by line, and names the first line that is wrong. */
import type { MaybePromise } from '../../lib/values/maybe-promise.ts';
import { type AuditCheckpoint, readCheckpoint, type VerifyCheckpoint } from './checkpoint.ts';
import { readLine, readRecord } from './line.ts';
import { type AuditRecord, type ChainHead, type Digest, emptyChain } from './record.ts';

/** What is wrong. */
export type AuditProblem =
  | 'not-a-record'
  | 'wrong-hash'
  | 'wrong-number'
  | 'wrong-link'
  | 'wrong-signature'
  | 'wrong-private-value'
  | 'unrecorded-redaction'
  | 'torn-line'
  | 'wrong-file-name'
  | 'missing-start'
  | 'wrong-anchor'
  | 'missing-end';

/** What `verifyAudit` found in a chain that is whole. */
export interface ValidAudit {
  /** The chain is whole. */
  readonly valid: true;
  /** How many records were read. */
  readonly records: number;
  /** The number of the first record; more than 0 where old segments were deleted. */
  readonly firstRecord: number;
  /** How many records, from the first of the chain, the last signed checkpoint covers; 0 without one. */
  readonly signedRecords: number;
  /** The hash of the last record. */
  readonly hash: string;
  /** Private values that were deleted. */
  readonly redacted: number;
}

/** The first record that is wrong, and why. */
export interface InvalidAudit {
  /** The chain is not whole. */
  readonly valid: false;
  /** The number that the record should have. */
  readonly record: number;
  /** What is wrong with it. */
  readonly problem: AuditProblem;
  /** One sentence for people. */
  readonly message: string;
  /** The file, where there is one. */
  readonly file?: string;
  /** The line in it, counted from 1. */
  readonly line?: number;
}

/** The state of the check of one chain. */
export class ChainVerifier {
  readonly #digest: Digest;
  readonly #verify: VerifyCheckpoint | undefined;
  readonly #anchors: ReadonlyMap<number, AuditCheckpoint>;
  readonly #redactions = new Map<string, number>();
  #head: ChainHead | undefined;
  #first = 0;
  #signed = 0;
  /** The chain says that the records before this one were deleted. */
  #announced = 0;
  /** The same, and a signature covers it: they may be absent. */
  #deletedBefore = 0;

  constructor(digest: Digest, verify: VerifyCheckpoint | undefined, anchors: readonly AuditCheckpoint[]) {
    this.#digest = digest;
    this.#verify = verify;
    this.#anchors = new Map(anchors.map((anchor) => [anchor.records, anchor]));
  }

  /** The number of the next record: of the wrong one, after `read` found a problem. */
  get next(): number {
    return this.#head?.n ?? 0;
  }

  /** How many private values of a file were deleted, as the chain says. */
  redactedIn(file: string): number {
    return this.#redactions.get(file) ?? 0;
  }

  /** The number of the record that `end` found wrong. */
  placeOf(problem: AuditProblem): number {
    return problem === 'missing-start' ? this.#deletedBefore : this.next;
  }

  /** The record, or what is wrong with the line. */
  read(line: string): MaybePromise<AuditRecord | AuditProblem> {
    const head = this.#head ?? startOf(line);
    const record = readLine(line, head, this.#digest);
    if (typeof record === 'string') return record;
    const anchor = this.#anchors.get(record.n);
    // A checkpoint is anchored after its record was written.
    if (anchor !== undefined && (anchor.hash !== record.prev || record.what?.signature !== anchor.signature))
      return 'wrong-anchor';
    return record.kind === 'checkpoint' ? this.#readSigned(record) : this.#accept(record);
  }

  /** The problems that only the end of the chain shows. */
  end(): AuditProblem | undefined {
    for (const records of this.#anchors.keys()) if (records >= this.next) return 'missing-end';
    // A log begins with a record: without one, its files were deleted or emptied.
    return this.#head !== undefined && this.#first <= this.#deletedBefore ? undefined : 'missing-start';
  }

  result(redacted: number): ValidAudit {
    const { n, hash } = this.#head ?? emptyChain;
    return {
      valid: true,
      records: n - this.#first,
      firstRecord: this.#first,
      signedRecords: this.#signed,
      hash,
      redacted,
    };
  }

  async #readSigned(record: AuditRecord): Promise<AuditRecord | AuditProblem> {
    const checkpoint = readCheckpoint(record.what);
    if (checkpoint?.records !== record.n || checkpoint.hash !== record.prev) return 'wrong-signature';
    if (this.#verify === undefined) return this.#accept(record);
    if (!(await this.#verify(checkpoint))) return 'wrong-signature';
    this.#signed = record.n;
    this.#deletedBefore = this.#announced;
    return this.#accept(record);
  }

  #accept(record: AuditRecord): AuditRecord {
    const { n, hash, kind, what } = record;
    if (this.#head === undefined) this.#first = n;
    this.#head = { n: n + 1, hash };
    if (kind === 'redaction') {
      const file = String(what?.file);
      this.#redactions.set(file, this.redactedIn(file) + Number(what?.values));
    }
    if (kind === 'retention') {
      this.#announced = Number(what?.deletedBefore);
      // Without a key there is no signature to wait for.
      if (this.#verify === undefined) this.#deletedBefore = this.#announced;
    }
    return record;
  }
}

/** A chain whose old segments were deleted begins anywhere. */
function startOf(line: string): ChainHead {
  const record = readRecord(line);
  return record === undefined || record.n === 0 ? emptyChain : { n: record.n, hash: record.prev };
}

const messages: Record<AuditProblem, string> = {
  'not-a-record': 'is not a line of an audit log',
  'wrong-hash': 'was changed: its hash is not that of its text',
  'wrong-number': 'has another number: records are missing, swapped or inserted',
  'wrong-link': 'does not follow the record before it: one of them was replaced',
  'wrong-signature': 'is a checkpoint whose signature is not valid for the public key',
  'wrong-private-value': 'has a private value that is missing, or is not the one it commits to',
  'unrecorded-redaction': 'has a private value that was deleted, and no record says so',
  'torn-line': 'is cut off: the process ended while it was written, or the file was cut',
  'wrong-file-name': 'is not the first of its file, as the name says: the file was cut or renamed',
  'missing-start': 'is missing, and no later record says that it was deleted',
  'wrong-anchor': 'follows another history than the anchored checkpoint',
  'missing-end': 'is missing: the anchored checkpoint covers it',
};

export function invalidAudit(record: number, problem: AuditProblem, file?: string, line?: number): InvalidAudit {
  const place = file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`}: `;
  return {
    valid: false,
    record,
    problem,
    message: `${place}Record ${record} ${messages[problem]}.`,
    ...(file === undefined ? {} : { file }),
    ...(line === undefined ? {} : { line }),
  };
}
