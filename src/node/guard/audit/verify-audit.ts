/** Checks the files of an audit log, and names the first record that is wrong. */

import { type AuditCheckpoint, createCheckpointVerifier, isPublicKey } from '../../../guard/audit/checkpoint.ts';
import { ChainVerifier, type InvalidAudit, invalidAudit, type ValidAudit } from '../../../guard/audit/verify.ts';
import { checkOptions, type Rule, type Rules } from '../../../lib/options/option-rules.ts';
import { isRecord } from '../../../lib/values/is.ts';
import { filesModule } from '../../process/builtins.ts';
import { sha256 } from './digest.ts';
import { readLines } from './lines.ts';
import { PrivateValues } from './private-values.ts';
import { listSegments, lockPath, type SegmentFiles } from './segments.ts';

/** The options of `verifyAudit`. */
export interface VerifyAuditOptions {
  /** The public key of the log, or all that it had. Without it no signature is checked. */
  readonly publicKey?: JsonWebKey | readonly JsonWebKey[];
  /** Checkpoints that were handed to the anchor; the last one is enough. Without it a log that was cut at its end looks whole. */
  readonly anchor?: AuditCheckpoint | readonly AuditCheckpoint[];
}

const isOneOrMore = (value: unknown, holds: (one: unknown) => boolean): boolean =>
  Array.isArray(value) ? value.length > 0 && value.every(holds) : holds(value);

const rules: Rules & Record<keyof VerifyAuditOptions, Rule> = {
  publicKey: { holds: (value) => isOneOrMore(value, isPublicKey), must: 'be an Ed25519 key as JWK, or a list of them' },
  anchor: {
    holds: (value) => isOneOrMore(value, (one) => isRecord(one) && Number.isSafeInteger(one.records)),
    must: 'be a checkpoint, or a list of them',
  },
};

/**
 * Verifies an audit log: every hash, link and private value, every signature with a `publicKey`, and with an `anchor`
 * that nothing is missing at the end.
 *
 * @example
 * ```ts
 * const result = await verifyAudit('./audit', { publicKey });
 * if (!result.valid) console.error(result.message);
 * ```
 */
export async function verifyAudit(
  folder: string,
  options: VerifyAuditOptions = {},
): Promise<ValidAudit | InvalidAudit> {
  checkOptions('verifyAudit()', options, rules);
  const keys = listOf(options.publicKey);
  const verify = keys.length === 0 ? undefined : createCheckpointVerifier(keys);
  const anchors = listOf(options.anchor);
  for (const anchor of anchors)
    if (verify !== undefined && !(await verify(anchor))) return invalidAudit(anchor.records, 'wrong-signature');
  const verifier = new ChainVerifier(sha256, verify, anchors);
  const deletions: Deleted[] = [];
  const segments = await listSegments(folder);
  const last = segments.at(-1);
  const lastBytes = last && (await openBytes(folder, last.path));
  for (const segment of segments) {
    const found = await verifySegment(segment, verifier, segment === last ? lastBytes : undefined);
    if ('valid' in found) return found;
    deletions.push(found);
  }
  const problem = verifier.end();
  if (problem !== undefined) return invalidAudit(verifier.placeOf(problem), problem);
  // A record about a deletion comes after the values.
  const unrecorded = deletions.find(({ file, count }) => count > verifier.redactedIn(file));
  if (unrecorded !== undefined)
    return invalidAudit(unrecorded.firstRecord, 'unrecorded-redaction', unrecorded.file, unrecorded.line);
  return verifier.result(deletions.reduce((sum, { count }) => sum + count, 0));
}

/** The deleted private values of a segment. */
interface Deleted {
  readonly file: string;
  count: number;
  /** The first record that has one, and its line. */
  firstRecord: number;
  line: number;
}

const listOf = <T>(value: T | readonly T[] | undefined): readonly T[] =>
  value === undefined ? [] : Array.isArray(value) ? (value as readonly T[]) : [value as T];

/** The bytes of the last segment, if a process has the log open: what it writes from now on is not read. */
async function openBytes(folder: string, path: string): Promise<number | undefined> {
  const { access, stat } = filesModule();
  try {
    await access(lockPath(folder));
    return (await stat(path)).size;
  } catch {
    return undefined;
  }
}

/** With `maxBytes` the segment is being written: its last line may be cut off, and values may have no record yet. */
async function verifySegment(
  segment: SegmentFiles,
  verifier: ChainVerifier,
  maxBytes: number | undefined,
): Promise<Deleted | InvalidAudit> {
  const privates = new PrivateValues(segment.privatePath);
  const deletions: Deleted = { file: segment.name, count: 0, firstRecord: 0, line: 0 };
  let line = 0;
  try {
    for await (const { lines, torn } of readLines(segment.path, maxBytes)) {
      for (const text of lines) {
        line++;
        const read = verifier.read(text);
        const record = read instanceof Promise ? await read : read;
        if (typeof record === 'string') return invalidAudit(verifier.next, record, segment.name, line);
        if (line === 1 && record.n !== segment.first)
          return invalidAudit(segment.first, 'wrong-file-name', segment.name, 1);
        if (record.sealed === undefined) continue;
        const reading = privates.of(record);
        const values = reading instanceof Promise ? await reading : reading;
        if (values === undefined) return invalidAudit(record.n, 'wrong-private-value', segment.name, line);
        const deleted = Object.keys(record.sealed).length - values.length;
        if (deleted > 0 && deletions.count === 0) Object.assign(deletions, { firstRecord: record.n, line });
        deletions.count += deleted;
      }
      if (torn !== '' && maxBytes === undefined)
        return invalidAudit(verifier.next, 'torn-line', segment.name, line + 1);
    }
    if (maxBytes === undefined && !(await privates.isAtEnd()))
      return invalidAudit(verifier.next, 'wrong-private-value', segment.name);
    return deletions;
  } finally {
    await privates.close();
  }
}
