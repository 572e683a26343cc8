/** Reads all lists of an instance. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { type Fields, isRecord } from '../../lib/values/is.ts';
import { errorOf, type Instance } from './instance.ts';

export interface InstanceLists {
  readonly tools: readonly Fields[];
  readonly resources: readonly Fields[];
  readonly templates: readonly Fields[];
  readonly prompts: readonly Fields[];
  /** Whether it completes arguments. */
  readonly completes: boolean;
}

/**
 * Items of one list of a server of the official SDK.
 * @limit official
 * @beyond `fromOfficial()` rejects
 * @code list-too-long
 */
export const maxListItems = 10_000;

export async function readLists(instance: Instance, capabilities: Fields): Promise<InstanceLists> {
  const all = (capability: string, method: string, key: string): Promise<readonly Fields[]> =>
    isRecord(capabilities[capability]) ? readList(instance, method, key) : Promise.resolve([]);
  const [tools, resources, templates, prompts] = await Promise.all([
    all('tools', 'tools/list', 'tools'),
    all('resources', 'resources/list', 'resources'),
    all('resources', 'resources/templates/list', 'resourceTemplates').catch(noTemplates),
    all('prompts', 'prompts/list', 'prompts'),
  ]);
  return { tools, resources, templates, prompts, completes: isRecord(capabilities.completions) };
}

async function readList(instance: Instance, method: string, key: string): Promise<readonly Fields[]> {
  const items: Fields[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const reply = await instance.ask(method, cursor === undefined ? {} : { cursor });
    if ('error' in reply) throw errorOf(method, reply.error);
    const page = reply.result;
    const more: unknown = page[key];
    if (Array.isArray(more)) items.push(...more.filter(isRecord));
    if (items.length > maxListItems) throw tooLong(method);
    cursor = typeof page.nextCursor === 'string' ? page.nextCursor : undefined;
    if (cursor !== undefined && seen.has(cursor)) throw tooLong(method);
    if (cursor !== undefined) seen.add(cursor);
  } while (cursor !== undefined);
  return items;
}

/** A server may have resources, and no method for templates. */
function noTemplates(error: unknown): readonly Fields[] {
  if (error instanceof TenonError && error.details.code === -32601) return [];
  throw error;
}

const tooLong = (method: string): TenonError =>
  new TenonError('list-too-long', `${method} of the server has more than ${maxListItems} items, or repeats its pages.`);
