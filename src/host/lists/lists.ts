/** Joins the lists of all servers. A failing server does not affect the others. */
import type { Client } from '../../client/api/client.ts';
import type { PaginatedList } from '../../client/api/listing.ts';
import type { Prompt, Resource, ResourceTemplate, Tool } from '../../protocol/generated/types/records.ts';
import type { HostServer } from '../servers/host-server.ts';
import { type Catalogue, createCatalogue } from './catalogue.ts';
import type { Origin } from './names.ts';
import { addressOf } from './names.ts';

/** A tool of one server: `name` is unique in the host, `originalName` is its name on the server. */
export interface HostTool extends Tool, Origin {}
/** A prompt of one server: `name` is unique in the host, `originalName` is its name on the server. */
export interface HostPrompt extends Prompt, Origin {}

/** A resource of one server. */
export interface HostResource extends Resource {
  /** The name of its server in the configuration. */
  readonly server: string;
  /** The URI of the resource in the host, for `resources.read`. */
  readonly hostUri: string;
}

/** A resource template of one server. */
export interface HostTemplate extends ResourceTemplate {
  /** The name of its server in the configuration. */
  readonly server: string;
  /** The template of the `hostUri` of its resources: expand it, then read the result. */
  readonly hostUri: string;
}

/** A list over all servers. */
export interface HostList<T> {
  /** The items of the servers that answered. */
  readonly items: T[];
  /** The servers that failed, were late, or have more than `limits.maxListed` items. */
  readonly errors: Array<{ readonly server: string; readonly error: Error }>;
}

export interface Lists {
  readonly toolNames: Catalogue<Tool>;
  readonly promptNames: Catalogue<Prompt>;
  tools(): Promise<HostList<HostTool>>;
  prompts(): Promise<HostList<HostPrompt>>;
  resources(): Promise<HostList<HostResource>>;
  templates(): Promise<HostList<HostTemplate>>;
  /** Lists the tools of one server again; returns whether the list is complete. */
  refreshTools(hostServer: HostServer): Promise<boolean>;
  /** Drops what a server has listed that was removed. */
  forget(server: string): void;
}

/** What is listed, by the word that policies have for it. */
export type ListedKind = 'tool' | 'prompt' | 'resource' | 'template';

/** The items of a server that may be shown. */
export type ScreenItems = <T>(kind: ListedKind, server: string, items: readonly T[]) => Promise<readonly T[]>;

const listTools = (client: Client, signal: AbortSignal): PaginatedList<Tool> => client.tools.list({ signal });

const capabilities = { tool: 'tools', prompt: 'prompts', resource: 'resources', template: 'resources' } as const;

export function createLists(hostServers: readonly HostServer[], screen: ScreenItems): Lists {
  const toolNames = createCatalogue<Tool>();
  const promptNames = createCatalogue<Prompt>();

  /** Requests all lists at once; items are in the order of the configuration. */
  async function gather<T, Shown>(
    kind: ListedKind,
    listing: (client: Client, signal: AbortSignal) => PaginatedList<T>,
    show: (server: string, items: readonly T[]) => Shown[] | Promise<Shown[]>,
  ): Promise<HostList<Shown>> {
    const listed = await Promise.all(
      hostServers.map(async (hostServer) => ({ hostServer, ...(await hostServer.list(capabilities[kind], listing)) })),
    );
    const gathered: HostList<Shown> = { items: [], errors: [] };
    for (const { hostServer, items, problem } of listed) {
      // It may have been removed in the meantime.
      if (!hostServers.includes(hostServer)) continue;
      const { server } = hostServer;
      for (const item of await show(server, await screen(kind, server, items))) gathered.items.push(item);
      if (problem !== undefined) gathered.errors.push({ server, error: problem });
    }
    return gathered;
  }

  async function refreshTools(hostServer: HostServer): Promise<boolean> {
    const { items, problem } = await hostServer.list('tools', listTools);
    if (problem === undefined) await toolNames.admit(hostServer.server, await screen('tool', hostServer.server, items));
    return problem === undefined;
  }

  return {
    refreshTools,
    forget(server) {
      toolNames.forget(server);
      promptNames.forget(server);
    },
    toolNames,
    promptNames,
    tools: () => gather('tool', listTools, toolNames.admit),
    prompts: () => gather('prompt', (client, signal) => client.prompts.list({ signal }), promptNames.admit),
    resources: () =>
      gather(
        'resource',
        (client, signal) => client.resources.list({ signal }),
        (server, items) =>
          items.map((item) => ({ ...item, server, hostUri: addressOf({ server, originalName: item.uri }) })),
      ),
    templates: () =>
      gather(
        'template',
        (client, signal) => client.resources.listTemplates({ signal }),
        (server, items) =>
          items.map((item) => ({ ...item, server, hostUri: addressOf({ server, originalName: item.uriTemplate }) })),
      ),
  };
}
