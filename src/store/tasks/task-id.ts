/** The IDs of tasks. Those of one owner begin alike, so that a store on several machines can hold them together. */
import { toHex } from '../../lib/text/hex.ts';

/** How many parts a store may divide its tasks into. */
export const taskShards = 16;

/** The part that holds the tasks of an owner: one hexadecimal digit. */
export function taskShardOf(owner: string): string {
  // FNV-1a: spreads owners well enough, and every process computes the same.
  let hash = 0x811c9dc5;
  for (let i = 0; i < owner.length; i++) hash = Math.imul(hash ^ owner.charCodeAt(i), 0x01000193);
  return ((hash >>> 0) % taskShards).toString(16);
}

/** A new ID with 128 random bits. */
export function newTaskId(owner: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return taskShardOf(owner) + toHex(bytes);
}
