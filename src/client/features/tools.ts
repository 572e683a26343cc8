/** The tools of a server: listed, called and watched. */
import { ownContent } from '../../protocol/fitting/structured.ts';
import type { CallToolResult, Tool } from '../../protocol/generated/types/records.ts';
import type { Fields } from '../../protocol/neutral.ts';
import type { CallOptions, Client } from '../api/client.ts';
import type { PaginatedList } from '../api/listing.ts';
import { createOutputCheck } from '../calls/output-validation.ts';
import { watch } from '../changes/watching.ts';
import { type ClientMethodsPorts, type ListSource, listFrom } from './lists.ts';

export function createTools(ports: ClientMethodsPorts): Client['tools'] {
  const { calls, knownTools, outputs, supervisor } = ports;
  const source: ListSource<Tool> = {
    method: 'tools/list',
    key: 'tools',
    admit: (tools) => knownTools.listed(tools),
  };
  const list = (options?: CallOptions): PaginatedList<Tool> => listFrom(ports, source, options);
  // Output is validated by the current schemas of the server, so the list does not come from the cache.
  const listFresh = (): Promise<Tool[]> => list({ cache: 'reload' }).all();
  const check = outputs && createOutputCheck(outputs, listFresh, () => supervisor.lastKnown);
  async function call(name: string, given: Fields = {}, options?: CallOptions): Promise<CallToolResult> {
    const { result } = await calls.request('tools/call', { name, arguments: given }, options);
    if (check !== undefined) await check(name, result);
    return ownContent(result) as unknown as CallToolResult;
  }
  return {
    list,
    call: call as unknown as Client['tools']['call'],
    watchList: (onChange, options) =>
      watch(ports, { toolsListChanged: true }, (read) => list(read).all(), onChange, options),
  };
}
