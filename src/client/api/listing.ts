/** A list of a server, page by page, item by item, or whole. */
import { RpcError } from '../../jsonrpc/errors.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { defaultsOf } from '../../lib/options/read-options.ts';
import { shown } from '../../lib/text/shown.ts';
import type { Fields } from '../../lib/values/is.ts';
import { jsonWeight } from '../../lib/values/json-weight.ts';
import { type OddTool, oddToolsIn } from '../../protocol/dialects/odd-tools.ts';
import { connectLimits } from './options.table.ts';

/**
 * A list of a server, fetched as it is read: `for await` gives items, `pages()` gives pages, `all()` gives one array.
 *
 * @example
 * ```ts
 * for await (const tool of client.tools.list()) console.log(tool.name);
 * ```
 */
export interface PaginatedList<T> extends AsyncIterable<T> {
  /** Iterates over the pages, as the server sends them. */
  pages(): AsyncIterable<readonly T[]>;
  /** All items. `maxTotalTimeoutMs` is the time for all pages together. */
  all(): Promise<T[]>;
}

/** Limits of one list, over all of its pages. */
export interface ListLimits {
  readonly maxListItems: number;
  readonly maxListChars: number;
}

export const defaultListLimits: ListLimits = defaultsOf(connectLimits);

/**
 * Pages of a list: an endless one is stopped there.
 * @limit client
 * @beyond the list fails
 * @code invalid-result
 */
const maxPages = 10_000;

export interface ListingPorts<T> {
  /** Returns a page, fetched or cached. The signal is that of `whole`. */
  fetch(params: Fields, signal?: AbortSignal): Promise<Fields>;
  /** Runs `all()` within the time limit of a whole list; without limit by default. */
  whole?<R>(run: (signal?: AbortSignal) => Promise<R>): Promise<R>;
  readonly limits?: ListLimits | undefined;
  /** Drops the cached pages; returns whether there were any. */
  drop?(): boolean;
  /** Called with what a page does not have because it was not valid. May throw. */
  onLeftOut?(errors: readonly TenonError[]): void;
  /** Selects the items to return; all by default. */
  admit?(items: readonly T[]): readonly T[];
  /** Makes an item safe to return; unchanged by default. */
  safe?(item: T): T;
}

/** What lists and pages do not have. */
const leftOut = new WeakMap<object, readonly TenonError[]>();

/** Why items are not in a page, or in a whole list, as it was returned. Usually empty. */
export const leftOutOf = (items: readonly unknown[]): readonly TenonError[] => leftOut.get(items) ?? [];

/** A server rejects an expired cursor with `invalid-params`. */
const isRefused = (error: unknown): boolean => error instanceof RpcError && error.reason === 'invalid-params';

/** A list by its pages. */
export function createListing<T>(key: string, ports: ListingPorts<T>): PaginatedList<T> {
  const { fetch, whole = (run) => run(), drop = () => false, admit = (all) => all, safe = (one) => one } = ports;
  const { onLeftOut } = ports;
  /** Cached pages may end with an expired cursor: then all of them are dropped. */
  const stale = new WeakSet<object>();
  async function page(cursor: unknown, signal?: AbortSignal): Promise<Fields> {
    try {
      return await fetch(cursor === undefined ? {} : { cursor }, signal);
    } catch (error) {
      if (cursor !== undefined && isRefused(error) && drop()) stale.add(error as object);
      throw error;
    }
  }
  async function* pages(signal?: AbortSignal): AsyncGenerator<readonly T[], undefined> {
    const count = createListCount(key, ports.limits);
    const seen = new Set<unknown>();
    let cursor: unknown;
    for (let n = 0; n < maxPages; n++) {
      const present = await page(cursor, signal);
      const items = admit(present[key] as T[]);
      count(items.length, present);
      const errors = oddToolsIn(present).map(oddTool);
      if (errors.length > 0) onLeftOut?.(errors);
      yield withLeftOut(items.map(safe), errors);
      if (present.nextCursor === undefined) return;
      cursor = present.nextCursor;
      if (seen.has(cursor))
        throw new TenonError('invalid-result', `The list of ${key} repeats a cursor, so it never ends.`);
      seen.add(cursor);
    }
    throw new TenonError('invalid-result', `The list of ${key} has more than ${maxPages} pages.`);
  }
  async function* items(): AsyncGenerator<T, undefined> {
    for await (const page of pages()) yield* page;
  }
  async function all(signal?: AbortSignal): Promise<T[]> {
    const found: T[] = [];
    const errors: TenonError[] = [];
    for await (const page of pages(signal)) {
      for (const item of page) found.push(item);
      errors.push(...leftOutOf(page));
    }
    return withLeftOut(found, errors);
  }
  return {
    pages: () => pages(),
    [Symbol.asyncIterator]: items,
    // No page was returned yet, so it can start again.
    all: () =>
      whole((signal) => all(signal).catch((error) => (stale.has(error) ? all(signal) : Promise.reject(error)))),
  };
}

function withLeftOut<T>(items: T[], errors: readonly TenonError[]): T[] {
  if (errors.length > 0) leftOut.set(items, errors);
  return items;
}

const oddTool = ({ name, problem }: OddTool): TenonError =>
  new TenonError('invalid-result', `The tool ${shown(name)} is left out: ${problem}.`, {
    hint: 'The server must fix its definition.',
    details: { tool: name },
  });

/** Counts the pages of one list. A list of one page is as small as a message, so its characters are not counted. */
function createListCount(
  key: string,
  { maxListItems, maxListChars }: ListLimits = defaultListLimits,
): (items: number, page: Fields) => void {
  let items = 0;
  let chars = 0;
  return (more, page) => {
    items += more;
    if (items > maxListItems)
      throw tooLong(key, 'items', maxListItems, 'Raise the option "limits.maxListItems" if the server is right.');
    if (chars === 0 && page.nextCursor === undefined) return;
    chars += jsonWeight(page);
    if (chars > maxListChars) throw tooLong(key, 'characters', maxListChars, 'Read it page by page, with pages().');
  };
}

const tooLong = (key: string, what: string, limit: number, hint: string): TenonError =>
  new TenonError('list-too-long', `The list of ${key} has more than ${limit} ${what}.`, {
    hint,
    details: { list: key, limit },
  });
