/** Credentials in files that only this user can read, shared by all processes of the user. */
import { readOptions } from '../../lib/options/read-options.ts';
import type { CredentialStore, StoredCredential } from '../../store/credential-store.ts';
import { createKeyLocks } from '../../store/parts/key-locks.ts';
import { credentialText } from '../../store/parts/memory-credentials.ts';
import { cryptoModule, filesModule, osModule, pathModule, pathsOf } from '../process/builtins.ts';
import { acquireFileLock } from './file-lock.ts';
import { credentialsFolderOptions } from './folder-options.table.ts';
import type { CredentialsFolderOptions } from './folder-options.ts';
import {
  deleteLeftovers,
  deletePrivateFile,
  failed,
  openPrivateFolder,
  readPrivateFile,
  replacePrivateFile,
} from './private-folder.ts';

const otherFolderNames = { path: 'folder', directory: 'folder' };

/** What a file has. */
interface Entry extends StoredCredential {
  readonly key: string;
}

/** A swap reads and writes one small file. */
const swapTimeoutMs = 60_000;

const ending = '.json';

/**
 * Stores credentials in files: one for each key, in a folder that only this user can read (0700, files 0600). Processes
 * that share the folder share their tokens; a crash loses nothing that was stored. Wider permissions are refused.
 *
 * @example
 * ```ts
 * const credentials = credentialsFolder({ folder: './credentials' });
 * ```
 */
export function credentialsFolder(options: CredentialsFolderOptions = {}): CredentialStore {
  const settings = readOptions('credentialsFolder()', credentialsFolderOptions, options, otherFolderNames);
  const { maxEntries, lockTimeoutMs } = settings;
  const folder = pathModule().resolve(settings.folder ?? defaultFolder('credentials'));
  // Callers of this process wait in memory: only one of them at a time tries the file.
  const acquireInProcess = createKeyLocks();
  let swept = false;

  /** The path of a key's files, without an ending. Keys have URLs in them. */
  async function pathOf(key: string): Promise<string> {
    await openPrivateFolder(folder);
    if (!swept) await deleteLeftovers(folder);
    swept = true;
    return pathModule().join(folder, cryptoModule().createHash('sha256').update(key).digest('hex').slice(0, 40));
  }

  async function hold(path: string, timeoutMs: number, signal?: AbortSignal): Promise<() => Promise<void>> {
    const leave = await acquireInProcess(path, timeoutMs, signal);
    try {
      const release = await acquireFileLock(path, timeoutMs, signal);
      return () => release().finally(leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  async function requireRoom(): Promise<void> {
    const names = await filesModule().readdir(folder);
    if (names.filter((name) => name.endsWith(ending)).length < maxEntries) return;
    throw failed(folder, `it has ${maxEntries} credentials`, 'Delete those that are not used, or raise maxEntries.');
  }

  return {
    async read(key) {
      const entry = await readEntry(`${await pathOf(key)}${ending}`, key);
      return entry && { value: entry.value, version: entry.version };
    },
    async swap(key, version, value) {
      const text = credentialText(value);
      const path = await pathOf(key);
      const release = await hold(`${path}.write`, swapTimeoutMs);
      try {
        const stored = await readEntry(`${path}${ending}`, key);
        if (stored?.version !== version) return false;
        if (stored === undefined && text !== undefined) await requireRoom();
        if (text === undefined) await deletePrivateFile(`${path}${ending}`);
        else await replacePrivateFile(`${path}${ending}`, entryText(key, text));
        return true;
      } finally {
        await release();
      }
    },
    async lock(key, signal) {
      signal?.throwIfAborted();
      return hold(`${await pathOf(key)}.lock`, lockTimeoutMs, signal);
    },
  };
}

const entryText = (key: string, value: string): string =>
  `{"key":${JSON.stringify(key)},"version":"${crypto.randomUUID()}","value":${value}}\n`;

/** Nothing of the text is in the error: `JSON.parse` would quote it. */
async function readEntry(path: string, key: string): Promise<Entry | undefined> {
  const text = await readPrivateFile(path);
  if (text === undefined) return undefined;
  let entry: Partial<Entry> | undefined;
  try {
    entry = JSON.parse(text) as Partial<Entry>;
  } catch {}
  if (typeof entry?.version !== 'string' || entry.key !== key)
    throw failed(path, 'it was changed by another program', 'Delete it, and sign in again.');
  return entry as Entry;
}

/** A folder of Tenon in the configuration folder of the user. */
export function defaultFolder(
  name: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform = process.platform,
): string {
  const { join } = pathsOf(platform);
  const { LOCALAPPDATA, XDG_CONFIG_HOME, HOME } = env;
  const home = HOME || osModule().homedir();
  const settings =
    platform === 'win32' ? LOCALAPPDATA || join(home, 'AppData', 'Local') : XDG_CONFIG_HOME || join(home, '.config');
  return join(settings, 'tenon', name);
}
