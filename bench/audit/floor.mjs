/** What reading costs at least: every byte of the files through SHA-256. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

export async function digestOfFile(files) {
  for (const file of files) {
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 })) hash.update(chunk);
    hash.digest('hex');
  }
}
