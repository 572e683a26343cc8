/** Reads the lines of a file in batches. Each character is one byte, so that what is checked is what is stored. */
import { filesModule } from '../../process/builtins.ts';
import { unavailable } from './unavailable.ts';

/**
 * Characters of a line that is read.
 * @limit audit
 * @beyond the line counts as cut off
 */
const maxLineBytes = 32 * 1024 * 1024;

const chunkBytes = 1024 * 1024;

export interface LineBatch {
  readonly lines: readonly string[];
  /** Where the first line begins in the file. */
  readonly offset: number;
  /** Only in the last batch: what has no end of line. */
  readonly torn: string;
}

/** A file that does not exist has no lines. A line that is too long ends the reading as a torn one. `maxBytes` are read. */
export async function* readLines(path: string, maxBytes = Number.POSITIVE_INFINITY): AsyncGenerator<LineBatch> {
  const handle = await filesModule()
    .open(path, 'r')
    .catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw unavailable(path, 'it cannot be opened', error);
    });
  if (handle === undefined) return;
  try {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    let rest = '';
    let offset = 0;
    let left = maxBytes;
    for (;;) {
      const { bytesRead } = await handle.read(chunk, 0, Math.min(chunkBytes, left), null).catch((error: unknown) => {
        throw unavailable(path, 'it cannot be read', error);
      });
      if (bytesRead === 0) break;
      left -= bytesRead;
      const lines = (rest + chunk.toString('latin1', 0, bytesRead)).split('\n');
      rest = lines.pop() ?? '';
      if (lines.length > 0) yield { lines, offset, torn: '' };
      for (const line of lines) offset += line.length + 1;
      if (rest.length > maxLineBytes) break;
    }
    if (rest !== '') yield { lines: [], offset, torn: rest };
  } finally {
    await handle.close();
  }
}
