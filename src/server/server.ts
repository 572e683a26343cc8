/** `createServer()`: validates and compiles a definition once, and serves it on any number of connections. */

import { printable } from '../lib/errors/printable-error.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { escapeControls } from '../lib/text/control-characters.ts';
import { createDeadlines } from '../lib/time/deadlines.ts';
import { deadlinesIn } from '../lib/time/internal-deadlines.ts';
import { runSafely } from '../lib/values/run-safely.ts';
import type { ServerGuard } from '../ports/guard.ts';
import type { LoggingLevel } from '../protocol/generated/types/records.ts';
import type { Input } from '../schema/standard.ts';
import type { Transport } from '../transport/transport.ts';
import type { RootsListChange } from './definition/context.ts';
import type { ServerNotificationDefinition } from './definition/extension.ts';
import type { Middleware } from './definition/middleware.ts';
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
import { isGuarded, type ServerLike, withInternals } from './internals.ts';
import { durabilityNeeds, StoreSlot } from './kernel/attached-store.ts';
import { createIdempotentCalls, type IdempotencyOptions } from './kernel/runs/idempotency.ts';
import { createUsedStates } from './kernel/runs/used-states.ts';
import type { Serving } from './kernel/serving.ts';
import { withUsers } from './kernel/store-users.ts';
import { createOfferedRevisions, type RevisionOptions } from './lifecycle/offered-revisions.ts';
import { LazyTasks } from './lifecycle/tasks/lazy-tasks.ts';
import { checkServerOptions } from './options.ts';
import type { ErrorContext, ServerLimits, TaskLimits } from './ports/call-limits.ts';
import { createChangeNotifier } from './ports/change-notifications.ts';
import { extensionNotification } from './registry/extension-notifications.ts';
import { contractsOf } from './registry/extensions.ts';
import type { MountedFeatures } from './registry/mount.ts';
import { createOffering, type FeaturesDraft } from './registry/offering.ts';
import type { RequestStateOptions } from './server-requests/sealed-state.ts';
import { createSealer, usedStateLimits } from './server-requests/sealed-state.ts';
import { type AcceptOptions, type ServerConnection, serveTransport } from './transport/serve-transport.ts';

/** The options of `createServer()`. */
export interface ServerOptions extends RevisionOptions {
  /** Runs in order around every call, subscription and change of the log level; none by default. */
  readonly middleware?: readonly Middleware[];
  /** The time limit of a call, unless its definition has its own; none by default. Waiting for the client does not count. */
  readonly timeoutMs?: number;
  /** Who may see and do what, how often, and the record of it: `guard({ policy, audit })` of `tenon/guard`. By default every caller may do everything. */
  readonly guard?: ServerGuard;
  /** How much one connection and one call may use. */
  readonly limits?: ServerLimits;
  /** The schemes that the URL of an elicitation may have; http and https by default. */
  readonly allowedUrlSchemes?: readonly string[];
  /**
   * Secrets of 16 characters or more that seal `requestState` and session IDs. The first one seals; the others still
   * open what they have sealed, so that a secret can be replaced. By default each process makes a random one: what it
   * sealed is lost with a restart, and other nodes cannot open it.
   */
  readonly secrets?: readonly string[];
  /** How the state of a call that waits for input is sealed. */
  readonly requestState?: RequestStateOptions;
  /** How calls with an idempotency key are stored, so that each runs once; `false` ignores the keys. */
  readonly idempotency?: IdempotencyOptions | false;
  /** How calls run as tasks, and how much they may store. */
  readonly tasks?: TaskLimits;
  /** Replays handlers that request input under every protocol version, to find those that cannot run twice; false by default. */
  readonly alwaysReplay?: boolean;
  /**
   * Called when a client has sent that its roots have changed; `listRoots()` of the argument asks for the new ones. One
   * callback at a time runs for each session. Only protocol versions with sessions have this notification.
   */
  readonly onRootsListChanged?: (change: RootsListChange) => void | Promise<void>;
  /** Called with what handlers threw; `console.error` by default. Clients never get these errors. */
  readonly onError?: (error: unknown, call: ErrorContext) => void;
}

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
  checkServerOptions(options);
  const changes = createChangeNotifier();
  const offering = createOffering(definition, changes);
  if (options.guard === undefined) refuseGuardedMounts(definition.mounts);
  const offered = createOfferedRevisions(options, contractsOf(definition.extensions));
  const middleware = [...(options.middleware ?? [])];
  const deadlines = deadlinesIn(options) ?? createDeadlines();
  const { idempotency = {}, limits = {}, requestState = {}, secrets } = options;
  const store = new StoreSlot(
    { hasSecrets: secrets !== undefined, needs: durabilityNeeds({ idempotency, tasks: options.tasks }) },
    deadlines,
  );
  const failed = guardedFailed(options.onError ?? toConsole);
  const once = { store, deadlines, failed: (error: unknown) => failed(error, { method: '', target: '' }) };
  const tasks: LazyTasks = new LazyTasks(() => serving, offered.revisions, options.tasks ?? {});
  const serving: Serving = {
    registry: () => offering.registry,
    guard: options.guard,
    changes,
    middleware,
    sealer: createSealer(requestState, secrets),
    deadlines,
    tasks,
    idempotency: idempotency === false ? undefined : createIdempotentCalls(idempotency, definition.name, once),
    timeoutMs: options.timeoutMs,
    maxConcurrentCalls: limits.maxConcurrentCalls ?? 1000,
    maxInputRounds: limits.maxInputRounds ?? 16,
    urlSchemes: options.allowedUrlSchemes ?? webSchemes,
    replay: options.alwaysReplay ?? false,
    requiresState: requestState.required ?? true,
    usedStates: createUsedStates(usedStateLimits(requestState), once),
    store,
    onRootsListChanged: options.onRootsListChanged,
    now: Date.now,
    failed,
  };
  options.guard?.onChange(() => {
    for (const kind of ['tools', 'resources', 'prompts'] as const) changes.publish({ kind });
  });
  const server: Omit<Server<MountedFeatures<T, M, 'tools'>, MountedFeatures<P, M, 'prompts'>>, keyof ServerLike> = {
    name: definition.name,
    version: definition.version,
    get features() {
      return offering.whole as ServerFeatures<MountedFeatures<T, M, 'tools'>, MountedFeatures<P, M, 'prompts'>>;
    },
    middleware,
    update: offering.update,
    sendResourceUpdated: offering.updated,
    follow: offering.follow,
    log(level, data, logger) {
      const change = logChange(level, data, logger);
      if (offering.registry.capabilities.logging !== undefined) changes.publish(change);
    },
    notify: (notification, params) =>
      changes.publish(extensionNotification(definition.extensions, notification, params)),
    accept(transport, own = {}) {
      store.check();
      const { replay = serving.replay, now = serving.now } = own;
      const deadlines = deadlinesIn(own) ?? serving.deadlines;
      return serveTransport({ ...serving, replay, deadlines, now }, offered, transport, own);
    },
  };
  return withInternals(server, {
    serving,
    offered,
    secrets,
    useStore: (...given) =>
      tasks.use(given[0], () => withUsers([options.guard?.useStore], given[0], () => store.use(...given))),
    checkStore: () => store.check(),
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
