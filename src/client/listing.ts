/** A list of a server, page by page, item by item, or whole. */
import { TenonError } from '../jsonrpc/errors.ts';
import type { Fields } from '../protocol/neutral.ts';

export interface Listing<T> extends AsyncIterable<T> {
  pages(): AsyncIterable<readonly T[]>;
  all(): Promise<T[]>;
}

/** More pages than any list has: a server that never ends one is stopped there. */
const maxPages = 10_000;

/** A list by its pages: of each those items that are of use, made safe to hand on. */
export function createListing<T>(
  key: string,
  fetchPage: (params: Fields) => Promise<Fields>,
  admit: (items: readonly T[]) => readonly T[],
  safe: (item: T) => T,
): Listing<T> {
  async function* pages(): AsyncGenerator<readonly T[], undefined> {
    const seen = new Set<unknown>();
    let cursor: unknown;
    for (let n = 0; n < maxPages; n++) {
      const page = await fetchPage(cursor === undefined ? {} : { cursor });
      yield admit(page[key] as T[]).map(safe);
      if (page.nextCursor === undefined) return;
      cursor = page.nextCursor;
      if (seen.has(cursor)) throw new TenonError('invalid-result', `The list of ${key} repeats its cursors for ever.`);
      seen.add(cursor);
    }
    throw new TenonError('invalid-result', `The list of ${key} has more than ${maxPages} pages.`);
  }
  async function* items(): AsyncGenerator<T, undefined> {
    for await (const page of pages()) yield* page;
  }
  return {
    pages,
    [Symbol.asyncIterator]: items,
    async all() {
      const found: T[] = [];
      for await (const item of items()) found.push(item);
      return found;
    },
  };
}
