/** Runs that may happen once, in the memory of this process. */
import { LiveKeys } from './live-keys.ts';
import type { OnceRun, OnceState, OnceStore } from './once-store.ts';
import { StoredTexts, type TextLimits } from './stored-texts.ts';

export interface MemoryRunLimits extends TextLimits {
  readonly maxKeys: number;
  readonly maxKeysPerOwner: number;
}

/** A store in memory answers at once. */
export interface MemoryRuns extends Pick<OnceStore, 'begin' | 'end' | 'release' | 'renew'> {
  begin(owner: string, key: string, run: OnceRun): OnceState;
  end(owner: string, key: string, holder: string, text: string | undefined): boolean;
  release(owner: string, key: string, holder: string): boolean;
  renew(owner: string, key: string, holder: string, leaseMs: number): boolean;
  clear(): void;
}

interface RunRow {
  readonly owner: string;
  readonly digest: string;
  readonly holder: string;
  readonly ttlMs: number;
  /** When the lease lapses; absent once the run has ended. */
  leaseUntil: number | undefined;
  text: string | undefined;
  expires: number;
}

const begun: OnceState = { state: 'begun' };
const other: OnceState = { state: 'other' };
const unknown: OnceState = { state: 'unknown' };

export function createMemoryRuns(limits: MemoryRunLimits, now: () => number): MemoryRuns {
  const texts = new StoredTexts(limits);
  const rows = new LiveKeys<RunRow>(limits, (row) => texts.drop(row));
  // The length ends the owner, whatever characters it has.
  const nameOf = (owner: string, key: string): string => `${owner.length} ${owner}${key}`;

  /** The row of a run that this holder began. */
  function heldRow(name: string, holder: string, moment: number): RunRow | undefined {
    const row = rows.find(name, moment);
    return row?.holder === holder ? row : undefined;
  }

  return {
    begin(owner, key, { digest, holder, leaseMs, ttlMs }) {
      const moment = now();
      const name = nameOf(owner, key);
      const row = rows.find(name, moment);
      const leaseUntil = moment + leaseMs;
      if (row === undefined) {
        const limit = rows.refusal(owner, moment);
        if (limit !== undefined) return { state: 'full', limit };
        const expires = leaseUntil + ttlMs;
        rows.add(name, { owner, digest, holder, ttlMs, leaseUntil, text: undefined, expires });
        return begun;
      }
      if (row.digest !== digest) return other;
      if (row.leaseUntil === undefined) return { state: 'ended', text: row.text };
      if (row.holder === holder) {
        row.leaseUntil = leaseUntil;
        rows.extend(name, row, leaseUntil + row.ttlMs);
        return begun;
      }
      return row.leaseUntil > moment ? { state: 'running', leaseMs: row.leaseUntil - moment } : unknown;
    },
    end(owner, key, holder, text) {
      const moment = now();
      const name = nameOf(owner, key);
      const row = heldRow(name, holder, moment);
      if (row === undefined) return false;
      if (row.leaseUntil === undefined) return true;
      row.leaseUntil = undefined;
      rows.extend(name, row, moment + row.ttlMs);
      if (text !== undefined) texts.add(row, text);
      return true;
    },
    release(owner, key, holder) {
      const name = nameOf(owner, key);
      const row = heldRow(name, holder, now());
      if (row?.leaseUntil === undefined) return false;
      rows.delete(name, row);
      return true;
    },
    renew(owner, key, holder, leaseMs) {
      const moment = now();
      const name = nameOf(owner, key);
      const row = heldRow(name, holder, moment);
      if (row?.leaseUntil === undefined) return false;
      row.leaseUntil = moment + leaseMs;
      rows.extend(name, row, row.leaseUntil + row.ttlMs);
      return true;
    },
    clear: () => rows.clear(),
  };
}
