/** Builds a client: the parts that last as long as the client, and its connections. */
import { withDefaults } from '../lib/options/read-options.ts';
import type { Notification } from '../protocol/neutral.ts';
import { type ReportTap, tapConnection } from '../transport/tap.ts';
import { tappedTransport } from '../transport/tapped-transport.ts';
import type { Client } from './api/client.ts';
import type { ConnectionStateChange } from './api/connection-state.ts';
import type { Contract } from './api/contract.ts';
import type { ConnectOptions } from './api/options.ts';
import { reconnectOptions } from './api/reconnect-options.table.ts';
import type { ReconnectOptions } from './api/reconnect-options.ts';
import { type Cache, type CachePorts, createCache } from './cache/cache.ts';
import { Calls } from './calls/calls.ts';
import { withDeadline } from './calls/deadline.ts';
import { KnownTools } from './calls/known-tools.ts';
import { Subscriptions } from './changes/subscriptions.ts';
import { declares } from './connection/capabilities.ts';
import { type Connection, type ConnectionOptions, messageLimitsOf, openConnection } from './connection/connection.ts';
import type { Connector, OpenConnection, PendingReason } from './connection/connector.ts';
import { contractTimedOut, withContract } from './connection/expected-contract.ts';
import { withStep } from './connection/failed-step.ts';
import { ClientSettings, type SettingsPorts } from './connection/settings.ts';
import { createClientMethods } from './features/client-methods.ts';
import type { ClientMethodsPorts } from './features/lists.ts';
import { RememberedTasks } from './features/tasks/remembered-tasks.ts';
import { TaskHints } from './features/tasks/task-hints.ts';
import { ConnectionHandle, cancelConnectingOn } from './reconnect/connection-handle.ts';
import { connectionClosed } from './reconnect/refusals.ts';
import { ConnectionSupervisor, type ReconnectPolicy, type SupervisorPorts } from './reconnect/supervisor.ts';
import { type Backoff, retryAfterOf, waitMs } from './retry/backoff.ts';
import { resolveWithin } from './retry/resolve-within.ts';

/**
 * How long running calls may take when the client closes.
 * @limit client
 * @default 5 s, or `timeoutMs` of `close`
 * @beyond they fail
 * @code connection-closed
 */
const defaultCloseMs = 5000;
/** How long calls wait for the log level and subscriptions to be restored. */
const restoreMs = 5000;

/** Settings for tests only. */
export interface ClientLimits {
  /** From 0 to 1, for jitter. */
  readonly random: () => number;
  /** How many calls may wait for a connection. */
  readonly maxWaiting: number;
}

/**
 * Calls that wait for a connection.
 * @limit client
 * @beyond the call fails
 * @code queue-full
 */
const maxWaiting = 10_000;

const defaultLimits: ClientLimits = { random: Math.random, maxWaiting };

/** A client that connects when it is first used. */
export const buildClient = <S>(
  connector: Connector,
  options: ConnectOptions,
  limits: ClientLimits = defaultLimits,
): Client<S> => createClientMethods<S>(new ClientCore(connector, options, limits));

/** Connects before the client is returned; a failure of the first attempt is thrown. */
export async function buildConnectedClient<S>(connector: Connector, options: ConnectOptions): Promise<Client<S>> {
  const client = buildClient<S>(connector, options);
  try {
    await client.connection.ready(options.signal && { signal: options.signal });
  } catch (error) {
    await client.close({ timeoutMs: 1 });
    throw error;
  }
  return client;
}

/** Holds the parts of one client. Some are made on first use: a process may have many idle clients. */
class ClientCore implements ClientMethodsPorts, SupervisorPorts, CachePorts, SettingsPorts {
  readonly settings: ClientSettings;
  readonly supervisor: ConnectionSupervisor;
  readonly knownTools: KnownTools;
  readonly calls: Calls;
  readonly connection: ConnectionHandle;
  readonly #connector: Connector;
  readonly #options: ConnectOptions;
  readonly #policy: ReconnectPolicy;
  readonly #limits: ClientLimits;
  #subscriptions: Subscriptions | undefined;
  #cache: Cache | undefined;
  /** The tap of the last connection. */
  #report: ReportTap | undefined;
  #hints: TaskHints | undefined;
  #remembered: RememberedTasks | undefined;

