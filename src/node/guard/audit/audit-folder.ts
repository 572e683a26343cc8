/** An audit log in files. One process at a time has the folder: one chain, one writer. */
import type { AuditLog } from '../../../guard/audit/audit-log.ts';
import { AuditChain, type ChainMachine } from '../../../guard/audit/chain.ts';
import { createCheckpointSigner } from '../../../guard/audit/checkpoint.ts';
import type { AuditEvent } from '../../../guard/audit/record.ts';
import type { RedactionQuery } from '../../../guard/audit/search.ts';
import { TenonError } from '../../../lib/errors/tenon-error.ts';
import { systemClock } from '../../../lib/time/deadlines.ts';
import { acquireFileLock } from '../../credentials/file-lock.ts';
import { filesModule, pathModule } from '../../process/builtins.ts';
import { newSalt, sha256OfAscii } from './digest.ts';
import { FileStorage } from './file-storage.ts';
import type { AuditFolderOptions } from './options.ts';
import { recoverChain } from './recovery.ts';
import { redactFiles } from './redaction.ts';
import { lockPath } from './segments.ts';
import { type AuditSettings, readAuditOptions } from './settings.ts';
import { unavailable } from './unavailable.ts';

/** An audit log in a folder. */
export interface AuditFolder extends AuditLog {
  /** Opens the folder. The first event does so, too; call it to fail at the start of your program. */
  open(): Promise<void>;
  /**
   * Deletes the private values of the records that match. The chain stays valid, and has a record of the deletion.
   * Resolves to the number of deleted values.
   */
  redact(query: RedactionQuery): Promise<number>;
}

/** A chain that is open, with its files. */
interface OpenChain {
  readonly chain: AuditChain;
  close(): Promise<void>;
}

/**
 * Records security events in files of a folder: hash-chained, and with a `key` signed every 1,000 records or 10 seconds.
 * Each process needs a folder of its own.
 *
 * @example
 * ```ts
 * const { privateKey } = await createAuditKey();
 * const audit = auditFolder('./audit', { key: privateKey, anchor: (checkpoint) => console.log(checkpoint) });
 * ```
 */
export function auditFolder(folder: string, options: AuditFolderOptions = {}): AuditFolder {
  return openFileAudit(folder, options, systemMachine);
}

/** Tests pass a machine of their own. */
export function openFileAudit(folder: string, options: AuditFolderOptions, machine: ChainMachine): AuditFolder {
  if (typeof folder !== 'string' || folder === '')
    throw new TenonError('invalid-argument', 'auditFolder(): the folder is missing.', { hint: 'Pass its path.' });
  const resolved = readAuditOptions(options);
  const path = pathModule().resolve(folder);
  let opening: Promise<OpenChain> | undefined;
  let opened: AuditChain | undefined;
  let waiting = 0;
  let closing: Promise<void> | undefined;

  function open(): Promise<OpenChain> {
    if (closing !== undefined && opening === undefined) return Promise.reject(unavailable(path, 'it is closed'));
    opening ??= openOnce();
    return opening;
  }

  async function openOnce(): Promise<OpenChain> {
    try {
      const open = await openChain(path, resolved, machine);
      opened = open.chain;
      return open;
    } catch (error) {
      // The next event tries again.
      opening = undefined;
      throw error;
    }
  }

  /** Events before the folder is open. */
  async function whenOpen(run: (chain: AuditChain) => Promise<void>): Promise<void> {
    if (waiting >= resolved.limits.maxQueuedRecords) throw unavailable(path, 'too many events wait for it to open');
    waiting++;
    try {
      return await run((await open()).chain);
    } finally {
      waiting--;
    }
  }

  return {
    open: async () => void (await open()),
    begin: (event: AuditEvent) => opened?.begin(event) ?? whenOpen((chain) => chain.begin(event)),
    append: (event: AuditEvent) => opened?.append(event) ?? whenOpen((chain) => chain.append(event)),
    countRefusal(address, reason) {
      if (opened !== undefined) return opened.countRefusal(address, reason);
      whenOpen(async (chain) => chain.countRefusal(address, reason)).catch((error: TenonError) =>
        resolved.onWarning(error),
      );
    },
    async redact(query) {
      const { chain } = await open();
      return redactFiles(path, query, (what) => chain.note('redaction', what));
    },
    close() {
      closing ??= Promise.resolve(opening).then((open) => open?.close());
      return closing;
    },
  };
}

async function openChain(
  folder: string,
  { key, limits, durability, ...options }: AuditSettings,
  machine: ChainMachine,
): Promise<OpenChain> {
  await createFolder(folder);
  const release = await acquireFileLock(lockPath(folder), options.timeouts.lockMs).catch((error: unknown) => {
    const isHeld = error instanceof TenonError && error.code === 'timeout';
    const problem = isHeld ? 'another process has it; each process needs a folder of its own' : 'it cannot be locked';
    throw unavailable(folder, problem, error);
  });
  let storage: FileStorage | undefined;
  const close = async (): Promise<void> => {
    storage?.close();
    await release();
  };
  try {
    const { head, segments, repair } = await recoverChain(folder);
    storage = new FileStorage({ folder, durability, maxSegmentBytes: limits.maxSegmentBytes }, segments);
    const sign = key && createCheckpointSigner(key);
    const chain = new AuditChain(storage, head, { ...options, limits, sign }, machine);
    const opened = chain.note('open', { format: 1, process: process.pid, durability });
    await Promise.all([opened, repair && chain.note('repair', repair)]);
    return { chain, close: () => chain.close().finally(close) };
  } catch (error) {
    await close();
    throw error instanceof TenonError ? error : unavailable(folder, 'it cannot be opened', error);
  }
}

async function createFolder(folder: string): Promise<void> {
  const { mkdir, access, constants } = filesModule();
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.W_OK);
  } catch (error) {
    throw unavailable(folder, 'its folder cannot be created or written', error);
  }
}

let lastTime = 0;
let lastDate = '';

const systemMachine: ChainMachine = {
  digest: sha256OfAscii,
  salt: newSalt,
  clock: systemClock,
  date() {
    // Many records have the same millisecond.
    const now = Date.now();
    if (now !== lastTime) {
      lastTime = now;
      lastDate = new Date(now).toISOString();
    }
    return lastDate;
  },
  schedule: (run) => void setImmediate(run),
};
