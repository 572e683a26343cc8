/** The IDs of tasks. Those of one owner begin alike, so that a store on several machines can hold them together. */
import { toHex } from '../../lib/text/hex.ts';
import { shardOf } from './runs.ts';

/** A new ID with 128 random bits. */
export function newTaskId(owner: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return shardOf(owner) + toHex(bytes);
}
