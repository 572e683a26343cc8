/** The files of a SQLite store that this process has open: what is written to one that was deleted is lost with the process. */
import { statSync } from 'node:fs';
import { TenonError } from '../../lib/errors/tenon-error.ts';

/** How often writes that need not be on disk look: three looks take about 15 µs, half as long as such a write. */
const lookMs = 100;

export class StoreFiles {
  readonly #path: string;
  /** The files as they were opened: while they are open, no other file gets their numbers. */
  readonly #opened = new Map<string, string>();
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(path: string) {
    this.#path = path;
  }

  /** Called when the store is open, and SQLite has made its other files. */
  remember(): void {
    for (const end of ['', '-wal', '-shm']) {
      const file = `${this.#path}${end}`;
      const found = identityOf(file);
      if (found !== undefined) this.#opened.set(file, found);
    }
  }

  /** Throws `store-failed` if a file was deleted or replaced. One that was moved away and back is the same. */
  check(): void {
    for (const [file, opened] of this.#opened) if (identityOf(file) !== opened) throw lost(file);
    this.#lookedAt = performance.now();
  }

  /** The same, from time to time. */
  checkSometimes(): void {
    if (performance.now() - this.#lookedAt >= lookMs) this.check();
  }
}

function identityOf(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}

const lost = (file: string): TenonError =>
  new TenonError('store-failed', `The file ${file} of the SQLite store was deleted or replaced while it was open.`, {
    hint: 'Nothing is written to it any more. Stop all processes that use the store, restore a backup if there is one, and start them again.',
    details: { file },
  });
