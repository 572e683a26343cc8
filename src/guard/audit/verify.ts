/** Checks a chain line by line, and names the first line that is wrong. */
import type { MaybePromise } from '../../store/maybe-promise.ts';
import { type AuditCheckpoint, readCheckpoint, type VerifyCheckpoint } from './checkpoint.ts';
import { type LineProblem, readLine, readRecord } from './line.ts';
import { type AuditRecord, type ChainHead, type Digest, emptyChain } from './record.ts';

/** What is wrong. */
export type AuditProblem =
  | LineProblem
  | 'wrong-signature'
  | 'wrong-private-value'
  | 'torn-line'
  | 'wrong-file-name'
  | 'missing-start'
  | 'wrong-anchor'
  | 'missing-end';

/** What `verifyAudit` found in a chain that is whole. */
export interface ValidAudit {
  readonly valid: true;
  /** How many records were read. */
  readonly records: number;
  /** The number of the first record; more than 0 where old segments were deleted. */
  readonly firstRecord: number;
  /** How many records, from the first of the chain, the last signed checkpoint covers; 0 without one. */
  readonly signedRecords: number;
  /** The hash of the last record. */
  readonly hash: string;
  /** Private values that are not stored any more. */
  readonly redacted: number;
}

/** The first record that is wrong, and why. */
export interface InvalidAudit {
  readonly valid: false;
  /** The number that the record should have. */
  readonly record: number;
  readonly problem: AuditProblem;
  /** One sentence for people. */
  readonly message: string;
  /** The file and the line in it, counted from 1, where there is one. */
  readonly file?: string;
  readonly line?: number;
}

/** Where the check stands. One for each chain. */
export class ChainVerifier {
  readonly #digest: Digest;
  readonly #verify: VerifyCheckpoint | undefined;
  readonly #anchors: readonly AuditCheckpoint[];
  #head: ChainHead | undefined;
  #first = 0;
  #signed = 0;
  #failedAt: number | undefined;
  /** The chain says that the records before this one were deleted. */
  #announced = 0;
  /** The same, and a signature covers it: they may be absent. */
  #deletedBefore = 0;

  constructor(digest: Digest, verify: VerifyCheckpoint | undefined, anchors: readonly AuditCheckpoint[]) {
    this.#digest = digest;
    this.#verify = verify;
    this.#anchors = anchors;
  }

  /** The number of the next record. */
  get next(): number {
    return this.#head?.n ?? 0;
  }

  /** The number of the record that `read` found wrong. A checkpoint is known to be wrong after its number was counted. */
  get failedAt(): number {
    return this.#failedAt ?? this.next;
  }

  /** The number of the record that `end` found wrong. */
  placeOf(problem: AuditProblem): number {
    return problem === 'missing-start' ? this.#first : this.next;
  }

  /** The record, or what is wrong with the line. */
  read(line: string): MaybePromise<AuditRecord | AuditProblem> {
    const head = this.#head ?? startOf(line);
    const record = readLine(line, head, this.#digest);
    if (typeof record === 'string') return record;
    if (this.#head === undefined) this.#first = record.n;
    const anchor = this.#anchors.find(({ records }) => records === record.n);
    // A checkpoint is anchored after its record was written.
    if (anchor !== undefined && (anchor.hash !== record.prev || record.what?.signature !== anchor.signature))
      return 'wrong-anchor';
    this.#head = { n: record.n + 1, hash: record.hash };
    if (record.kind === 'retention') this.#announced = Number(record.what?.deletedBefore);
    // Without a key there is nothing to wait for.
    if (this.#verify === undefined) this.#deletedBefore = this.#announced;
    return record.kind === 'checkpoint' ? this.#readSigned(record) : record;
  }

  /** What only the end of the chain shows. */
  end(): AuditProblem | undefined {
    if (this.#anchors.some(({ records }) => records >= this.next)) return 'missing-end';
    return this.#first === 0 || this.#first <= this.#deletedBefore ? undefined : 'missing-start';
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
    this.#failedAt = record.n;
    if (checkpoint?.records !== record.n || checkpoint.hash !== record.prev) return 'wrong-signature';
    if (this.#verify === undefined) {
      this.#failedAt = undefined;
      return record;
    }
    if (!(await this.#verify(checkpoint))) return 'wrong-signature';
    this.#failedAt = undefined;
    this.#signed = record.n;
    this.#deletedBefore = this.#announced;
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
  'wrong-private-value': 'has a private value that is not the one it commits to',
  'torn-line': 'is cut off: the process ended while it was written, or the file was cut',
  'wrong-file-name': 'is not the one that the name of its file says: a file is missing or was renamed',
  'missing-start': 'is the first, and no later record says that those before it were deleted',
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
