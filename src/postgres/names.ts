/** Names as indexes of PostgreSQL can hold them: a long one becomes its hash. */
import { createHash } from 'node:crypto';
import { toJson } from './json-texts.ts';

/** An entry of an index has at most 2,704 bytes: two names, and one of a queue or a log, whose characters may take 5 bytes. */
const maxBytes = 600;
const maxBytesOfChar = 5;
const mark = '#sha256:';

/** The name that is stored. One that looks like a hash is hashed as well, so that no name is that of another. */
export function indexed(name: string): string {
  if (!isLong(name) && !name.startsWith(mark)) return name;
  // UTF-8 has no halves of surrogate pairs.
  return mark + createHash('sha256').update(name, 'utf16le').digest('hex');
}

const isLong = (name: string): boolean =>
  name.length > maxBytes / maxBytesOfChar && Buffer.byteLength(toJson(name)) > maxBytes;

/** The whole name, where another one is stored. */
export const hiddenName = (name: string): string | undefined => (indexed(name) === name ? undefined : name);
