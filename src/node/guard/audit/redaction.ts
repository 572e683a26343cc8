/** Deletes private values: their lines are overwritten, so that all other bytes stay where they are. */
import { readPrivateLine, redactedLine } from '../../../guard/audit/commitments.ts';
import { readRecord } from '../../../guard/audit/line.ts';
import type { AuditFields } from '../../../guard/audit/record.ts';
import { redactionQuery } from '../../../guard/audit/search.table.ts';
import { createMatcher, type RedactionQuery } from '../../../guard/audit/search.ts';
import { TenonError } from '../../../lib/errors/tenon-error.ts';
import { readOptions } from '../../../lib/options/read-options.ts';
import { filesModule } from '../../process/builtins.ts';
import { readLines } from './lines.ts';
import { listSegments, type SegmentFiles } from './segments.ts';
import { unavailable } from './unavailable.ts';

/** A part of a file. */
interface Part {
  readonly offset: number;
  readonly length: number;
}

/** One record for each segment, before anything is deleted in it. */
export async function redactFiles(
  folder: string,
  given: RedactionQuery,
  record: (what: AuditFields) => Promise<void>,
): Promise<number> {
  const query = readOptions('redact()', redactionQuery, given);
  if (Object.keys(query).length === 0)
    throw new TenonError('invalid-argument', 'redact(): the query is empty.', {
      hint: 'Say what to delete; { from: 0 } is everything.',
    });
  let total = 0;
  for (const segment of await listSegments(folder)) {
    const parts = await partsOf(segment, query);
    if (parts.length === 0) continue;
    await record({ file: segment.name, values: parts.length });
    await overwrite(segment.privatePath, parts);
    total += parts.length;
  }
  return total;
}

async function partsOf({ path, privatePath }: SegmentFiles, query: RedactionQuery): Promise<Part[]> {
  const { maybe, matches } = createMatcher(query);
  const numbers = new Set<number>();
  for await (const { lines } of readLines(path)) {
    for (const line of lines) {
      const record = maybe(line) ? readRecord(line) : undefined;
      if (record?.sealed !== undefined && matches(record)) numbers.add(record.n);
    }
  }
  const parts: Part[] = [];
  if (numbers.size === 0) return parts;
  for await (const { lines, offset: start } of readLines(privatePath)) {
    let offset = start;
    for (const line of lines) {
      if (numbers.has(readPrivateLine(line)?.n ?? -1)) parts.push({ offset, length: line.length });
      offset += line.length + 1;
    }
  }
  return parts;
}

async function overwrite(path: string, parts: readonly Part[]): Promise<void> {
  try {
    const handle = await filesModule().open(path, 'r+');
    try {
      for (const { offset, length } of parts) await handle.write(redactedLine(length), offset, 'latin1');
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw unavailable(path, 'values cannot be deleted', error);
  }
}
