/** The lists of what a server has, in pages. */
import { RpcError } from '../../jsonrpc/errors.ts';
import type { Fields } from '../../protocol/neutral.ts';
import { pageOf } from '../pages.ts';
import type { Invocation } from './invocation.ts';

function list(
  { registry, call, finish }: Invocation,
  key: string,
  items: ReadonlyMap<string, { readonly record: Fields }>,
): void {
  const page = pageOf(key, items, call.params.cursor, registry.pageSize);
  if (page instanceof RpcError) return finish(page);
  const { records, nextCursor } = page;
  const result = nextCursor === undefined ? { [key]: records } : { [key]: records, nextCursor };
  finish({ kind: 'done', result, cache: registry.cache });
}

export const listTools = (invocation: Invocation): void => list(invocation, 'tools', invocation.registry.tools);
export const listPrompts = (invocation: Invocation): void => list(invocation, 'prompts', invocation.registry.prompts);
export const listResources = (invocation: Invocation): void =>
  list(invocation, 'resources', invocation.registry.resources);
export const listTemplates = (invocation: Invocation): void =>
  list(invocation, 'resourceTemplates', invocation.registry.templates);
