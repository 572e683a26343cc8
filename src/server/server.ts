/** `createServer()`: validates and compiles a definition once, and serves it on any number of connections. */

import { printable } from '../lib/errors/printable-error.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { readOptions } from '../lib/options/read-options.ts';
import { escapeControls } from '../lib/text/control-characters.ts';
import { createDeadlines } from '../lib/time/deadlines.ts';
import { deadlinesIn } from '../lib/time/internal-deadlines.ts';
import { runSafely } from '../lib/values/run-safely.ts';
import type { ServerGuard } from '../ports/guard.ts';
import type { LoggingLevel } from '../protocol/generated/types/records.ts';
import type { Input } from '../schema/standard.ts';
import type { Transport } from '../transport/transport.ts';
import type { ServerNotificationDefinition } from './definition/extension.ts';
import { serverHabits } from './definition/habits.ts';
import type {
  Mountable,
  Mounts,
  NoMounts,
  Prompts,
  ServerDefinition,
  ServerFeatures,
  Tools,
} from './definition/server.ts';
import { logChange } from './features/log-message.ts';
import { endingsOf, isGuarded, type ServerLike, withInternals } from './internals.ts';
import { durabilityNeeds, StoreSlot } from './kernel/attached-store.ts';
import { sourceIn } from './kernel/feature-source.ts';
import { createIdempotentCalls } from './kernel/runs/idempotency.ts';
import { createUsedStates } from './kernel/runs/used-states.ts';
import { type Serving, wholeRegistry } from './kernel/serving.ts';
import { withUsers } from './kernel/store-users.ts';
import { createOfferedRevisions, type OfferedRevisions } from './lifecycle/offered-revisions.ts';
import { LazyTasks } from './lifecycle/tasks/lazy-tasks.ts';
import { serverOptions } from './options.table.ts';
import type { ServerOptions } from './options.ts';
import type { ErrorContext } from './ports/call-limits.ts';
import { createChangeNotifier } from './ports/change-notifications.ts';
import { ConnectionEndings } from './ports/connection-endings.ts';
import { isDevelopment } from './ports/development.ts';
import type { SourceCaller } from './ports/source-caller.ts';
import { extensionNotification } from './registry/extension-notifications.ts';
import { contractsOf } from './registry/extensions.ts';
import type { MountedFeatures } from './registry/mount.ts';
import { createOffering, type FeaturesDraft } from './registry/offering.ts';
import { namesIn } from './registry/registry.ts';
import { createSealer } from './server-requests/sealed-state.ts';
import { acceptOptions } from './transport/accept-options.table.ts';
import type { AcceptOptions } from './transport/accept-options.ts';
import { type ServerConnection, serveTransport } from './transport/serve-transport.ts';

/** A server. Serve it with `serveStdio`, `serveHttp`, `toFetchHandler` or `accept`, or pass it to `connect`. */
export interface Server<T = Tools, P = Prompts> extends Mountable<T, P>, ServerLike {
  /** The name of the definition. */
  readonly name: string;
  /** The version of the definition. */
  readonly version: string;
  /** The current features, mounted ones included. */
  readonly features: ServerFeatures<T, P>;
  /** Changes the features: `server.update((draft) => { draft.tools.echo = tool(…); })`. Clients are notified. */
  update(change: (draft: FeaturesDraft) => void): void;
  /** Notifies the clients that subscribed to a resource. */
  sendResourceUpdated(uri: string): void;
  /**
   * Sends a log message that belongs to no call, such as `server.log('info', 'Connected to database')`, to every client
   * in a session that gets this level. In protocol versions without sessions log messages belong to a request: there
   * only handlers send them, with `ctx.log()`.
   */
  log(level: LoggingLevel, data: unknown, logger?: string): void;
  /**
   * Sends a notification of an extension to every client in a session that declared it. In protocol versions without
   * sessions only handlers send notifications, with `ctx.notify()`.
   */
  notify<N extends ServerNotificationDefinition>(notification: N, params: Input<N['params']>): void;
  /** Serves one connection over a transport. A server can serve any number at once. */
  accept(transport: Transport, options?: AcceptOptions): ServerConnection;
}

const webSchemes: readonly string[] = ['https', 'http'];

/**
 * Creates a server. A wrong definition or option throws `invalid-definition` here, with the place and a hint.
 *
 * ```ts
 * const server = createServer({
 *   name: 'weather',
 *   version: '1.0.0',
 *   tools: {
 *     forecast: tool({ inputSchema: z.object({ city: z.string() }) }, ({ city }) => `Sunny in ${city}`),
 *   },
 * });
 * await serveStdio(server);
 * ```
 */
export function createServer<
  const T extends Tools = Tools,
  const P extends Prompts = Prompts,
  const M extends Mounts = NoMounts,
  const Text extends string = string,
