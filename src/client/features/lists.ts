/** The lists of a server, and the ports that the methods of a client need. */
import type { Schema } from '../../schema/standard.ts';
import type { CallOptions, ClientConnection } from '../api/client.ts';
import { createListing, type PaginatedList } from '../api/listing.ts';
import type { Cache } from '../cache/cache.ts';
import type { RequestSender } from '../calls/calls.ts';
import type { KnownTools } from '../calls/known-tools.ts';
import type { WatchPorts } from '../changes/watching.ts';
import type { ClientSettings } from '../connection/settings.ts';
import { withoutUnsafeIcons } from '../content/icons/safe.ts';
import type { ConnectionSupervisor } from '../reconnect/supervisor.ts';

export interface ClientMethodsPorts extends WatchPorts {
  readonly supervisor: ConnectionSupervisor;
  readonly connection: ClientConnection;
  readonly calls: RequestSender;
  readonly cache: Cache;
  readonly settings: ClientSettings;
  readonly knownTools: KnownTools;
  readonly outputs: ((schema: object) => Schema) | undefined;
  close(options?: { readonly timeoutMs?: number }): Promise<void>;
}

export interface ListSource<T> {
  readonly method: string;
  /** The field of the result that holds the items. */
  readonly key: string;
  /** Called with the items of each page; returns those for the caller. */
  readonly admit?: (items: readonly T[]) => readonly T[];
}

/** A list of the server, cached if the server allows it. */
export const listFrom = <T>(
  { cache }: ClientMethodsPorts,
  { method, key, admit = (all) => all }: ListSource<T>,
  options: CallOptions | undefined,
): PaginatedList<T> =>
  createListing<T>(key, {
    fetch: (page) => cache.request(method, page, options),
    drop: () => cache.dropList(method),
    admit,
    safe: withoutUnsafeIcons,
  });
