/** Finds where a chain continues, after a normal end or a crash. What a crash left half written is cut off, and recorded. */
import { isRedacted, readPrivateLine } from '../../../guard/audit/commitments.ts';
import { readLine, readRecord } from '../../../guard/audit/line.ts';
import { type AuditEvent, type ChainHead, emptyChain } from '../../../guard/audit/record.ts';
import { fsModule } from '../../process/builtins.ts';
import { sha256 } from './digest.ts';
import { readLines } from './lines.ts';
import { listSegments, type SegmentFiles } from './segments.ts';
import { unavailable } from './unavailable.ts';

export interface RecoveredChain {
  readonly head: ChainHead;
  readonly segments: readonly SegmentFiles[];
  /** What was cut off; nothing after a normal end. */
  readonly repair: AuditEvent | undefined;
}

/** What the last segment has after its last whole record. */
interface Tail {
  readonly head: ChainHead;
  /** The bytes up to the last whole record. */
  readonly size: number;
  readonly torn: string;
}

/** Checks the last segment. Throws `audit-unavailable` if it was changed: a chain that is broken is not continued. */
export async function recoverChain(folder: string): Promise<RecoveredChain> {
  const segments = await listSegments(folder);
  const last = segments.at(-1);
  if (last === undefined) return { head: emptyChain, segments, repair: undefined };
  const before = segments.at(-2);
  const start = before === undefined ? undefined : (await readTail(before, undefined)).head;
  const { head, size, torn } = await readTail(last, start);
  const orphans = await cutOrphans(last, head.n);
  if (torn === '' && orphans === 0) return { head, segments, repair: undefined };
  if (torn !== '') cutTorn(last, size, torn, head.n);
  const what = {
    file: last.name,
    removedBytes: torn.length,
    removedSha256: sha256(torn),
    removedPrivateBytes: orphans,
  };
  return { head, segments, repair: { kind: 'repair', what } };
}

/** `start` is the head of the segment before, where there is one. */
async function readTail(segment: SegmentFiles, start: ChainHead | undefined): Promise<Tail> {
  let head = start;
  let size = 0;
  let torn = '';
  for await (const batch of readLines(segment.path)) {
    torn = batch.torn;
    for (const line of batch.lines) {
      head ??= startOf(line);
      const record = readLine(line, head, sha256);
      const isWrong = typeof record === 'string' || (size === 0 && record.n !== segment.first);
      if (isWrong) throw unavailable(segment.path, `record ${head.n} was changed; verifyAudit says more`);
      head = { n: record.n + 1, hash: record.hash };
      size += line.length + 1;
    }
  }
  head ??= emptyChain;
  if (size === 0 && head.n !== segment.first) throw unavailable(segment.path, 'a segment before it is missing');
  return { head, size, torn };
}

function startOf(line: string): ChainHead {
  const record = readRecord(line);
  return record === undefined ? emptyChain : { n: record.n, hash: record.prev };
}

/** The bytes stay in a file beside the log: a record that was written in part may matter to people. */
function cutTorn({ path }: SegmentFiles, size: number, torn: string, n: number): void {
  try {
    fsModule().writeFileSync(`${path}.torn-${n}`, torn, { encoding: 'latin1', mode: 0o600 });
    fsModule().truncateSync(path, size);
  } catch (error) {
    throw unavailable(path, 'its torn end cannot be cut off', error);
  }
}

/** Private values are written before their records: those without a record are of a group that was not acknowledged. */
async function cutOrphans({ privatePath }: SegmentFiles, n: number): Promise<number> {
  let size = 0;
  let total = 0;
  for await (const { lines, torn } of readLines(privatePath)) {
    for (const line of lines) {
      total += line.length + 1;
      const isKept = size + line.length + 1 === total && (isRedacted(line) || (readPrivateLine(line)?.n ?? -1) < n);
      if (isKept) size = total;
    }
    total += torn.length;
  }
  if (total === size) return 0;
  try {
    fsModule().truncateSync(privatePath, size);
  } catch (error) {
    throw unavailable(privatePath, 'values without a record cannot be cut off', error);
  }
  return total - size;
}
