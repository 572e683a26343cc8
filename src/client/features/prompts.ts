/** The prompts of a server: listed, read and watched. */

import type { Fields } from '../../lib/values/is.ts';
import type { GetPromptResult, Prompt } from '../../protocol/generated/types/records.ts';
import type { CallOptions, Client } from '../api/client.ts';
import type { PaginatedList } from '../api/listing.ts';
import { watch } from '../changes/watching.ts';
import { type ClientMethodsPorts, type ListSource, listFrom } from './lists.ts';

const prompts: ListSource<Prompt> = { method: 'prompts/list', key: 'prompts' };

export function createPrompts(ports: ClientMethodsPorts): Client['prompts'] {
  const list = (options?: CallOptions): PaginatedList<Prompt> => listFrom(ports, prompts, options);
  async function get(name: string, given: Fields = {}, options?: CallOptions): Promise<GetPromptResult> {
    const { result } = await ports.calls.request('prompts/get', { name, arguments: given }, options);
    return result as unknown as GetPromptResult;
  }
  return {
    list,
    watchList: (onChange, options) =>
      watch(ports, { promptsListChanged: true }, (how) => list(how).all(), onChange, options),
    get: get as unknown as Client['prompts']['get'],
  };
}
