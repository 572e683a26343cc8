/** Opens a file below a root, and checks where it is after it is open: a link swapped in meanwhile changes nothing. */
import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { fileNotFound, fileTooLarge, pathNotAllowed } from './path-errors.ts';

/** A file that is open for reading and was found inside the root. */
export interface OpenedFile {
  /** The open file. */
  readonly handle: FileHandle;
  /** The place of the file after all links: from the root, with `/` between names, in the spelling of the file system. */
  readonly path: string;
  /** Bytes of the file when it was opened. */
  readonly size: number;
  /** When the file was last changed. */
  readonly modifiedAt: Date;
  /** The whole file, at most `maxFileBytes` of the root. Throws `file-too-large`. */
  read(): Promise<Uint8Array>;
  /** Closes the file. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface OpenRules {
  /** The real path of the root. */
  readonly root: string;
  readonly hidden: boolean;
  readonly maxFileBytes: number;
}

/** Without a writer a FIFO would block the opening forever. Windows has neither flag. */
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** `path` is the path of the caller, for errors; `names` are its parts. */
export async function openInside(path: string, names: readonly string[], rules: OpenRules): Promise<OpenedFile> {
  const found = await realpath(join(rules.root, ...names)).catch(() => undefined);
  if (found === undefined) throw fileNotFound(path);
  checkPlace(path, found, rules);
  // Opening a device can already have an effect, so only regular files are opened.
  if (!(await lstat(found).catch(() => undefined))?.isFile()) throw notAFile(path);
  const handle = await open(found, flags).catch((error: unknown) => {
    throw openingError(path, error);
  });
  try {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile()) throw notAFile(path);
    const place = await placeOf(handle, stats, found);
    if (place === undefined) throw fileNotFound(path);
    return openedFile(path, handle, stats, checkPlace(path, place, rules), rules);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The path of `place` from the root. Throws if it is outside the root, or hidden. */
function checkPlace(path: string, place: string, { root, hidden }: OpenRules): string {
  const names = relative(root, place).split(sep);
  if (names[0] === '..' || isAbsolute(names.join(sep)))
    throw pathNotAllowed(path, 'leads out of the root', 'Give the path of a file in the root.');
  if (!hidden && names.some((name) => name.startsWith('.')))
    throw pathNotAllowed(path, 'leads to a hidden file', 'Set hidden: true of createPathRoot() to allow it.');
  return names.join('/');
}

/** The current path of an open file; `undefined` if it was deleted or replaced. */
async function placeOf(
  handle: FileHandle,
  { dev, ino, nlink }: BigIntStats,
  found: string,
): Promise<string | undefined> {
  if (nlink === 0n) return undefined;
  // Linux knows the path of an open file. Elsewhere the path must lead to the same file as before.
  const place = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => realpath(found).catch(() => undefined));
  const there = place === undefined ? undefined : await stat(place, { bigint: true }).catch(() => undefined);
  return there?.dev === dev && there.ino === ino ? place : undefined;
}

function openedFile(
  requested: string,
  handle: FileHandle,
  { size, mtime }: BigIntStats,
  path: string,
  { maxFileBytes }: OpenRules,
): OpenedFile {
  const close = (): Promise<void> => handle.close();
  return {
    handle,
    path,
    size: Number(size),
    modifiedAt: mtime,
    read: () => readBounded(requested, handle, Number(size), maxFileBytes),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A file may grow while it is read, so the bytes that were read count. */
async function readBounded(path: string, handle: FileHandle, size: number, maxBytes: number): Promise<Uint8Array> {
  if (size > maxBytes) throw fileTooLarge(path, size, maxBytes);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(Math.max(size - length + 1, 4096)), 0, null, length);
    if (bytesRead === 0) return Buffer.concat(chunks, length);
    chunks.push(buffer.subarray(0, bytesRead));
    length += bytesRead;
    if (length > maxBytes) throw fileTooLarge(path, length, maxBytes);
  }
}

const notAFile = (path: string): Error =>
  pathNotAllowed(path, 'is not a regular file', 'Give the path of a file, not of a folder or device.');

/** The error of the system names the whole path, so it is not passed on. */
function openingError(path: string, error: unknown): Error {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM')
    return pathNotAllowed(path, 'may not be read by this process', 'Give the process the right to read the file.');
  if (code === 'ELOOP' || code === 'ENXIO') return notAFile(path);
  return code === 'ENOENT' || code === 'ENOTDIR' ? fileNotFound(path) : unreadable(path, code);
}

const unreadable = (path: string, code: string | undefined): Error =>
  pathNotAllowed(path, `cannot be opened (${code ?? 'unknown error'})`, 'Try again, or look at the file system.');
