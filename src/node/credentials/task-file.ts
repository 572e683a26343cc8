/** Remembered tasks in one file that only this user can read, shared by all processes of the user. */
import type { RememberedTask, TaskMemory } from '../../client/api/tasks.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { wrong } from '../../lib/options/option-rules.ts';
import { isRecord } from '../../lib/values/is.ts';
import { createKeyLocks } from '../../store/parts/key-locks.ts';
import { filesModule, pathModule } from '../process/builtins.ts';
import { acquireFileLock } from './file-lock.ts';
import { deleteLeftovers, failed, readPrivateFile, replacePrivateFile } from './private-folder.ts';

/** The version of the format of the file. */
const version = 1;

/**
 * Remembered tasks in a file, also those that `tenon call --detach` has started.
 * @limit client
 * @beyond no further one is stored; the call fails
 * @code store-failed
 */
const maxTasks = 1000;

/**
 * Age of a remembered task.
 * @limit client
 * @beyond it is forgotten at the next write
 */
const maxAgeMs = 30 * 24 * 60 * 60_000;

/**
 * Characters of the ID of a remembered task, which comes from a server.
 * @limit client
 * @beyond it is not stored; the call fails
 * @code store-failed
 */
const maxIdChars = 1000;

/**
 * How long to wait for the lock of a file of tasks. A change reads and writes one small file.
 * @limit client
 * @beyond the call fails
 * @code store-busy
 */
const lockTimeoutMs = 10_000;

const texts = ['server', 'taskId', 'tool', 'digest', 'storedAt'] as const;

const isTask = (value: unknown): value is RememberedTask =>
  isRecord(value) &&
  texts.every((name) => typeof value[name] === 'string') &&
  (value.idempotencyKey === undefined || typeof value.idempotencyKey === 'string');

/**
 * Remembers tasks in a file, for the option `tasks.memory` of `connect`: a client that is restarted finds its tasks. The
 * file is for this user alone (0600), and after a crash it has its old text or the new one.
 *
 * @example
 * ```ts
 * const client = await connect('https://example.com/mcp', { tasks: { memory: taskFile('./tasks.json') } });
 * ```
 */
export const taskFile = (path: string): TaskMemory => tasksIn(path, maxTasks);

/** Tests use a small limit. */
export function tasksIn(path: string, maxEntries: number): TaskMemory {
  if (typeof path !== 'string' || path === '') throw wrong('taskFile()', 'path', 'be the path of a file');
  const file = pathModule().resolve(path);
  // Callers of this process wait in memory: only one of them at a time tries the lock file.
  const acquireInProcess = createKeyLocks();
  let prepared: Promise<void> | undefined;

  /** Reads, changes and replaces the file under its lock. */
  async function change(next: (tasks: readonly RememberedTask[]) => readonly RememberedTask[]): Promise<void> {
    prepared ??= prepare(file);
    await prepared.catch((error: unknown) => {
      prepared = undefined;
      throw error;
    });
    const leave = await acquireInProcess(file, lockTimeoutMs).catch(busy(file));
    try {
      const release = await acquireFileLock(`${file}.lock`, lockTimeoutMs).catch(busy(file));
      try {
        const tasks = await readTasks(file);
        const changed = next(tasks);
        if (changed !== tasks) await replacePrivateFile(file, `${JSON.stringify({ version, tasks: changed })}\n`);
      } finally {
        await release();
      }
    } finally {
      leave();
    }
  }

  return {
    read: () => readTasks(file),
    async add(task) {
      if (task.taskId.length > maxIdChars)
        throw failed(
          file,
          `the ID of the task has over ${maxIdChars} characters`,
          'Report it to the author of the server.',
        );
      await change((tasks) => {
        const oldest = new Date(Date.now() - maxAgeMs).toISOString();
        const others = tasks.filter((one) => !isSame(one, task) && one.storedAt >= oldest);
        if (others.length >= maxEntries)
          throw failed(file, `it has ${maxEntries} tasks`, 'Get their results or cancel them.');
        return [...others, task];
      });
    },
    async delete(task) {
      await change((tasks) =>
        tasks.some((one) => isSame(one, task)) ? tasks.filter((one) => !isSame(one, task)) : tasks,
      );
    },
  };
}

const isSame = (one: RememberedTask, other: Pick<RememberedTask, 'server' | 'taskId'>): boolean =>
  one.server === other.server && one.taskId === other.taskId;

async function prepare(file: string): Promise<void> {
  const { dirname, basename } = pathModule();
  try {
    await filesModule().mkdir(dirname(file), { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw failed(file, code, 'Check the permissions of its folder.');
  }
  await deleteLeftovers(dirname(file), `${basename(file)}.`);
}

async function readTasks(file: string): Promise<readonly RememberedTask[]> {
  const text = await readPrivateFile(file);
  if (text === undefined) return [];
  let stored: unknown;
  try {
    stored = JSON.parse(text);
  } catch {}
  if (isRecord(stored) && typeof stored.version === 'number' && stored.version > version)
    throw new TenonError('store-too-new', `A newer version of Tenon has written ${file}.`, { details: { path: file } });
  if (isRecord(stored) && Array.isArray(stored.tasks) && stored.tasks.every(isTask)) return stored.tasks;
  throw failed(
    file,
    'it is damaged, or not a file of tasks',
    'Repair or delete it. Deleting it forgets the IDs of tasks, which go on at their servers.',
  );
}

const busy =
  (file: string) =>
  (error: unknown): never => {
    if (!(error instanceof TenonError) || error.code !== 'timeout') throw error;
    throw new TenonError('store-busy', `Another process holds ${file} for over ${lockTimeoutMs} ms.`, {
      hint: 'Try again.',
      details: { path: file },
      cause: error.cause,
    });
  };
