/** The logs of an engine in memory, and their sizes: of a log, of all logs of a row, of a share, and of the store. */
import type { AppendOp, Log, LogShare, NewEntry, TrimStep } from '../driver.ts';

interface Entry {
  readonly n: number;
  readonly data: string;
  readonly chars: number;
}

/** One log. */
export interface MemoryLog {
  readonly name: string;
  readonly of: RowLogs;
  readonly share: ShareLogs | undefined;
  readonly note: string | undefined;
  readonly entries: Entry[];
  chars: number;
  count: number;
  ended: number;
  mark: number | undefined;
  isFollowed: boolean;
  given: number;
}

/** The logs of one row. */
export interface RowLogs {
  readonly byName: Map<string, MemoryLog>;
  /** Those that have ended, the first to end first. */
  readonly ended: Set<MemoryLog>;
  chars: number;
}

/** The logs of one share. */
interface ShareLogs {
  readonly name: string;
  logs: number;
  chars: number;
  /** Logs that have ended, the first to end first. */
  readonly ended: Set<MemoryLog>;
  /** Open logs with stored entries, the one that has had some for longest first. */
  readonly open: Set<MemoryLog>;
}

/** What each log counts in the size of the store, so that logs without stored entries are limited as well. */
const logOverhead = 512;

export class MemoryLogs {
  readonly #shares = new Map<string, ShareLogs>();
  /** Characters of all shares. */
  #chars = 0;
  #ends = 0;

  begin(of: RowLogs, { log: name, note, share }: AppendOp): MemoryLog {
    const log: MemoryLog = {
      name,
      of,
      share: share === undefined ? undefined : this.#shareOf(share),
      note,
      entries: [],
      chars: 0,
      count: 0,
      ended: 0,
      mark: undefined,
      isFollowed: false,
      given: 0,
    };
    of.byName.set(name, log);
    if (log.share !== undefined) {
      log.share.logs++;
      this.#count(log, logOverhead);
    }
    return log;
  }

  append(log: MemoryLog, added: readonly NewEntry[]): void {
    for (const { data, chars } of added) {
      const last = log.entries.at(-1);
      log.count++;
      if (data === undefined) continue;
      // One between was not stored.
      if (last !== undefined && last.n !== log.count - 1) this.#shorten(log, -1, 0);
      if (log.entries.push({ n: log.count, data, chars }) === 1) log.share?.open.add(log);
      this.#grow(log, chars);
    }
  }

  end(log: MemoryLog): void {
    log.ended = ++this.#ends;
    log.share?.open.delete(log);
    log.share?.ended.add(log);
    log.of.ended.add(log);
  }

  /** Deletes logs that have ended, except the one in use. */
  makeRoom(inUse: MemoryLog, maxLogs: number, maxChars: number): void {
    const { of } = inUse;
    for (const log of of.ended) {
      if (of.byName.size <= maxLogs && of.chars <= maxChars) return;
      if (log !== inUse) this.delete(log);
    }
  }

  delete(log: MemoryLog): void {
    const { of, share } = log;
    of.ended.delete(log);
    of.byName.delete(log.name);
    this.#grow(log, -log.chars);
    if (share === undefined) return;
    share.open.delete(log);
    share.ended.delete(log);
    this.#count(log, -logOverhead);
    if (--share.logs === 0) this.#shares.delete(share.name);
  }

  deleteAll(of: RowLogs): void {
    for (const log of of.byName.values()) this.delete(log);
  }

  trim(of: RowLogs, steps: readonly TrimStep[]): void {
    for (const step of steps) {
      const log = of.byName.get(step.log);
      if (log === undefined || of.chars <= step.above) continue;
      if ('delete' in step) this.delete(log);
      else this.#shorten(log, Math.max(step.least, log.chars - (of.chars - step.target)), step.spare);
    }
  }

  shares(): readonly LogShare[] {
    return [...this.#shares.values()].map(({ name, chars }) => ({ share: name, chars }));
  }

  shrink(maxChars: number, shares: readonly LogShare[], inUse: MemoryLog | undefined): void {
    for (const { share: name, chars } of shares) {
      const share = this.#shares.get(name);
      if (share !== undefined) this.#shrink(share, () => Math.min(this.#chars - maxChars, share.chars - chars), inUse);
    }
  }

  #shrink({ ended, open }: ShareLogs, excess: () => number, inUse: MemoryLog | undefined): void {
    for (const log of ended) {
      if (excess() <= 0) return;
      if (log !== inUse) this.delete(log);
    }
    for (const log of open) {
      const by = excess();
      if (by <= 0) return;
      this.#shorten(log, Math.max(0, log.chars - by), log === inUse ? 1 : 0);
    }
  }

  clear(): void {
    this.#shares.clear();
    this.#chars = 0;
  }

  shown({ name, of, note, entries, chars, count, ended, mark, isFollowed, given }: MemoryLog): Log {
    const [rowChars, rowLogs, storeChars] = [of.chars, of.byName.size, this.#chars];
    const [stored, last] = [entries.length, entries.at(-1)?.n ?? 0];
    return { name, count, stored, last, chars, ended, mark, note, isFollowed, given, rowChars, rowLogs, storeChars };
  }

  shownAfter(log: MemoryLog, after: number): Log {
    const { entries } = log;
    const first = entries[0]?.n ?? 0;
    const found = entries.slice(Math.max(0, after + 1 - first)).map(({ n, data }) => ({ n, data }));
    return { ...this.shown(log), entries: found };
  }

  /** Few entries are deleted at a time, and few are stored: `shift` is cheaper than a ring buffer. */
  #shorten(log: MemoryLog, maxChars: number, spare: number): void {
    while (log.chars > maxChars && log.entries.length > spare) this.#grow(log, -(log.entries.shift()?.chars ?? 0));
    if (log.entries.length === 0) log.share?.open.delete(log);
  }

  #shareOf(name: string): ShareLogs {
    const known = this.#shares.get(name);
    if (known !== undefined) return known;
    const share: ShareLogs = { name, logs: 0, chars: 0, ended: new Set(), open: new Set() };
    this.#shares.set(name, share);
    return share;
  }

  #grow(log: MemoryLog, by: number): void {
    log.chars += by;
    log.of.chars += by;
    this.#count(log, by);
  }

  #count({ share }: MemoryLog, by: number): void {
    if (share === undefined) return;
    share.chars += by;
    this.#chars += by;
  }
}
