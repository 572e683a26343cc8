/** The folder of an audit log, as it was typed. */
import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { TenonError } from '../../lib/errors/tenon-error.ts';
import { listSegments } from '../../node/guard/audit/segments.ts';
import type { Io } from '../io/io.ts';
import { usageError } from '../usage-error.ts';

/** A folder of a log whose files may have been deleted: it has nothing else. Throws for any other. */
export async function emptiedFolder(typed: string, { cwd }: Io): Promise<string> {
  const folder = resolve(cwd, typed);
  const names = await readdir(folder).catch(() => undefined);
  const isLog = names?.length === 0 || names?.some((name) => /^audit(?:-\d{12}|\.lock)/.test(name)) === true;
  if (isLog) return folder;
  throw noLog(folder);
}

/** Throws for a folder without a log. */
export async function auditFolder(typed: string, { cwd }: Io): Promise<string> {
  const folder = resolve(cwd, typed);
  const segments = await listSegments(folder).catch(() => []);
  if (segments.length > 0) return folder;
  throw noLog(folder);
}

const noLog = (folder: string): TenonError =>
  usageError(`${folder} has no audit log.`, 'Pass the folder of auditFolder(): it has files named audit-….jsonl.');
