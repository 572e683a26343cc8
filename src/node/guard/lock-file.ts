/** A lock in a file such as `mcp.lock`, which belongs into version control. */
import { maxLockChars } from '../../guard/lock/document.ts';
import { lockIn } from '../../guard/lock/lock.ts';
import { lockOptions } from '../../guard/lock/options.table.ts';
import type { LockOptions } from '../../guard/lock/options.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { readOptions } from '../../lib/options/read-options.ts';
import type { Lock } from '../../ports/lock.ts';
import { acquireFileLock } from '../credentials/file-lock.ts';
import { filesModule, pathModule } from '../process/builtins.ts';

/**
 * How long an approval waits for another process that changes the lock file.
 * @limit host
 * @beyond the approval fails
 * @code timeout
 */
const waitMs = 60_000;

/**
 * A lock in a file. It is read whenever a server is compared, so that an approval of another process has effect at once,
 * and replaced as a whole: after a crash it has its old text or the new one.
 *
 * @example
 * ```ts
 * const host = createHost({ servers, lock: lockFile('mcp.lock', { mode: 'check' }), consent });
 * ```
 */
export function lockFile(path: string, options?: LockOptions): Lock {
  if (typeof path !== 'string' || path === '')
    throw new TenonError('invalid-argument', 'lockFile(): the path is missing.', { hint: "Pass it: 'mcp.lock'." });
  const settings = readOptions('lockFile()', lockOptions, options);
  const file = pathModule().resolve(path);
  return lockIn({ read: () => readText(file), update: (change) => replaceText(file, change) }, settings);
}

async function readText(file: string): Promise<string | undefined> {
  try {
    const { size } = await filesModule().stat(file);
    // A character takes up to 3 bytes for each of its code units.
    if (size > 3 * maxLockChars) throw new TenonError('invalid-lock', `${file} has ${size} bytes: it is no lock.`);
    return await filesModule().readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw explained(file, error);
  }
}

async function replaceText(file: string, change: (text: string | undefined) => Promise<string>): Promise<void> {
  const release = await acquireFileLock(`${file}.write`, waitMs).catch((error) => {
    throw explained(file, error);
  });
  const draft = `${file}.${crypto.randomUUID()}.draft`;
  try {
    await writeNew(draft, await change(await readText(file)));
    await filesModule().rename(draft, file);
  } catch (error) {
    await filesModule().rm(draft, { force: true });
    throw explained(file, error);
  } finally {
    await release();
  }
}

/** The text is on the disk when this resolves. */
async function writeNew(path: string, text: string): Promise<void> {
  const handle = await filesModule().open(path, 'wx', 0o644);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function explained(file: string, error: unknown): TenonError {
  // The file that keeps others from writing is made by the code of the credentials, which names those.
  const isStorage = error instanceof TenonError && error.code === 'store-failed';
  if (error instanceof TenonError && !isStorage) return error;
  const code = isStorage ? error.details.problem : (error as NodeJS.ErrnoException).code;
  return new TenonError('store-failed', `The lock cannot be read or written at ${file}: ${code ?? 'unknown error'}.`, {
    hint: 'Check the permissions of the folder and the space on its disk.',
    details: { path: file },
  });
}
