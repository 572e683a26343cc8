/** The logs of an engine in memory, and their sizes: of a log, of all logs of a row, and of the store. */
import type { Log, NewEntry, TrimStep } from '../driver.ts';

interface Entry {
  readonly n: number;
  readonly data: string;
  readonly chars: number;
}

/** One log. */
export interface MemoryLog {
  readonly name: string;
  readonly of: RowLogs;
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

/** What each log counts in the size of the store, so that logs without stored entries are limited as well. */
const logOverhead = 512;

export class MemoryLogs {
  /** Logs that have ended, the first to end first. */
  readonly #ended = new Set<MemoryLog>();
  /** Open logs with stored entries, the one that has had some for longest first. */
  readonly #open = new Set<MemoryLog>();
  #chars = 0;
  #ends = 0;

  begin(of: RowLogs, name: string, note: string | undefined): MemoryLog {
    const log: MemoryLog = {
      name,
      of,
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
    this.#chars += logOverhead;
    return log;
  }

  append(log: MemoryLog, added: readonly NewEntry[]): void {
    for (const { data, chars } of added) {
      const last = log.entries.at(-1);
      log.count++;
      if (data === undefined) continue;
      // One between was not stored.
      if (last !== undefined && last.n !== log.count - 1) this.#shorten(log, -1, 0);
      if (log.entries.push({ n: log.count, data, chars }) === 1) this.#open.add(log);
      this.#grow(log, chars);
    }
  }

  end(log: MemoryLog): void {
    log.ended = ++this.#ends;
    this.#open.delete(log);
    this.#ended.add(log);
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
    this.#open.delete(log);
    this.#ended.delete(log);
    log.of.ended.delete(log);
    log.of.byName.delete(log.name);
    this.#chars -= logOverhead;
    this.#grow(log, -log.chars);
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

  shrink(maxChars: number, inUse: MemoryLog | undefined): void {
    for (const log of this.#ended) {
      if (this.#chars <= maxChars) return;
      if (log !== inUse) this.delete(log);
    }
    for (const log of this.#open) {
      const excess = this.#chars - maxChars;
      if (excess <= 0) return;
      this.#shorten(log, Math.max(0, log.chars - excess), log === inUse ? 1 : 0);
    }
  }

  clear(): void {
    this.#ended.clear();
    this.#open.clear();
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
    if (log.entries.length === 0) this.#open.delete(log);
  }

  #grow(log: MemoryLog, by: number): void {
    log.chars += by;
    log.of.chars += by;
    this.#chars += by;
  }
}
