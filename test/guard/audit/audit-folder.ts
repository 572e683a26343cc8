/** Folders and machines for tests of the audit log. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AuditCheckpoint,
  type AuditFolder,
  type AuditFolderOptions,
  type AuditQuery,
  type AuditRecord,
  createAuditKey,
  type FoundRecord,
  searchAudit,
} from 'tenon/guard';
import { onTestFinished } from 'vitest';
import type { ChainMachine } from '../../../src/guard/audit/chain.ts';
import { createFakeClock, type FakeClock } from '../../../src/lib/time/fake-clock.ts';
import { openFileAudit } from '../../../src/node/guard/audit/audit-folder.ts';
import { newSalt, sha256 } from '../../../src/node/guard/audit/digest.ts';

export const key = await createAuditKey();

/** A folder of its own for each test. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-audit-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export interface FakeMachine extends ChainMachine {
  readonly clock: FakeClock;
}

/** Its time stands still, and starts at 2027-01-01. */
export function createFakeMachine(): FakeMachine {
  const clock = createFakeClock();
  return {
    digest: sha256,
    salt: newSalt,
    clock,
    date: () => new Date(Date.UTC(2027, 0, 1) + clock.now()).toISOString(),
    schedule: (run) => void setImmediate(run),
  };
}

/** A log whose checkpoints are in `anchored`. */
export interface TestAudit {
  readonly audit: AuditFolder;
  readonly anchored: AuditCheckpoint[];
  readonly machine: FakeMachine;
}

export function openAudit(folder: string, options: AuditFolderOptions = {}, machine = createFakeMachine()): TestAudit {
  const anchored: AuditCheckpoint[] = [];
  const anchor = (checkpoint: AuditCheckpoint): void => void anchored.push(checkpoint);
  const audit = openFileAudit(folder, { key: key.privateKey, anchor, ...options }, machine);
  return { audit, anchored, machine };
}

/** The names of the chain's files, in order. */
export async function chainFiles(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => /^audit-\d+\.jsonl$/.test(name)).sort();
}

export async function recordsIn(folder: string): Promise<AuditRecord[]> {
  const texts = await Promise.all((await chainFiles(folder)).map((name) => readFile(join(folder, name), 'latin1')));
  return texts.flatMap((text) =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as AuditRecord),
  );
}

/** The kinds of all records, with spaces between them. */
export const kindsIn = async (folder: string): Promise<string> =>
  (await recordsIn(folder)).map(({ kind }) => kind).join(' ');

/** All records that a search finds. */
export async function searched(folder: string, query: AuditQuery): Promise<FoundRecord[]> {
  const records: FoundRecord[] = [];
  for await (const record of searchAudit(folder, query)) records.push(record);
  return records;
}