  constructor(connector: Connector, options: ConnectOptions, limits: ClientLimits) {
    this.#connector = connector;
    this.#options = options;
    this.#limits = limits;
    this.#policy = policyOf(options, connector.reconnects);
    this.settings = new ClientSettings(options, this);
    this.supervisor = new ConnectionSupervisor(this, this.settings.deadlines, this.#policy, limits);
    this.knownTools = new KnownTools(trustsToolAnnotations(options));
    this.calls = new Calls(this.supervisor, this.settings, this.knownTools, connector.startsServer !== true);
    this.connection = new ConnectionHandle(this.supervisor, this.settings);
    // A shared cache is notified of every connection: its entries expire at each but the first.
    if (typeof options.cache === 'object' && options.cache.shared !== undefined) this.#cache = this.#createCache();
    if (options.signal !== undefined) cancelConnectingOn(options.signal, this.supervisor, this.connection);
  }

  get outputs(): ConnectOptions['jsonSchemaValidator'] {
    return this.#options.jsonSchemaValidator;
  }

  get cache(): Cache {
    this.#cache ??= this.#createCache();
    return this.#cache;
  }

  #createCache(): Cache {
    return createCache(this.#options.cache ?? {}, this);
  }

  get hints(): TaskHints {
    this.#hints ??= new TaskHints();
    return this.#hints;
  }

  get remembered(): RememberedTasks | undefined {
    const { taskMemory } = this.settings;
    if (taskMemory === undefined) return undefined;
    this.#remembered ??= new RememberedTasks(
      taskMemory,
      () => this.address ?? this.supervisor.lastKnown.server?.name ?? '',
    );
    return this.#remembered;
  }

  get subscriptions(): Subscriptions {
    this.#subscriptions ??= this.#createSubscriptions();
    return this.#subscriptions;
  }

