/** A folder that only this user can read: its permissions are checked, and files are replaced as a whole. */
import type { FileHandle } from 'node:fs/promises';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { filesModule, fsModule, pathModule } from '../process/builtins.ts';

/**
 * Bytes of a stored call that waits, and of the other private files: a credential with its key, remembered tasks.
 * @limit command line
 * @beyond it cannot be read
 * @code store-failed
 */
const maxFileBytes = 2 * 1024 * 1024;

/** Windows has no such bits: there the folder of the user's profile is private. */
const checksPermissions = (): boolean => process.platform !== 'win32';

/** Creates the folder where it is missing. Throws `unsafe-permissions`. */
export async function openPrivateFolder(folder: string): Promise<void> {
  await explained(folder, () => filesModule().mkdir(folder, { recursive: true, mode: 0o700 }));
  const stats = await explained(folder, () => filesModule().stat(folder));
  if (!stats.isDirectory()) throw failed(folder, 'it is not a folder', 'Choose another folder.');
  checkPrivate(folder, stats, '700');
}

/** The text of a file; `undefined` if there is none. */
export async function readPrivateFile(path: string): Promise<string | undefined> {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fsModule().constants;
  return explained(path, async () => {
    const handle = await opened(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (handle === undefined) return undefined;
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) throw failed(path, 'it is not a file', 'Delete it.');
      checkPrivate(path, stats, '600');
      if (stats.size > maxFileBytes) throw failed(path, `it has more than ${maxFileBytes} bytes`, 'Delete it.');
      return await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  });
}

/** Replaces a file: after a crash it has its old text or the new one. */
export async function replacePrivateFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${crypto.randomUUID()}.draft`;
  await explained(path, async () => {
    try {
      await writeNew(draft, text);
      await filesModule().rename(draft, path);
    } catch (error) {
      await filesModule().rm(draft, { force: true });
      throw error;
    }
    await syncFolder(pathModule().dirname(path));
  });
}

/** The file must not exist. Its text is on the disk when this resolves. */
export async function writeNew(path: string, text: string): Promise<void> {
  const handle = await filesModule().open(path, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export async function deletePrivateFile(path: string): Promise<void> {
  const wasThere = await explained(path, () =>
    filesModule()
      .unlink(path)
      .then(() => true, isMissing),
  );
  // Without the file its folder may not be there either.
  if (wasThere) await syncFolder(pathModule().dirname(path));
}

function isMissing(error: NodeJS.ErrnoException): false {
  if (error.code === 'ENOENT') return false;
  throw error;
}

const leftoverAgeMs = 3_600_000;

/** What only a process that crashed leaves behind: a draft, or the claim on a lock. */
const leftover = /\.draft$|\.(?:lock|write)\../;

/** `prefix`: only of files whose names begin with it. */
export async function deleteLeftovers(folder: string, prefix = ''): Promise<void> {
  const names = await explained(folder, () => filesModule().readdir(folder));
  for (const name of names) {
    if (!name.startsWith(prefix) || !leftover.test(name)) continue;
    const path = pathModule().join(folder, name);
    const stats = await filesModule()
      .stat(path)
      .catch(() => undefined);
    if (stats !== undefined && Date.now() - stats.mtimeMs > leftoverAgeMs)
      await filesModule().rm(path, { force: true });
  }
}

async function opened(path: string, flags: number): Promise<FileHandle | undefined> {
  try {
    return await filesModule().open(path, flags);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A rename is on the disk only with its folder. Windows cannot open folders, and needs no sync of them. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  await explained(folder, async () => {
    const handle = await filesModule().open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  });
}

function checkPrivate(path: string, { mode, uid }: { mode: number; uid: number }, wanted: string): void {
  if (!checksPermissions()) return;
  const own = process.getuid?.();
  if (own !== undefined && uid !== own)
    throw unsafe(path, 'belongs to another user', 'Choose a folder of your own, or change its owner.');
  if ((mode & 0o077) !== 0)
    throw unsafe(path, 'is open to other users', `Run: chmod ${wanted} ${JSON.stringify(path)}`);
}

const unsafe = (path: string, problem: string, hint: string): TenonError =>
  new TenonError('unsafe-permissions', `Nothing is read or stored: ${path} ${problem}.`, {
    hint,
    details: { path },
  });

/** Never has anything of the text of a file in it. */
export const failed = (path: string, problem: string, hint: string): TenonError =>
  new TenonError('store-failed', `Nothing can be read or stored at ${path}: ${problem}.`, {
    hint,
    details: { path, problem },
  });

/** Errors of the file system name the path and the reason, and nothing that was written. */
async function explained<T>(path: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof TenonError) throw error;
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw failed(path, code, 'Check the permissions of the folder and the space on its disk.');
  }
}
