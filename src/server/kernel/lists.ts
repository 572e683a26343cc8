/** The lists of a server's features, in pages. */
import { RpcError } from '../../jsonrpc/errors.ts';
import type { Fields } from '../../lib/values/is.ts';
import type { Done } from '../../protocol/neutral.ts';
import { withCachedText } from '../../protocol/result-text.ts';
import type { Invocation } from '../features/invocation.ts';
import type { Registry } from '../registry/registry.ts';
import { pageOf } from './pages.ts';

type Items = ReadonlyMap<string, { readonly record: Fields }>;

const listing = (key: string, itemsOf: (registry: Registry) => Items) => {
  /** The first page of each state of the list: most clients request no other. */
  const first = new WeakMap<Items, Done>();
  return (invocation: Invocation, registry: Registry): Done | RpcError => {
    const items = itemsOf(registry);
    const { cursor } = invocation.call.params;
    const known = cursor === undefined && !invocation.isChained ? first.get(items) : undefined;
    if (known !== undefined) return known;
    const page = pageOf(key, items, cursor, registry.pageSize);
    if (page instanceof RpcError) return page;
    const { records, nextCursor } = page;
    const result = nextCursor === undefined ? { [key]: records } : { [key]: records, nextCursor };
    const done: Done = { resultType: 'complete', result, cache: invocation.cache };
    // Middleware may change a result, so it never gets the cached one.
    if (cursor === undefined && !invocation.isChained) first.set(items, withCachedText(done));
    return done;
  };
};

export const listTools = listing('tools', ({ tools }) => tools);
export const listPrompts = listing('prompts', ({ prompts }) => prompts);
export const listResources = listing('resources', ({ resources }) => resources);
export const listTemplates = listing('resourceTemplates', ({ templates }) => templates);
