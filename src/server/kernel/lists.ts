/** The lists of a server's features, in pages. */
import { RpcError } from '../../jsonrpc/errors.ts';
import type { Fields } from '../../lib/values/is.ts';
import type { MaybePromise } from '../../lib/values/maybe-promise.ts';
import type { Done } from '../../protocol/neutral.ts';
import { withCachedText } from '../../protocol/result-text.ts';
import type { ListedRecords } from '../definition/compiled.ts';
import type { Invocation } from '../features/invocation.ts';
import { limitTime } from '../features/time-limit.ts';
import type { Registry } from '../registry/registry.ts';
import { pageOf } from './pages.ts';

const listing = (key: string, itemsOf: (registry: Registry) => ListedRecords) => {
  /** The first page of each state of the list: most clients request no other. */
  const first = new WeakMap<ListedRecords, Done>();
  return (invocation: Invocation, registry: Registry): Done | RpcError => {
    const items = itemsOf(registry);
    const { cursor } = invocation.call.params;
    const known = cursor === undefined && !invocation.isChained ? first.get(items) : undefined;
    if (known !== undefined) return known;
    const done = listed(key, items, invocation, registry);
    // Middleware may change a result, so it never gets the cached one.
    if (cursor === undefined && !invocation.isChained && !(done instanceof RpcError))
      first.set(items, withCachedText(done));
    return done;
  };
};

function listed(
  key: string,
  items: ListedRecords,
  { call, cache }: Invocation,
  { pageSize, listMeta }: Registry,
): Done | RpcError {
  const page = pageOf(key, items, call.params.cursor, pageSize);
  if (page instanceof RpcError) return page;
  const { records, nextCursor } = page;
  const result: Fields = nextCursor === undefined ? { [key]: records } : { [key]: records, nextCursor };
  if (listMeta !== undefined) result._meta = listMeta;
  return { resultType: 'complete', result, cache };
}

export const listTools = listing('tools', ({ tools, listedTools }) => listedTools?.(tools) ?? tools);
export const listPrompts = listing('prompts', ({ prompts }) => prompts);
const listDefined = listing('resources', ({ resources }) => resources);
export const listTemplates = listing('resourceTemplates', ({ templates }) => templates);

/** The defined resources, and those that templates list. */
export function listResources(invocation: Invocation, registry: Registry): MaybePromise<Done | RpcError> {
  return registry.hasTemplateLists ? listAll(invocation, registry) : listDefined(invocation, registry);
}

/** What a template lists may differ between callers, so it is private. */
async function listAll(invocation: Invocation, registry: Registry): Promise<Done | RpcError> {
  limitTime(invocation, undefined);
  const { resources, templates, reads } = registry;
  const { principal } = invocation.ports;
  const all = new Map<string, { readonly record: Fields }>();
  for (const [pattern, { list, scopes = [] }] of templates) {
    if (list === undefined || !scopes.every((scope) => principal?.scopes.includes(scope))) continue;
    for (const [uri, item] of await list(invocation)) if (reads.mayRead?.(uri, pattern) !== false) all.set(uri, item);
  }
  // A defined resource is the one that is read.
  const found = listed('resources', new Map([...resources, ...all, ...resources]), invocation, registry);
  return found instanceof RpcError || found.cache === undefined
    ? found
    : { ...found, cache: { ...found.cache, scope: 'private' } };
}
