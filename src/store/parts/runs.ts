/** What parts of a store need of a run. */
import type { Log, OpResult, Row } from '../driver.ts';

/** The result of an op that returns a row. */
export const rowIn = (result: OpResult): Row | undefined => result as Row | undefined;

export const rowsIn = (result: OpResult): readonly Row[] => result as readonly Row[];

export const logIn = (result: OpResult): Log | undefined => result as Log | undefined;

export const logsIn = (result: OpResult): readonly Log[] => result as readonly Log[];

/** For rows whose version is never compared. */
export const anyVersion = '';

/** How many parts keys are spread over, so that they do not wait for each other. */
export const shardCount = 16;

export const shards: readonly string[] = Array.from({ length: shardCount }, (_, n) => n.toString(16));

/** The part of a text: one hexadecimal digit. Every process computes the same. */
export function shardOf(text: string): string {
  // FNV-1a: spreads texts well enough.
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return ((hash >>> 0) % shardCount).toString(16);
}

/** A hundred years: what lasts for ever is stored for so long. */
const longestMs = 100 * 365 * 24 * 60 * 60_000;

/** How long a row is stored, as engines take it: finite, and never negative. */
export const lastingMs = (ms: number): number => Math.min(Math.max(0, ms), longestMs);

/** The limits of a group. Without one there is none to pass. */
export const atMost = (max = Infinity, maxChars = Infinity) => ({
  ...(Number.isFinite(max) && { max }),
  ...(Number.isFinite(maxChars) && { maxChars }),
});
