/** The lists of a server, and the ports that the methods of a client need. */
import { RpcError } from '../../jsonrpc/errors.ts';
import type { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Schema } from '../../schema/standard.ts';
import type { CallOptions, ClientConnection } from '../api/client.ts';
import { createListing, type PaginatedList } from '../api/listing.ts';
import type { Cache } from '../cache/cache.ts';
import { checkCall } from '../calls/call-options.ts';
import type { ToolCaller } from '../calls/calls.ts';
import { notFinished, withDeadline } from '../calls/deadline.ts';
import type { KnownTools } from '../calls/known-tools.ts';
import type { WatchPorts } from '../changes/watching.ts';
import type { ClientSettings } from '../connection/settings.ts';
import { withoutUnsafeIcons } from '../content/safe-icons.ts';
import type { ConnectionSupervisor } from '../reconnect/supervisor.ts';
import type { RememberedTasks } from './tasks/remembered-tasks.ts';
import type { TaskHints } from './tasks/task-hints.ts';

export interface ClientMethodsPorts extends WatchPorts {
  readonly supervisor: ConnectionSupervisor;
  readonly connection: ClientConnection;
  readonly calls: ToolCaller;
  readonly hints: TaskHints;
  readonly remembered: RememberedTasks | undefined;
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

/** A list of the server, cached if the server allows it. Its pages together have the whole time of a call. */
export function listFrom<T>(
  { cache, settings }: ClientMethodsPorts,
  { method, key, admit = (all) => all }: ListSource<T>,
  options: CallOptions | undefined,
): PaginatedList<T> {
  return createListing<T>(key, {
    fetch: (page, signal) =>
      cache.request(method, page, signal === undefined ? options : forPage(options, signal)).catch((error: unknown) => {
        if (page.cursor === undefined && isMissing(error)) return { [key]: [] };
        throw error;
      }),
    async whole(run) {
      checkCall(method, undefined, options);
      const totalMs = options?.maxTotalTimeoutMs ?? settings.maxTotalMs;
      const late = (): TenonError => notFinished(method, undefined, totalMs);
      return withDeadline(settings.deadlines, totalMs, options?.signal, late, run);
    },
    onLeftOut: (errors) => settings.onLeftOut(errors),
    drop: () => cache.dropList(method),
    admit,
    safe: withoutUnsafeIcons,
    limits: settings.listLimits,
  });
}

/** Many servers declare resources and have no list of templates: it is empty. */
const isMissing = (error: unknown): boolean => error instanceof RpcError && error.reason === 'method-not-found';

/** The signal ends a page with the list. */
function forPage(options: CallOptions | undefined, signal: AbortSignal): CallOptions {
  const { maxTotalTimeoutMs: _, ...others } = options ?? {};
  return { ...others, signal };
}