>(
  definition: ServerDefinition<T, P, M, Text>,
  options: ServerOptions = {},
): Server<MountedFeatures<T, M, 'tools'>, MountedFeatures<P, M, 'prompts'>> {
  const settings = readOptions('createServer()', serverOptions, options, {}, 'invalid-definition');
  const changes = createChangeNotifier();
  const offering = createOffering(definition, changes);
  if (settings.guard === undefined) refuseGuardedMounts(definition.mounts);
  const offered = createOfferedRevisions(settings, contractsOf(definition.extensions));
  const deadlines = deadlinesIn(options) ?? createDeadlines();
  const { idempotency, limits, requestState, secrets } = settings;
  const store = new StoreSlot(
    { hasSecrets: secrets !== undefined, needs: durabilityNeeds({ idempotency, tasks: settings.tasks }) },
    deadlines,
  );
  const failed = guardedFailed(settings.onError ?? toConsole);
  const once = { store, deadlines, failed: (error: unknown) => failed(error, { method: '', target: '' }) };
  const source = sourceIn(options);
  const tasks: LazyTasks = new LazyTasks(() => serving, offered.revisions, settings.tasks);
  const serving: Serving = {
    registry: () => offering.registry,
    source,
    guard: settings.guard,
    changes,
    endings: new ConnectionEndings(endingsOf(Object.values(definition.mounts ?? {}))),
    middleware: [...settings.middleware],
    sealer: createSealer(requestState, secrets),
    deadlines,
    tasks,
    idempotency: idempotency === false ? undefined : createIdempotentCalls(idempotency, definition.name, once),
    timeoutMs: settings.timeoutMs,
    maxConcurrentCalls: limits.maxConcurrentCalls,
    maxInputRounds: limits.maxInputRounds,
    urlSchemes: settings.allowedUrlSchemes ?? webSchemes,
    replay: settings.alwaysReplay,
    requiresState: requestState.required,
    usedStates: createUsedStates(requestState, once),
    store,
    onRootsListChanged: settings.onRootsListChanged,
    now: Date.now,
    listedTool: (...about) => listedTool(serving, definition.name, ...about),
    isDevelopment: () => isDevelopment(server),
    failed,
  };
  if (settings.guard !== undefined) useGuard(settings.guard, serving);
  const server: Omit<Server<MountedFeatures<T, M, 'tools'>, MountedFeatures<P, M, 'prompts'>>, keyof ServerLike> = {
    name: definition.name,
    version: definition.version,
    get features() {
      return offering.whole as ServerFeatures<MountedFeatures<T, M, 'tools'>, MountedFeatures<P, M, 'prompts'>>;
    },
    middleware: serving.middleware,
    update: offering.update,
    sendResourceUpdated: offering.updated,
    follow: offering.follow,
    log(level, data, logger) {
      const change = logChange(level, data, logger);
      if (offering.registry.capabilities.logging !== undefined) changes.publish(change);
    },
    notify: (notification, params) =>
      changes.publish(extensionNotification(definition.extensions, notification, params)),
    accept: acceptor(serving, offered, store),
  };
  return withInternals(Object.setPrototypeOf(server, serverHabits) as typeof server, {
    serving,
    offered,
    secrets,
    useStore: (...args) =>
      tasks.use(args[0], () =>
        withUsers([options.guard?.useStore, source?.useStore], args[0], () => store.use(...args)),
      ),
    checkStore: () => store.check(),
  });
}

const acceptor =
  (serving: Serving, offered: OfferedRevisions, store: StoreSlot): Server['accept'] =>
  (transport, own = {}) => {
    const { replay = serving.replay, now = serving.now, ...settings } = readOptions('accept()', acceptOptions, own);
    store.check();
    const deadlines = deadlinesIn(own) ?? serving.deadlines;
    return serveTransport({ ...serving, replay, deadlines, now }, offered, transport, settings);
  };

const listedTool = (
  serving: Serving,
  server: string,
  name: string,
  caller: SourceCaller,
): ReturnType<Serving['listedTool']> => ({ server, record: wholeRegistry(serving, caller).tools.get(name)?.record });

/** Finds what the guard names and the server does not have, and notifies clients when permissions change. */
function useGuard(guard: ServerGuard, { registry, changes, failed }: Serving): void {
  const checkNames = (isChange: boolean): void => {
    const warning = guard.checkNames?.(namesIn(registry()), isChange);
    if (warning !== undefined) failed(warning, { method: '', target: '' });
  };
  checkNames(false);
  guard.onChange(() => {
    checkNames(true);
    for (const kind of ['tools', 'resources', 'prompts'] as const) changes.publish({ kind });
  });
}

/** Its guard is not asked where a server is mounted, so that its features would be open to every caller. */
function refuseGuardedMounts(mounts: Mounts = {}): void {
  const guarded = Object.keys(mounts).find((prefix) => isGuarded(mounts[prefix] as object));
  if (guarded === undefined) return;
  const hint = 'Pass a guard to the server that mounts it; its policy decides about mounted features, too.';
  throw new TenonError('invalid-definition', `mounts.${guarded} has a guard, and this server has none.`, { hint });
}

/** Clients never get these errors, so they are printed. Every transport leaves stderr free. */
function toConsole(error: unknown, { method, target, requestId }: ErrorContext): void {
  const where = escapeControls([method, target].filter((word) => word !== '').join(' '));
  const request = requestId === undefined ? '' : ` (request ${requestId})`;
  console.error(where === '' ? 'tenon:' : `tenon: ${where} failed${request}:`, printable(error));
}

/** `onError` may throw too, which must not affect the call. */
const guardedFailed =
  (failed: Serving['failed']): Serving['failed'] =>
  (error, call) => {
    runSafely(
      () => failed(error, call),
      (second) => toConsole(second, call),
    );
  };
