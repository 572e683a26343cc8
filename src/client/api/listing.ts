/** A list of a server, page by page, item by item, or whole. */
import { RpcError, TenonError } from '../../jsonrpc/errors.ts';
import type { Fields } from '../../protocol/neutral.ts';

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
  /** Fetches all pages and resolves to their items. */
  all(): Promise<T[]>;
}

/** More pages than any list has: an endless list is stopped there. */
const maxPages = 10_000;

export interface ListingPorts<T> {
  /** Returns a page, fetched or cached. */
  fetch(params: Fields): Promise<Fields>;
  /** Drops the cached pages; returns whether there were any. */
  drop?(): boolean;
  /** Selects the items to return; all by default. */
  admit?(items: readonly T[]): readonly T[];
  /** Makes an item safe to return; unchanged by default. */
  safe?(item: T): T;
}

/** A server rejects an expired cursor with `invalid-params`. */
const isRefused = (error: unknown): boolean => error instanceof RpcError && error.reason === 'invalid-params';

/** A list by its pages. */
export function createListing<T>(key: string, ports: ListingPorts<T>): PaginatedList<T> {
  const { fetch, drop = () => false, admit = (all) => all, safe = (one) => one } = ports;
  /** Cached pages may end with an expired cursor: then all of them are dropped. */
  const stale = new WeakSet<object>();
  async function page(cursor: unknown): Promise<Fields> {
    try {
      return await fetch(cursor === undefined ? {} : { cursor });
    } catch (error) {
      if (cursor !== undefined && isRefused(error) && drop()) stale.add(error as object);
      throw error;
    }
  }
  async function* pages(): AsyncGenerator<readonly T[], undefined> {
    const seen = new Set<unknown>();
    let cursor: unknown;
    for (let n = 0; n < maxPages; n++) {
      const present = await page(cursor);
      yield admit(present[key] as T[]).map(safe);
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
  async function all(): Promise<T[]> {
    const found: T[] = [];
    for await (const item of items()) found.push(item);
    return found;
  }
  return {
    pages,
    [Symbol.asyncIterator]: items,
    // No page was returned yet, so it can start again.
    all: () => all().catch((error) => (stale.has(error) ? all() : Promise.reject(error))),
  };
}
