/** Searches the files of an audit log, one record at a time in memory. */
import type { PrivateValue } from '../../../guard/audit/commitments.ts';
import { readRecord } from '../../../guard/audit/line.ts';
import { auditQuery } from '../../../guard/audit/search.table.ts';
import { type AuditQuery, createMatcher, type FoundRecord } from '../../../guard/audit/search.ts';
import { readOptions } from '../../../lib/options/read-options.ts';
import { readLines } from './lines.ts';
import { PrivateValues } from './private-values.ts';
import { listSegments, type SegmentFiles } from './segments.ts';

/**
 * Searches an audit log, from the oldest record to the newest. It checks no hashes: that is `verifyAudit`. A search that
 * stopped at `maxRecords` has `nextFrom` afterwards: the number of the next record that matches, for `from`.
 *
 * @example
 * ```ts
 * const records = searchAudit('./audit', { kinds: ['call-start'], what: 'deploy' });
 * for await (const record of records) console.log(record);
 * if (records.nextFrom !== undefined) console.log('There are more.');
 * ```
 */
export function searchAudit(
  folder: string,
  query?: AuditQuery,
): AsyncGenerator<FoundRecord, void> & {
  /** Set when the search has ended at its limit; `undefined` if it returned all, or goes on. */
  readonly nextFrom: number | undefined;
} {
  const end: { nextFrom?: number } = {};
  const records = search(folder, query, end);
  return Object.defineProperty(records, 'nextFrom', { get: () => end.nextFrom }) as ReturnType<typeof searchAudit>;
}

async function* search(
  folder: string,
  query: AuditQuery | undefined,
  end: { nextFrom?: number },
): AsyncGenerator<FoundRecord, void> {
  const settings = readOptions('searchAudit()', auditQuery, query, { limit: 'maxRecords', kind: 'kinds' });
  const { maxRecords, from = 0 } = settings;
  const segments = await listSegments(folder);
  let found = 0;
  for (const [at, segment] of segments.entries()) {
    const next = segments[at + 1];
    if (next !== undefined && next.first <= from) continue;
    for await (const record of searchSegment(segment, settings)) {
      if (++found > maxRecords) {
        end.nextFrom = record.n;
        return;
      }
      yield record;
    }
  }
}

async function* searchSegment(segment: SegmentFiles, query: AuditQuery): AsyncGenerator<FoundRecord> {
  const { maybe, matches } = createMatcher(query);
  const privates = query.includePrivate === true ? new PrivateValues(segment.privatePath) : undefined;
  try {
    for await (const { lines } of readLines(segment.path)) {
      for (const line of lines) {
        // Values are in the order of all records.
        const record = privates !== undefined || maybe(line) ? readRecord(line) : undefined;
        const values = record?.sealed && (await privates?.of(record));
        if (record === undefined || !matches(record)) continue;
        yield values === undefined ? record : { ...record, private: valuesByField(values) };
      }
    }
  } finally {
    await privates?.close();
  }
}

const valuesByField = (values: readonly PrivateValue[]): Record<string, unknown> =>
  Object.fromEntries(values.flatMap(({ field, value }) => (value === undefined ? [] : [[field, value]])));
