/** The lists of all servers as one; a failing server does not hide the others. */
import type { Client } from '../../client/api/client.ts';
import type { PaginatedList } from '../../client/api/listing.ts';
import type { Prompt, Resource, ResourceTemplate, Tool } from '../../protocol/generated/types/records.ts';
import type { HostServer } from '../servers/host-server.ts';
import { type Catalogue, createCatalogue, type Named } from './catalogue.ts';
import { addressOf } from './names.ts';

/** Of a tool or prompt `name` is for all servers and `own` is its name on its server. */
export type HostTool = Named<Tool>;
export type HostPrompt = Named<Prompt>;

/** Where a resource is among those of all servers, for `resources.read`. */
export interface HostResource extends Resource {
  readonly server: string;
  readonly hostUri: string;
}

export interface HostTemplate extends ResourceTemplate {
  readonly server: string;
  /** The address of a resource with this in place of its URI; expand it before reading. */
  readonly hostUri: string;
}

/** What all servers have, and of those that failed, or were cut short, why. */
export interface HostList<T> {
  readonly items: T[];
  readonly errors: Array<{ readonly server: string; readonly error: Error }>;
}

export interface Lists {
  readonly toolNames: Catalogue<Tool>;
  readonly promptNames: Catalogue<Prompt>;
  tools(): Promise<HostList<HostTool>>;
  prompts(): Promise<HostList<HostPrompt>>;
  resources(): Promise<HostList<HostResource>>;
  templates(): Promise<HostList<HostTemplate>>;
}

export function createLists(hostServers: readonly HostServer[]): Lists {
  const toolNames = createCatalogue<Tool>();
  const promptNames = createCatalogue<Prompt>();

  /** Requests all lists at once; items are in the order of the configuration. */
  async function gather<T, Shown>(
    capability: string,
    listing: (client: Client, signal: AbortSignal) => PaginatedList<T>,
    show: (server: string, items: readonly T[]) => Shown[] | Promise<Shown[]>,
  ): Promise<HostList<Shown>> {
    const listed = await Promise.all(hostServers.map((hostServer) => hostServer.list(capability, listing)));
    const gathered: HostList<Shown> = { items: [], errors: [] };
    for (const [n, { items, problem }] of listed.entries()) {
      const { server } = hostServers[n] as HostServer;
      for (const item of await show(server, items)) gathered.items.push(item);
      if (problem !== undefined) gathered.errors.push({ server, error: problem });
    }
    return gathered;
  }

  return {
    toolNames,
    promptNames,
    tools: () => gather('tools', (client, signal) => client.tools.list({ signal }), toolNames.admit),
    prompts: () => gather('prompts', (client, signal) => client.prompts.list({ signal }), promptNames.admit),
    resources: () =>
      gather(
        'resources',
        (client, signal) => client.resources.list({ signal }),
        (server, items) =>
          items.map((item) => ({ ...item, server, hostUri: addressOf({ server, originalName: item.uri }) })),
      ),
    templates: () =>
      gather(
        'resources',
        (client, signal) => client.resources.listTemplates({ signal }),
        (server, items) =>
          items.map((item) => ({ ...item, server, hostUri: addressOf({ server, originalName: item.uriTemplate }) })),
      ),
  };
}
