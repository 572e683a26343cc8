/** Appends to the files of a segment: all of a group, or nothing of it. */
import type { AuditStorage } from '../../../guard/audit/storage.ts';
import { fsModule } from '../../process/builtins.ts';
import { type SegmentFiles, segmentFiles } from './segments.ts';
import { unavailable } from './unavailable.ts';

/** A file that only this process appends to. */
interface AppendFile {
  readonly path: string;
  readonly fd: number;
  readonly inode: number;
  size: number;
}

export interface FileStorageOptions {
  readonly folder: string;
  readonly maxSegmentBytes: number;
  readonly durability: 'os' | 'sync';
}

export class FileStorage implements AuditStorage {
  readonly #options: FileStorageOptions;
  readonly #firsts: number[];
  readonly sync: (() => Promise<void>) | undefined;
  #records: AppendFile;
  #privates: AppendFile;
  /** Files of earlier segments that a sync may still use. */
  #retired: AppendFile[] = [];
  /** Why nothing can be appended any more. */
  #broken: unknown;

  /** Continues the last of the segments, or creates the first one. */
  constructor(options: FileStorageOptions, segments: readonly SegmentFiles[]) {
    this.#options = options;
    const { folder, durability } = options;
    const last = segments.at(-1) ?? segmentFiles(folder, 0);
    this.#firsts = segments.length === 0 ? [0] : segments.map(({ first }) => first);
    [this.#records, this.#privates] = this.#open(last);
    this.sync = durability === 'sync' ? () => this.#sync() : undefined;
  }

  get isEmpty(): boolean {
    return this.#records.size === 0;
  }

  get isFull(): boolean {
    return this.#records.size >= this.#options.maxSegmentBytes;
  }

  get segments(): readonly number[] {
    return this.#firsts;
  }

  append(text: string, privateText: string): void {
    const { folder } = this.#options;
    if (this.#broken !== undefined) throw unavailable(folder, 'it failed before; restart the process', this.#broken);
    const { size } = this.#records;
    const { size: privateSize } = this.#privates;
    checkUnchanged(this.#records);
    try {
      if (privateText !== '') writeAll(this.#privates, privateText);
      writeAll(this.#records, text);
    } catch (error) {
      this.#restore(this.#records, size);
      this.#restore(this.#privates, privateSize);
      throw unavailable(folder, 'a record cannot be written', error);
    }
  }

  startSegment(firstRecord: number): void {
    const { folder } = this.#options;
    try {
      const opened = this.#open(segmentFiles(folder, firstRecord));
      this.#retired.push(this.#records, this.#privates);
      [this.#records, this.#privates] = opened;
      if (this.sync === undefined) closeAll(this.#retired.splice(0));
    } catch (error) {
      throw unavailable(folder, 'a segment cannot be created', error);
    }
    this.#firsts.push(firstRecord);
  }

  dropBefore(firstRecord: number): void {
    while ((this.#firsts[0] ?? firstRecord) < firstRecord) {
      const { path, privatePath } = segmentFiles(this.#options.folder, this.#firsts[0] as number);
      try {
        // After a crash in between, the values are deleted at the next start.
        for (const file of [path, privatePath]) fsModule().rmSync(file, { force: true });
      } catch (error) {
        throw unavailable(path, 'an old segment cannot be deleted', error);
      }
      this.#firsts.shift();
    }
  }

  close(): void {
    closeAll([...this.#retired, this.#records, this.#privates]);
  }

  #open({ path, privatePath }: SegmentFiles): [AppendFile, AppendFile] {
    const privates = openFile(privatePath);
    try {
      const records = openFile(path);
      if (this.#options.durability === 'sync') syncFolder(this.#options.folder);
      return [records, privates];
    } catch (error) {
      fsModule().closeSync(privates.fd);
      throw error;
    }
  }

  async #sync(): Promise<void> {
    const retired = this.#retired.splice(0);
    try {
      await Promise.all([this.#privates, this.#records, ...retired].map(({ fd }) => synced(fd)));
      closeAll(retired);
    } catch (error) {
      // After a failed sync the system may have dropped what was written: a later success would prove nothing.
      this.#broken = error;
      throw unavailable(this.#options.folder, 'records cannot be synced to the disk', error);
    }
  }

  /** Part of a group may have been written. */
  #restore(file: AppendFile, size: number): void {
    try {
      fsModule().ftruncateSync(file.fd, size);
      file.size = size;
    } catch (error) {
      this.#broken = error;
    }
  }
}

function closeAll(files: readonly AppendFile[]): void {
  for (const { fd } of files) fsModule().closeSync(fd);
}

function openFile(path: string): AppendFile {
  const fd = fsModule().openSync(path, 'a', 0o600);
  const { ino: inode, size } = fsModule().fstatSync(fd);
  return { path, fd, inode, size };
}

/** Otherwise records would go into a file that was deleted, or after those of another process. */
function checkUnchanged({ path, inode, size }: AppendFile): void {
  const found = fsModule().statSync(path, { throwIfNoEntry: false });
  if (found?.ino === inode && found.size === size) return;
  const change = found === undefined ? 'deleted' : found.ino === inode ? 'changed' : 'replaced';
  throw unavailable(path, `another program ${change} the file; restart this process`);
}

/** The text is ASCII, a byte for a character. Node writes it faster than a buffer that is made for it. */
function writeAll(file: AppendFile, text: string): void {
  for (let written = 0; written < text.length; )
    written += fsModule().writeSync(file.fd, written === 0 ? text : text.slice(written), null, 'latin1');
  file.size += text.length;
}

const synced = (fd: number): Promise<void> =>
  new Promise((resolve, reject) => {
    fsModule().fdatasync(fd, (error) => (error === null ? resolve() : reject(error)));
  });

/** A new file is on the disk only with its folder. Windows cannot open folders, and needs no sync of them. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const fd = fsModule().openSync(folder, 'r');
  try {
    fsModule().fsyncSync(fd);
  } finally {
    fsModule().closeSync(fd);
  }
}
