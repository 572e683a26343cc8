/** A lock between processes, as a file. The lock of a process that crashed is taken over by exactly one other. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { lockTimeout } from '../../store/parts/key-locks.ts';
import { filesModule } from '../process/builtins.ts';
import { hasCrashed, heartbeatMs, type LockOwner, newOwner, readOwner } from './lock-owner.ts';
import { failed } from './private-folder.ts';

/** Waits for the lock at `path`, at most `timeoutMs`. The result releases it; a second call has no effect. */
export async function acquireFileLock(
  path: string,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<() => Promise<void>> {
  const until = performance.now() + timeoutMs;
  for (let delay = 2; ; delay = Math.min(100, delay * 1.5)) {
    signal?.throwIfAborted();
    const owner = await tryLock(path).catch((error: unknown) => {
      throw error instanceof TenonError ? error : unusable(path, error);
    });
    if (owner !== undefined) return holding(path, owner);
    if (performance.now() >= until) throw lockTimeout(timeoutMs, await holderOf(path));
    // Different delays: processes that wait together would all try again together.
    await pause(delay * (0.5 + Math.random()), signal);
  }
}

/** A heartbeat while the lock is held. */
function holding(path: string, owner: LockOwner): () => Promise<void> {
  const beat = setInterval(() => {
    const now = new Date();
    filesModule()
      .utimes(path, now, now)
      .catch(() => {});
  }, heartbeatMs);
  // A program that ends without releasing it leaves a lock that others take over.
  beat.unref();
  let released: Promise<void> | undefined;
  return () => {
    clearInterval(beat);
    released ??= removeOwn(path, owner);
    return released;
  };
}

/** The new owner, or nothing while another process holds the lock. */
async function tryLock(path: string): Promise<LockOwner | undefined> {
  const owner = newOwner();
  if (await create(path, owner)) return owner;
  const found = await look(path);
  return found?.crashed ? takeOver(path, found.token, owner) : undefined;
}

/**
 * Several processes may find the same crashed owner. A lock on its token decides which of them replaces the file: that
 * lock is taken in the same way, so that a crash in here is taken over as well. The file exists all the time, therefore
 * no other process can create it in between.
 */
async function takeOver(path: string, crashedToken: string, owner: LockOwner): Promise<LockOwner | undefined> {
  const claim = `${path}.${crashedToken}`;
  const claimed = await tryLock(claim);
  if (claimed === undefined) return undefined;
  try {
    // It may have been replaced before this process had the claim.
    const found = await look(path);
    if (found?.token !== crashedToken || !found.crashed) return undefined;
    const draft = `${path}.${owner.token}.draft`;
    await filesModule().writeFile(draft, JSON.stringify(owner), { flag: 'wx', mode: 0o600 });
    await filesModule().rename(draft, path);
    return owner;
  } finally {
    await removeOwn(claim, claimed);
  }
}

/** False if the file exists. */
async function create(path: string, owner: LockOwner): Promise<boolean> {
  const handle = await filesModule()
    .open(path, 'wx', 0o600)
    .catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return undefined;
      throw error;
    });
  if (handle === undefined) return false;
  try {
    await handle.writeFile(JSON.stringify(owner));
  } catch (error) {
    // An empty file would look like a lock that is being taken.
    await filesModule().rm(path, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  // A process that was suspended between creating the file and writing it may have lost it.
  return (await look(path))?.token === owner.token;
}

interface Found {
  readonly owner: LockOwner | undefined;
  readonly token: string;
  readonly crashed: boolean;
}

/** Owner and age are of one file, also if the lock changes hands meanwhile. */
async function look(path: string): Promise<Found | undefined> {
  const handle = await filesModule()
    .open(path, 'r')
    .catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
  if (handle === undefined) return undefined;
  try {
    const { ino, mtimeMs } = await handle.stat();
    const owner = readOwner(await handle.readFile('utf8'));
    return { owner, token: owner?.token ?? `empty-${ino}`, crashed: hasCrashed(owner, Date.now() - mtimeMs) };
  } finally {
    await handle.close();
  }
}

async function removeOwn(path: string, { token }: LockOwner): Promise<void> {
  try {
    if ((await look(path))?.token === token) await filesModule().rm(path, { force: true });
  } catch (error) {
    throw unusable(path, error);
  }
}

/** For the error of a wait that was too long. */
async function holderOf(path: string): Promise<Error | undefined> {
  const pid = (await look(path).catch(() => undefined))?.owner?.pid;
  return pid === undefined ? undefined : new Error(`Process ${pid} holds ${path}.`);
}

const unusable = (path: string, error: unknown): TenonError =>
  failed(
    path,
    (error as NodeJS.ErrnoException).code ?? 'unknown error',
    'Check the permissions of the folder and the space on its disk.',
  );

/** The timer keeps the process alive: a caller waits for the lock. */
function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
