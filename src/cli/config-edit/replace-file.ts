/** Replaces a file atomically, and stores a copy of the old one. */
import { copyFile, mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { TenonError } from '../../lib/errors/tenon-error.ts';

/**
 * Bytes of a configuration file that `config` changes.
 * @limit command line
 * @beyond nothing is written
 * @code invalid-argument
 */
const maxBytes = 16 * 1024 * 1024;

/** The text of a file; empty if it does not exist. */
export async function textOf(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > maxBytes)
      throw new TenonError('invalid-argument', `${path} has ${size} bytes.`, {
        hint: `A configuration file has at most ${maxBytes}. Change it with an editor.`,
      });
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** Fails if the file is no longer what was read. Returns the path of the copy; undefined if the file did not exist. */
export async function replaceFile(path: string, before: string, after: string): Promise<string | undefined> {
  if ((await textOf(path)) !== before)
    throw new TenonError('invalid-argument', `${path} was changed by another program meanwhile.`, {
      hint: 'Nothing was written. Run the command again.',
    });
  // A symbolic link to the file stays.
  const real = await realpath(path).catch(() => path);
  const mode = await stat(real).then(
    (found) => found.mode & 0o777,
    () => undefined,
  );
  await mkdir(dirname(real), { recursive: true });
  const backup = mode === undefined ? undefined : `${real}.bak`;
  if (backup !== undefined) await copyFile(real, backup);
  const fresh = `${real}.${process.pid}.tmp`;
  try {
    // It may contain API keys.
    const file = await open(fresh, 'wx', mode ?? 0o600);
    try {
      await file.writeFile(after);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(fresh, real);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
  return backup;
}
