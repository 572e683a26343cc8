/** Finds where a chain continues, after a normal end or a crash. What a crash left half written is cut off, and recorded. */
import { readLine, readRecord } from '../../../guard/audit/line.ts';
import { type AuditFields, type ChainHead, emptyChain } from '../../../guard/audit/record.ts';
import { fsModule } from '../../process/builtins.ts';
import { sha256 } from './digest.ts';
import { readLines } from './lines.ts';
import { listPrivate, listSegments, type SegmentFiles } from './segments.ts';
import { unavailable } from './unavailable.ts';

export interface RecoveredChain {
  readonly head: ChainHead;
  readonly segments: readonly SegmentFiles[];
  /** What was cut off; nothing after a normal end. */
  readonly repair: AuditFields | undefined;
}

/** What the last segment has after its last whole record. */
interface Tail {
  /** Absent if it has no whole record. */
  readonly head: ChainHead | undefined;
  /** The bytes up to the last whole record. */
  readonly size: number;
  readonly torn: string;
}

/** Checks the last segment. Throws `audit-unavailable` if it was changed: a chain that is broken is not continued. */
export async function recoverChain(folder: string): Promise<RecoveredChain> {
  const segments = await listSegments(folder);
  const last = segments.at(-1);
  if (last === undefined) return { head: emptyChain, segments, repair: undefined };
  await dropLeftovers(folder, segments[0]?.first ?? 0);
  const before = segments.at(-2);
  // A crash may leave a segment without a whole record. Its head is in the segment before.
  const tail = await readTail(last);
  const head = tail.head ?? (before === undefined ? emptyChain : (await readTail(before)).head);
  if (head === undefined || (tail.head === undefined && head.n !== last.first))
    throw unavailable(last.path, 'a segment before it is missing');
  const { size, torn } = tail;
  const orphans = await cutOrphans(last, head.n);
  if (torn === '' && orphans === 0) return { head, segments, repair: undefined };
  if (torn !== '') cutTorn(last, size, torn, head.n);
  const repair = {
    file: last.name,
    removedBytes: torn.length,
    removedSha256: sha256(torn),
    removedPrivateBytes: orphans,
  };
  return { head, segments, repair };
}

async function readTail({ path, first }: SegmentFiles): Promise<Tail> {
  let head: ChainHead | undefined;
  let size = 0;
  let torn = '';
  for await (const batch of readLines(path)) {
    torn = batch.torn;
    for (const line of batch.lines) {
      const start: ChainHead = head ?? { n: first, hash: readRecord(line)?.prev ?? '' };
      const record = readLine(line, start, sha256);
      if (typeof record === 'string') throw unavailable(path, `record ${start.n} was changed; verifyAudit says more`);
      head = { n: record.n + 1, hash: record.hash };
      size += line.length + 1;
    }
  }
  return { head, size, torn };
}

/** A crash while a segment was deleted may leave its values. */
async function dropLeftovers(folder: string, firstRecord: number): Promise<void> {
  const leftovers = (await listPrivate(folder)).filter(({ first }) => first < firstRecord);
  for (const { privatePath } of leftovers) fsModule().rmSync(privatePath, { force: true });
}

/** The bytes stay in a file beside the log: a record that was written in part may matter to people. */
function cutTorn({ path }: SegmentFiles, size: number, torn: string, n: number): void {
  try {
    if (fsModule().statSync(path).size !== size + torn.length) throw new Error('It is too long for a line.');
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
  let isOrphan = false;
  for await (const { lines, torn } of readLines(privatePath)) {
    for (const line of lines) {
      total += line.length + 1;
      isOrphan ||= Number(/^\{"n":(\d+),/.exec(line)?.[1] ?? 0) >= n;
      if (!isOrphan) size = total;
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