  #createSubscriptions(): Subscriptions {
    const { deadlines, timeoutMs } = this.settings;
    const { backoff } = this.#policy;
    const { random } = this.#limits;
    return new Subscriptions({
      deadlines,
      timeoutMs,
      warn: (error) => this.warn(error),
      reconnects: backoff !== undefined,
      onMissed: () => this.#cache?.expireAll(),
      waitForConnection: (options) => this.supervisor.waitForConnection(options),
      pause: (ms, signal) => this.supervisor.pause(ms, signal),
      waitMs: (failures, error) => jitteredWait(backoff, failures, error, random),
    });
  }

  connect(signal: AbortSignal): Promise<Connection> {
    const { settings } = this;
    const { deadlines, timeoutMs, openResources } = settings;
    const due = deadlines.now() + timeoutMs;
    const usual = connectionOptionsOf(this.#options);
    const report = this.#tapped();
    const open: OpenConnection = (transport, own) =>
      openConnection(
        report === undefined ? transport : tappedTransport(transport, report, 'client'),
        settings,
        { ...usual, ...own },
        due,
        signal,
      );
    const { contract } = this.#options;
    const opened = this.#connector.connect(open, signal, deadlines, report);
    // All its lists have the time of one attempt: a server decides how many pages they have.
    const check = (one: Connection): Promise<Connection> =>
      withDeadline(
        deadlines,
        timeoutMs,
        signal,
        () => contractTimedOut(timeoutMs),
        (until) => withContract(one, contract as Contract, timeoutMs, until),
      );
    const fitting = contract === undefined ? opened : opened.then(check);
    const connecting = fitting.catch((error) => {
      throw withStep(error);
    });
    openResources.acquire();
    openResources.release(connecting);
    return connecting;
  }

  /** Every connection has its own number. */
  #tapped(): ReportTap | undefined {
    const { tap } = this.#options;
    this.#report = tap && tapConnection(tap);
    return this.#report;
  }

  pendingReason(): PendingReason | undefined {
    return this.#connector.pendingReason?.();
  }

  async restore(connection: Connection, again: boolean): Promise<void> {
    const { settings } = this;
    this.knownTools.forget();
    this.#cache?.onConnected(connection);
    const level = restoreLevel(connection, settings).catch((error) => this.warn(error));
    // A server that does not answer this may still answer calls.
    const restored = Promise.all([level, again && this.#subscriptions?.restore(connection)]);
    await resolveWithin(undefined, restored, settings.deadlines, restoreMs);
  }

  onStateChange(change: ConnectionStateChange): void {
    this.#report?.({ kind: 'state', text: change.to });
    this.connection.notify(change);
  }

  onClosed(reason: Error | undefined): void {
    this.#subscriptions?.close(reason, this.supervisor.isClosing);
    this.#hints?.close(connectionClosed(reason));
    this.settings.callUser('onClose', () => this.#options.onClose?.(reason));
    this.connection.close();
    this.settings.openResources.clientClosed();
    this.settings.close();
  }

  warn(error: Error): void {
    this.settings.warn(error);
  }

  onNotification(notification: Notification): void {
    // The cache expires first: listeners read again at once.
    this.#cache?.onNotification(notification);
    this.#subscriptions?.onNotification(notification);
    this.#hints?.onNotification(notification);
    if (notification.method === 'notifications/tools/list_changed') this.knownTools.outdated();
  }

  onMissed(): void {
    this.#cache?.expireAll();
    this.#subscriptions?.onMissed();
  }

  onDelayed(isDelayed: boolean): void {
    this.supervisor.delayed(isDelayed);
  }

  now(): number {
    return this.settings.deadlines.now();
  }

  get isUsable(): boolean {
    const { state } = this.supervisor;
    return state !== 'draining' && state !== 'closed';
  }

  get address(): string | undefined {
    return this.#connector.address;
  }

  capabilities(): object {
    return this.settings.introduction().capabilities;
  }

  async close({ timeoutMs = defaultCloseMs }: { readonly timeoutMs?: number } = {}): Promise<void> {
    const { deadlines, openResources } = this.settings;
    this.supervisor.dispatch({ kind: 'close' });
    const tooLate = deadlines.add(timeoutMs, () => this.supervisor.dispatch({ kind: 'drained' }));
    await openResources.allReleased();
    deadlines.cancel(tooLate);
    this.settings.close();
  }
}

const connectionOptionsOf = ({
  strict,
  limits,
  requiredCapabilities,
  messageAuthorization,
}: ConnectOptions): ConnectionOptions => ({
  ...(strict !== undefined && { strict }),
  ...(limits && { limits: messageLimitsOf(limits) }),
  ...(requiredCapabilities && { requiredCapabilities }),
  ...(messageAuthorization !== undefined && { messageAuthorization }),
});

const trustsToolAnnotations = ({ reconnect }: ConnectOptions): boolean =>
  typeof reconnect === 'object' && reconnect.trustToolAnnotations === true;

const policyFrom = (options: ReconnectOptions): ReconnectPolicy & { readonly backoff: Backoff } => {
  const read = withDefaults(reconnectOptions, options);
  const { maxConsecutiveFailures: breakAfter, resetAfterMs: settleMs } = read;
  const { initialDelayMs, maxDelayMs, maxAttemptsPerMinute } = read;
  return { breakAfter, settleMs, backoff: { initialDelayMs, maxDelayMs, maxAttemptsPerMinute } };
};

const again = policyFrom({});
const once: ReconnectPolicy = { ...again, backoff: undefined };

function policyOf({ reconnect }: ConnectOptions, reconnects: boolean): ReconnectPolicy {
  if (typeof reconnect === 'object') return policyFrom(reconnect);
  return (reconnect ?? reconnects) ? again : once;
}

const jitteredWait = (
  backoff: Backoff = again.backoff,
  failures: number,
  error: Error | undefined,
  random: () => number,
): number => waitMs(backoff, { failures, times: [], now: 0, retryAfterMs: retryAfterOf(error) }, random);

async function restoreLevel(connection: Connection, { logLevel: level, timeoutMs }: ClientSettings): Promise<void> {
  if (level === undefined || !declares(connection.capabilities, 'logging')) return;
  if (!connection.conversation.revision.client.requests.has('logging/setLevel')) return;
  await connection.conversation.call('logging/setLevel', { level }, { timeoutMs });
}
