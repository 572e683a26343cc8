/** Lists in pages. A cursor names the last item sent, so that a list may change between pages. */

import type { RpcError } from '../../jsonrpc/errors.ts';
import { fromBase64Url, toBase64Url } from '../../lib/text/base64.ts';
import type { Fields } from '../../lib/values/is.ts';
import { rpcError } from '../../protocol/errors.ts';

type Items = ReadonlyMap<string, { readonly record: Fields }>;

export interface Page {
  readonly records: Fields[];
  readonly nextCursor?: string;
}

/** JSON escapes lone surrogates, which UTF-8 cannot encode; the key of the list rejects cursors of other lists. */
const encode = (list: string, name: string): string =>
  toBase64Url(new TextEncoder().encode(JSON.stringify([list, name])));

function decode(list: string, cursor: string): string | undefined {
  try {
    const [of, name]: unknown[] = JSON.parse(new TextDecoder().decode(fromBase64Url(cursor)));
    return of === list && typeof name === 'string' ? name : undefined;
  } catch {
    return undefined;
  }
}

const sorted = new WeakMap<Items, readonly string[]>();

function sortedNames(items: Items): readonly string[] {
  const known = sorted.get(items) ?? [...items.keys()].sort();
  sorted.set(items, known);
  return known;
}

/**
 * One page of records, with the cursor of the next page if there is one. A list of one page is in the order of its
 * definition. A longer one is sorted by name: every item that stays is listed once, even if others change meanwhile.
 */
export function pageOf(list: string, items: Items, cursor: unknown, size: number): Page | RpcError {
  if (cursor === undefined && items.size <= size) return { records: [...items.values()].map(({ record }) => record) };
  const last = cursor === undefined ? '' : decode(list, String(cursor));
  if (last === undefined) return rpcError('invalid-params', 'The cursor is not valid. List again without a cursor.');
  const names = sortedNames(items);
  const start = cursor === undefined ? 0 : firstAfter(names, last);
  const listed = names.slice(start, start + size);
  const records = listed.map((name) => (items.get(name) as { record: Fields }).record);
  const tail = listed.at(-1);
  return tail !== undefined && start + size < names.length ? { records, nextCursor: encode(list, tail) } : { records };
}

function firstAfter(names: readonly string[], last: string): number {
  const found = names.findIndex((name) => name > last);
  return found === -1 ? names.length : found;
}
