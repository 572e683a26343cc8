/** Checks the files of an audit log, and names the first record that is wrong. */

import { createCheckpointVerifier } from '../../../guard/audit/checkpoint.ts';
import { ChainVerifier, type InvalidAudit, invalidAudit, type ValidAudit } from '../../../guard/audit/verify.ts';
import { readOptions } from '../../../lib/options/read-options.ts';
import { filesModule } from '../../process/builtins.ts';
import { sha256 } from './digest.ts';
import { readLines } from './lines.ts';
import { verifyAuditOptions } from './options.table.ts';
import type { VerifyAuditOptions } from './options.ts';
import { PrivateValues } from './private-values.ts';
import { listSegments, lockPath, type SegmentFiles } from './segments.ts';

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
export async function verifyAudit(folder: string, options?: VerifyAuditOptions): Promise<ValidAudit | InvalidAudit> {
  const { publicKey, anchor: anchored } = readOptions('verifyAudit()', verifyAuditOptions, options);
  const keys = listOf(publicKey);
  const verify = keys.length === 0 ? undefined : createCheckpointVerifier(keys);
  const anchors = listOf(anchored);
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
