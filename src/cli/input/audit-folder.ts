/** The folder of an audit log, as it was typed. */
import { resolve } from 'node:path';
import { listSegments } from '../../node/guard/audit/segments.ts';
import type { Io } from '../io/io.ts';
import { usageError } from '../usage-error.ts';

/** Throws for a folder without a log: it would pass as a valid log without records. */
export async function auditFolder(typed: string, { cwd }: Io): Promise<string> {
  const folder = resolve(cwd, typed);
  const segments = await listSegments(folder).catch(() => []);
  if (segments.length > 0) return folder;
  throw usageError(
    `${folder} has no audit log.`,
    'Pass the folder of auditFolder(): it has files named audit-….jsonl.',
  );
}
