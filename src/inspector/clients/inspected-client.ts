/** One client of the inspector: its connection, what is known of it, and what it has seen. */
import type { AuthStep } from '../../auth/client/steps.ts';
import type { ClientHandlers } from '../../client/answers/handlers.ts';
import type { Client } from '../../client/api/client.ts';
import type { ConnectionState, ConnectionStateChange } from '../../client/api/connection-state.ts';
import { useExtension } from '../../client/api/extensions.ts';
import type { ConnectOptions } from '../../client/api/options.ts';
import type { Task, TaskMemory } from '../../client/api/tasks.ts';
import type { ClientAuth } from '../../client/http/port/client-auth.ts';
import type { createClient, HttpTarget, Target } from '../../node/connect.ts';
import { appMimeType, appsExtension } from '../../protocol/apps.ts';
import type { LoggingLevel, Root } from '../../protocol/generated/types/records.ts';
import { isWithoutSessions, type ProtocolVersion } from '../../protocol/revisions/revisions.ts';
import type { ApiConnectOptions, ClientInfo } from '../api/clients.ts';
import type { ApiError } from '../api/errors.ts';
import { apiError, InspectorError } from '../api-error.ts';
import type { EventLog } from '../event-log.ts';
import { beginningOf, maxLineChars, maxNameChars } from '../stored-text.ts';
import type { LiveTap } from './live-tap.ts';
import { type Questions, questionMs } from './questions.ts';
import type { ResolvedTarget } from './targets.ts';
import { storedTask } from './tasks-in-messages.ts';
import { Watching } from './watching.ts';

export interface ClientPorts {
  /** Connects to what can be reached from where the inspector runs. */
  readonly createClient: (...of: Parameters<typeof createClient>) => Client;
  /** The authorization of a client that signs in; `onStep` gets each step. Absent where none can. */
  readonly signIn?:
    | ((client: string, questions: Questions, onStep: (step: AuthStep) => void) => ClientAuth)
    | undefined;
  readonly log: EventLog;
  readonly tap: LiveTap;
  readonly questions: Questions;
  readonly taskMemory: TaskMemory | undefined;
  /** Called when a client is connected, not when it connects again by itself. */
  readonly onReady: (client: InspectedClient) => void;
  /** The runs of a client that wait for a result. */
  readonly runningOf: (client: string) => readonly string[];
  /** The version of Tenon. */
  readonly version: string;
  readonly now: () => number;
}

/** Steps of an authorization, and tasks, that are remembered of one client. */
const maxSteps = 200;
const maxTasks = 200;
/** Numbers of connections that are remembered; a client may reconnect for days. */
const maxConnections = 1000;

/** The extension by which a server knows that its apps are shown. */
const shownApps = useExtension(appsExtension, { settings: { mimeTypes: [appMimeType] } });

export class InspectedClient {
  readonly id: string;
  readonly resolved: ResolvedTarget;
  readonly options: ApiConnectOptions;
  readonly tasks = new Map<string, Task>();
  readonly watching: Watching;
  readonly #ports: ClientPorts;
  readonly #openedAt: number;
  #client: Client | undefined;
  /** What the server sent about itself when it was last connected. */
  #known: Pick<ClientInfo, 'protocolVersion' | 'hasSession' | 'capabilities' | 'server' | 'instructions'> = {};
  #state: ConnectionState = 'idle';
  #error: ApiError | undefined;
  #retryAt: number | undefined;
  #transport: string | undefined;
  #logLevel: LoggingLevel | undefined;
  #roots: readonly Root[];
  #connections: number[] = [];
  #auth: AuthStep[] = [];

  constructor(id: string, resolved: ResolvedTarget, options: ApiConnectOptions, ports: ClientPorts) {
    this.id = id;
    this.resolved = resolved;
    this.options = options;
    this.#ports = ports;
    this.#openedAt = ports.now();
    this.#roots = options.roots ?? [];
    this.#logLevel = options.logLevel;
    this.watching = new Watching(id, ports.log, () => this.changed());
  }

