/** The lists of what a server has, in pages. */
import { RpcError } from '../../jsonrpc/errors.ts';
import type { Fields } from '../../protocol/neutral.ts';
import { pageOf } from '../pages.ts';
import type { Registry } from '../registry.ts';
import type { Invocation } from './invocation.ts';

const listing =
  (key: string, itemsOf: (registry: Registry) => ReadonlyMap<string, { readonly record: Fields }>) =>
  (run: Invocation, registry: Registry): void => {
    const page = pageOf(key, itemsOf(registry), run.call.params.cursor, registry.pageSize);
    if (page instanceof RpcError) return run.finish(page);
    const { records, nextCursor } = page;
    const result = nextCursor === undefined ? { [key]: records } : { [key]: records, nextCursor };
    run.finish({ kind: 'done', result, cache: run.cache });
  };

export const listTools = listing('tools', ({ tools }) => tools);
export const listPrompts = listing('prompts', ({ prompts }) => prompts);
export const listResources = listing('resources', ({ resources }) => resources);
export const listTemplates = listing('resourceTemplates', ({ templates }) => templates);
