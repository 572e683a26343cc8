/** `tenon audit`: verifies an audit log, and searches it. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { AuditCheckpoint } from '../../../guard/audit/checkpoint.ts';
import type { AuditKind } from '../../../guard/audit/record.ts';
import type { AuditQuery, FoundRecord } from '../../../guard/audit/search.ts';
import { searchAudit } from '../../../node/guard/audit/search-audit.ts';
import { verifyAudit } from '../../../node/guard/audit/verify-audit.ts';
import { type RunAction, runAction, wordsOf } from '../../input/action-word.ts';
import { auditFolder, emptiedFolder } from '../../input/audit-folder.ts';
import type { RunCommand } from '../../io/command.ts';
import type { Given } from '../../io/given.ts';
import { printable } from '../../output/content.ts';
import { usageError } from '../../usage-error.ts';

/**
 * Records that `tenon audit search` lists.
 * @limit command line
 * @option --limit
 * @beyond it ends, and prints the number of the next record
 */
const defaultRecords = 1000;

const verify: RunAction = async (given, words) => {
  const [typed = ''] = wordsOf(words, 'FOLDER');
  // An emptied folder is a log that is not valid.
  const folder = await emptiedFolder(typed, given.io);
  const keys = await Promise.all(given.texts('key').map((path) => jsonFile(given, path, 'key')));
  const anchors = await Promise.all(given.texts('anchor').map((path) => jsonFile(given, path, 'anchor')));
  const result = await verifyAudit(folder, {
    ...(keys.length > 0 && { publicKey: keys.flat() as JsonWebKey[] }),
    ...(anchors.length > 0 && { anchor: anchors.flat() as AuditCheckpoint[] }),
  });
  if (!result.valid) return { result, text: printable(result.message, given.io), exit: 1 };
  const { records, signedRecords, redacted } = result;
  const unsigned = keys.length === 0 ? 'no signature was checked (pass --key)' : `${signedRecords} are signed`;
  const open = anchors.length === 0 ? '; whether records are missing at the end is not known (pass --anchor)' : '';
  return { result, text: `${records} records are whole; ${unsigned}, ${redacted} values were deleted${open}.` };
};

const search: RunAction = async (given, words) => {
  const [typed = ''] = wordsOf(words, 'FOLDER');
  const folder = await auditFolder(typed, given.io);
  const query = queryOf(given);
  const found = searchAudit(folder, query);
  const records: FoundRecord[] = [];
  for await (const record of found) records.push(record);
  const { nextFrom } = found;
  const lines = records.map((record) => printable(lineOf(record), given.io));
  if (nextFrom !== undefined)
    lines.push(
      `More than ${query.maxRecords} records match: go on with --from ${nextFrom}, or see more with --limit N.`,
    );
  return {
    result: { records, ...(nextFrom !== undefined && { nextFrom }) },
    text: lines.join('\n') || 'No records.',
  };
};

export const run: RunCommand = (given) => runAction(given, { verify, search });

async function jsonFile({ io: { cwd } }: Given, path: string, option: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(resolve(cwd, path), 'utf8'));
  } catch (error) {
    throw usageError(`--${option}: ${path} cannot be read: ${(error as Error).message}.`, 'Pass a file with JSON.');
  }
}

function queryOf(given: Given): AuditQuery {
  const [who, what, from] = [given.text('who'), given.text('what'), given.count('from')];
  const [since, until] = [dateOf(given, 'since'), dateOf(given, 'until')];
  const kinds = given.texts('kind') as AuditKind[];
  return {
    includePrivate: given.flag('private'),
    maxRecords: given.count('limit') ?? defaultRecords,
    ...(kinds.length > 0 && { kinds }),
    ...(who !== undefined && { who }),
    ...(what !== undefined && { what }),
    ...(from !== undefined && { from }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
}

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A date, or how long ago. */
function dateOf(given: Given, option: string): Date | undefined {
  const text = given.text(option);
  if (text === undefined) return undefined;
  const [, count, unit = 'd'] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const date = new Date(
    count === undefined ? text : given.io.now() - Number(count) * unitMs[unit as keyof typeof unitMs],
  );
  if (!Number.isNaN(date.getTime())) return date;
  throw usageError(
    `--${option} cannot be ${JSON.stringify(text)}.`,
    'Write a date as in ISO 8601, or 12h for twelve hours ago.',
  );
}

/** A record on one line, whole and without its hashes. */
function lineOf({ n, at, kind, who, what, decision, private: values }: FoundRecord): string {
  const details = Object.entries({ ...what, ...who, ...decision, ...values });
  const shown = details.map(([name, value]) => `${name}=${isPlain(value) ? value : JSON.stringify(value)}`);
  return [n, at, kind, ...shown].join(' ');
}

/** A text with spaces or line breaks could pass for another field or record. */
const isPlain = (value: unknown): value is string => typeof value === 'string' && /^[^\s\p{Cc}"]+$/u.test(value);