  get info(): ClientInfo {
    const { server } = this.#known;
    return {
      id: this.id,
      label: this.options.label ?? server?.title ?? server?.name ?? this.resolved.name,
      target: this.resolved.requested,
      shown: this.resolved.shown,
      options: this.options,
      state: this.#state,
      ...(this.#error && { error: this.#error }),
      ...(this.#retryAt !== undefined && { retryAt: this.#retryAt }),
      ...this.#known,
      ...(this.#transport !== undefined && { transport: this.#transport }),
      connections: this.#connections,
      auth: this.#auth,
      subscriptions: this.watching.uris,
      ...(this.#logLevel !== undefined && { logLevel: this.#logLevel }),
      roots: this.#roots,
      openedAt: this.#openedAt,
    };
  }

  /** The client that can be called. Throws `not-connected` if it was closed, or could not be connected. */
  get client(): Client {
    if (this.#client !== undefined && this.#state !== 'closed') return this.#client;
    throw new InspectorError('not-connected', 'The client is not connected.', 'Connect it again.');
  }

  get isReady(): boolean {
    return this.#state === 'ready';
  }

  changed(): void {
    this.#ports.log.publish({ type: 'client', client: this.info });
  }

  /** Starts to connect. `info` has the outcome. */
  connect(): void {
    this.#error = undefined;
    this.#auth = [];
    try {
      const client = this.#ports.createClient(this.#target(), this.#connectOptions());
      this.#client = client;
      this.#state = 'connecting';
      client.connection.on('state', (change) => this.#onState(client, change));
      this.changed();
      client.connection.ready().then(
        () => this.#client === client && this.#started(client),
        (error: unknown) => void this.#failed(client, error),
      );
    } catch (error) {
      this.#state = 'closed';
      this.#error = apiError(error);
      this.changed();
    }
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    this.#state = 'closed';
    this.#retryAt = undefined;
    this.watching.stop();
    // Calls that are open may hold the connection for the whole second: the page shows at once what was done.
    this.changed();
    await client?.close({ timeoutMs: 1000 });
  }

  /** Handlers for the server requests that this client declares, which belong to one of these runs. */
  handlersFor(runs: () => readonly string[]): ClientHandlers {
    const { elicitation = true, sampling = true } = this.options.answers ?? {};
    const { sample, ...elicits } = this.#ports.questions.handlersFor(this.id, runs);
    return { ...(elicitation && elicits), ...(sampling && { sample }) };
  }

  setRoots(roots: readonly Root[]): void {
    this.#roots = roots;
    if (this.isReady) this.client.sendRootsListChanged();
    this.changed();
  }

  async setLogLevel(level: LoggingLevel): Promise<void> {
    await this.client.setLogLevel(level);
    this.#logLevel = level;
    this.changed();
  }

  seenTask(seen: Task): void {
    const task = storedTask(seen);
    this.tasks.delete(task.taskId);
    this.tasks.set(task.taskId, task);
    const [oldest = task.taskId] = this.tasks.keys();
    if (this.tasks.size > maxTasks) this.tasks.delete(oldest);
    this.#ports.log.publish({ type: 'task', client: this.id, task });
  }

  #started(client: Client): void {
    this.watching.start(client);
    this.#ports.onReady(this);
  }

  /** The first attempt has failed: the user decides whether there is another. */
  async #failed(client: Client, error: unknown): Promise<void> {
    if (this.#client !== client) return;
    this.#error = apiError(error);
    this.#state = 'closed';
    this.#retryAt = undefined;
    this.changed();
    await client.close({ timeoutMs: 1 });
  }

  #onState(client: Client, { to, error, retryDelayMs }: ConnectionStateChange): void {
    if (this.#client !== client || this.#state === 'closed') return;
    this.#state = to;
    if (to === 'ready') {
      this.#error = undefined;
      this.#known = knownOf(client);
    } else if (error !== undefined) this.#error = apiError(error);
    this.#retryAt = to === 'backoff' && retryDelayMs !== undefined ? this.#ports.now() + retryDelayMs : undefined;
    this.changed();
  }

  #target(): Target {
    const { target, signsIn } = this.resolved;
    const { questions, signIn } = this.#ports;
    if (!signsIn || signIn === undefined) return target;
    const onStep = (step: AuthStep): void => {
      if (this.#auth.length < maxSteps) this.#auth = [...this.#auth, step];
      this.#ports.log.publish({ type: 'auth', client: this.id, step });
    };
    return { ...(target as HttpTarget), auth: signIn(this.id, questions, onStep) };
  }

  #connectOptions(): ConnectOptions {
    const { log, tap, taskMemory: memory, version, runningOf } = this.#ports;
    const { protocolVersion, timeoutMs, answers = {} } = this.options;
    return {
      clientInfo: { name: 'tenon-inspector', title: 'Tenon Inspector', version },
      ...(protocolVersion !== undefined && { protocolVersions: [protocolVersion as ProtocolVersion] }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      timeouts: { inputMs: questionMs },
      logLevel: this.#logLevel ?? 'debug',
      ...(memory && { tasks: { memory } }),
      extensions: [shownApps],
      handlers: {
        ...this.handlersFor(() => runningOf(this.id)),
        ...(answers.sampling !== false && { samplingTools: true }),
        ...(answers.roots !== false && { roots: () => this.#roots }),
      },
      tap: tap.forClient(this.id, (number, transport) => {
        this.#connections = [...this.#connections, number].slice(-maxConnections);
        this.#transport = transport;
      }),
      onLog: ({ level, logger: name, data }) => {
        const logger = name === undefined ? {} : { logger: beginningOf(name, maxNameChars) };
        log.publish({ type: 'log', client: this.id, level, ...logger, data: cut(data) });
      },
      onWarning: ({ code, message }) =>
        log.publish({ type: 'warning', client: this.id, code, message: beginningOf(message, maxLineChars) }),
    };
  }
}

const knownOf = ({ protocolVersion, capabilities, serverInfo: server, instructions }: Client): Partial<ClientInfo> => ({
  protocolVersion,
  hasSession: !isWithoutSessions(protocolVersion),
  capabilities,
  ...(server && { server }),
  ...(instructions !== undefined && { instructions }),
});

function cut(data: unknown): unknown {
  const text = JSON.stringify(data) ?? '';
  return text.length <= maxLineChars ? data : beginningOf(text, maxLineChars);
}
