/** Keys that may be used once, in the memory of this process. */
import { TenonError } from '../../jsonrpc/errors.ts';
import type { OnceStore } from './once-store.ts';

/** The options of `createMemoryOnce()`. */
export interface MemoryOnceOptions {
  /** How many live keys are remembered; a further one fails with `store-failed`. Default 200,000. */
  readonly maxKeys?: number;
  /** How many of them one owner may have; a further one of this owner fails with `store-failed`. Default 50,000. */
  readonly maxKeysPerOwner?: number;
  /** The clock by which keys expire, in milliseconds since the Unix epoch. Default `Date.now`. */
  readonly now?: () => number;
}

/** A store of used keys in the memory of this process. */
export interface MemoryOnce extends OnceStore {
  burn(key: string, expiresAt: number, owner?: string): boolean;
  /** Forgets all keys. For tests. */
  clear(): void;
}

/** Keys of one slot are dropped together, when the last of them has expired. */
const slotMs = 10_000;

interface Slot {
  readonly keys: string[];
  /** How many keys of the slot each owner has. */
  readonly owners: Map<string, number>;
}

/** Creates a store of used keys in memory. It is bounded: without room it refuses, and never drops a live key. */
export function createMemoryOnce(options: MemoryOnceOptions = {}): MemoryOnce {
  const { maxKeys = 200_000, maxKeysPerOwner = 50_000, now = () => Date.now() } = options;
  const used = new Set<string>();
  const counts = new Map<string, number>();
  const slots = new Map<number, Slot>();
  let sweptAt = 0;

  function dropExpired(moment: number): void {
    const current = Math.floor(moment / slotMs);
    if (current === sweptAt) return;
    sweptAt = current;
    for (const [end, slot] of slots) if (end <= current) drop(end, slot);
  }

  function drop(end: number, { keys, owners }: Slot): void {
    for (const key of keys) used.delete(key);
    for (const [owner, count] of owners) {
      const left = (counts.get(owner) ?? 0) - count;
      if (left > 0) counts.set(owner, left);
      else counts.delete(owner);
    }
    slots.delete(end);
  }

  function add(key: string, expiresAt: number, owner: string): void {
    const end = Math.floor(expiresAt / slotMs) + 1;
    const slot: Slot = slots.get(end) ?? { keys: [], owners: new Map() };
    slots.set(end, slot);
    used.add(key);
    slot.keys.push(key);
    slot.owners.set(owner, (slot.owners.get(owner) ?? 0) + 1);
    counts.set(owner, (counts.get(owner) ?? 0) + 1);
  }

  return {
    burn(key, expiresAt, owner = '') {
      const moment = now();
      dropExpired(moment);
      if (used.has(key)) return false;
      if (expiresAt <= moment) return true;
      if (used.size >= maxKeys) throw full(`the store has ${maxKeys} live keys`, 'maxKeys');
      if (owner !== '' && (counts.get(owner) ?? 0) >= maxKeysPerOwner)
        throw full(`one owner has ${maxKeysPerOwner} live keys`, 'maxKeysPerOwner');
      add(key, expiresAt, owner);
      return true;
    },
    clear() {
      for (const [end, slot] of slots) drop(end, slot);
    },
  };
}

const full = (why: string, option: string): TenonError =>
  new TenonError('store-failed', `A key that may be used once could not be stored: ${why}.`, {
    hint: `Try again when some have expired, or raise ${option} of createMemoryOnce().`,
    details: { limit: option },
  });
