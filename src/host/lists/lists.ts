/** Joins the lists of all servers. A failing server does not affect the others. */
import type { Client } from '../../client/api/client.ts';
import type { PaginatedList } from '../../client/api/listing.ts';
import { type ListedKind } from '../../ports/lock.ts';
import { isVisibleTo } from '../../protocol/apps.ts';
import type { Prompt, Resource, ResourceTemplate, Tool } from '../../protocol/generated/types/records.ts';
import type { HostServer, Listed } from '../servers/host-server.ts';
import { capabilities } from '../servers/listed-kind.ts';
import type { StoredItems, StoredLists } from '../stored-lists/list-store.ts';
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
  /** The servers that failed, were late, or have more than `limits.maxListed` items, and tools that are not valid. */
  readonly errors: Array<{ readonly server: string; readonly error: Error }>;
}

export interface Lists {
  readonly toolNames: Catalogue<Tool>;
  readonly promptNames: Catalogue<Prompt>;
  tools(): Promise<HostList<HostTool>>;
  prompts(): Promise<HostList<HostPrompt>>;
  resources(): Promise<HostList<HostResource>>;
  templates(): Promise<HostList<HostTemplate>>;
  /** Lists a kind of one server again, as it is shown. */
  refresh(kind: ListedKind, hostServer: HostServer): Promise<Listed<unknown>>;
  /** Drops the tools of a server: the next use lists them again. */
  forgetTools(server: string): void;
  /** Drops the listed items of a server that was removed. */
  forget(server: string): void;
}

/** Decides which items of a list are shown. */
export interface Screen {
  /** Read it before a list is requested, so that a change meanwhile is noticed. */
  version(server: string): number;
  screen<T>(hostServer: HostServer, kind: ListedKind, listed: Listed<T>, version: number): Promise<Listed<T>>;
  /** The same for a list from a store. */
  screenStored<T>(hostServer: HostServer, kind: ListedKind, listed: StoredItems & Listed<T>): Promise<Listed<T>>;
}

type Listing<T> = (client: Client, signal: AbortSignal) => PaginatedList<T>;

const listings = {
  tool: (client, signal) => client.tools.list({ signal }),
  prompt: (client, signal) => client.prompts.list({ signal }),
  resource: (client, signal) => client.resources.list({ signal }),
  template: (client, signal) => client.resources.listTemplates({ signal }),
} satisfies Record<ListedKind, Listing<object>>;

/** Lists a kind of one server, all of it. */
export const listOwn = (kind: ListedKind, hostServer: HostServer): Promise<Listed<object>> =>
  hostServer.list<object>(capabilities[kind], listings[kind]);

export function createLists(hostServers: readonly HostServer[], screen: Screen, stored?: StoredLists): Lists {
  const toolNames = createCatalogue<Tool>();
  const promptNames = createCatalogue<Prompt>();

  /** The items of one kind of a server that are shown. */
  async function listShown<T>(kind: ListedKind, hostServer: HostServer): Promise<Listed<T>> {
    const version = screen.version(hostServer.server);
    const listed = (await listOwn(kind, hostServer)) as Listed<T>;
    if (listed.problem === undefined) await stored?.write(kind, hostServer, listed.items as readonly object[]);
    return screen.screen(hostServer, kind, listed, version);
  }

  /** The same, without a connection where the list is stored. */
  async function listKnown<T>(kind: ListedKind, hostServer: HostServer): Promise<Listed<T>> {
    const known = await stored?.read(kind, hostServer);
    if (known === undefined) return listShown(kind, hostServer);
    return screen.screenStored(hostServer, kind, known as StoredItems & Listed<T>);
  }

  /** Requests all lists at once; items are in the order of the configuration. */
  async function gather<T, Shown>(
    kind: ListedKind,
    show: (server: string, items: readonly T[]) => Shown[] | Promise<Shown[]>,
  ): Promise<HostList<Shown>> {
    const listed = await Promise.all(
      hostServers.map(async (hostServer) => ({ hostServer, leftOut: [], ...(await listKnown<T>(kind, hostServer)) })),
    );
    const gathered: HostList<Shown> = { items: [], errors: [] };
    for (const { hostServer, items, problem, leftOut } of listed) {
      // It may have been removed in the meantime.
      if (!hostServers.includes(hostServer)) continue;
      const { server } = hostServer;
      for (const item of await show(server, items)) gathered.items.push(item);
      if (problem !== undefined) gathered.errors.push({ server, error: problem });
      for (const error of leftOut) gathered.errors.push({ server, error });
    }
    return gathered;
  }

  async function refresh(kind: ListedKind, hostServer: HostServer): Promise<Listed<unknown>> {
    const listed = await listShown<never>(kind, hostServer);
    // An incomplete list does not replace the known items.
    if (kind === 'tool' && listed.problem === undefined) await toolNames.admit(hostServer.server, listed.items);
    return listed;
  }

  return {
    refresh,
    forgetTools: (server) => toolNames.forget(server),
    forget(server) {
      toolNames.forget(server);
      promptNames.forget(server);
    },
    toolNames,
    promptNames,
    // Tools that are for apps only can be called, and are not shown to models.
    tools: () =>
      gather('tool', async (server, items: readonly Tool[]) =>
        (await toolNames.admit(server, items)).filter((tool) => isVisibleTo('model', tool)),
      ),
    prompts: () => gather('prompt', promptNames.admit),
    resources: () =>
      gather('resource', (server, items: readonly Resource[]) =>
        items.map((item) => ({ ...item, server, hostUri: addressOf({ server, originalName: item.uri }) })),
      ),
    templates: () =>
      gather('template', (server, items: readonly ResourceTemplate[]) =>
        items.map((item) => ({ ...item, server, hostUri: addressOf({ server, originalName: item.uriTemplate }) })),
      ),
  };
}
