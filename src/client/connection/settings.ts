/** The settings of a client, the same for all of its connections. */

import { RpcError, toWarning } from '../../jsonrpc/errors.ts';
import { createPeerCounts, type PeerCounts } from '../../jsonrpc/peer-counts.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { createWarningLog } from '../../lib/errors/warning-log.ts';
import { type Filled, withDefaults } from '../../lib/options/read-options.ts';
import { type Deadlines, processDeadlines } from '../../lib/time/deadlines.ts';
import { deadlinesIn } from '../../lib/time/internal-deadlines.ts';
import type { Fields } from '../../lib/values/is.ts';
import { runSafely } from '../../lib/values/run-safely.ts';
import type { CompatOptions, Dialect } from '../../protocol/dialects/compat-options.ts';
import { checkCompat } from '../../protocol/dialects/compat-rule.ts';
import { withDialects } from '../../protocol/dialects/dialects.ts';
import { declaringFoundingTasks } from '../../protocol/dialects/founding-tasks.ts';
import { withExtensions } from '../../protocol/extensions/with-extensions.ts';
import type { ClientCapabilities, Implementation, LoggingLevel } from '../../protocol/generated/types/records.ts';
import { version } from '../../protocol/generated/version.ts';
import type { InputRequest, Introduction, Notification } from '../../protocol/neutral.ts';
import { Progress } from '../../protocol/progress.ts';
import type { Revision } from '../../protocol/revision.ts';
import { chosenRevisions } from '../../protocol/revisions/accepted.ts';
import { withTasks } from '../../protocol/tasks/extension-tasks.ts';
import type { RequestAnswerer } from '../answers/answering.ts';
import { answer, type ClientHandlers, capabilitiesOf, runsTasks, unansweredError } from '../answers/handlers.ts';
import { RunningTasks } from '../answers/tasks/running-tasks.ts';
import { UrlElicitations } from '../answers/url-elicitations.ts';
import type { ListLimits } from '../api/listing.ts';
import { connectLimits, connectOptions, connectTimeouts } from '../api/options.table.ts';
import type { ConnectLimits, ConnectOptions, ConnectTimeouts, LogEntry } from '../api/options.ts';
import type { TaskMemory } from '../api/tasks.ts';
import type { ConnectionSettings } from './connection.ts';
import { type Extensions, readExtensions } from './extensions.ts';
import { OpenResources } from './open-resources.ts';

const defaultClientInfo: Implementation = { name: 'tenon', version };

/** Called with notifications that are not handled here. */
export interface SettingsPorts {
  onNotification(notification: Notification): void;
  /** Called when notifications may have been missed. */
  onMissed(): void;
  /** Called when a request waits for credentials, and when it no longer does. */
  onDelayed(isDelayed: boolean): void;
}

type Timeouts = Filled<ConnectTimeouts, typeof connectTimeouts>;
type Limits = Filled<ConnectLimits, typeof connectLimits>;

/** Most clients set none: they share one object. */
const usualTimeouts: Timeouts = withDefaults<ConnectTimeouts, typeof connectTimeouts>(connectTimeouts, {});
const usualLimits: Limits = withDefaults<ConnectLimits, typeof connectLimits>(connectLimits, {});

const timeoutsOf = (timeouts: ConnectTimeouts | undefined): Timeouts =>
  timeouts === undefined ? usualTimeouts : withDefaults(connectTimeouts, timeouts);
const limitsOf = (limits: ConnectLimits | undefined): Limits =>
  limits === undefined ? usualLimits : withDefaults(connectLimits, limits);

export class ClientSettings implements ConnectionSettings, RequestAnswerer {
  readonly accepted: readonly Revision[];
  readonly deadlines: Deadlines;
  readonly urlElicitations: UrlElicitations;
  readonly progress: Progress;
  readonly extensions: Extensions;
  readonly counts: PeerCounts = createPeerCounts();
  readonly openResources = new OpenResources();
  readonly timeoutMs: number;
  /** The longest time of one request, progress included. */
  readonly maxTotalMs: number;
  /** The log level that the user has set. */
  logLevel: LoggingLevel | undefined;
  readonly #options: ConnectOptions;
  readonly #timeouts: Timeouts;
  readonly #limits: Limits;
  readonly #ports: SettingsPorts;
  /** Created on first use. */
  #runningTasks: RunningTasks | undefined;
  /** Created on first use. */
  #onWarning: ConnectOptions['onWarning'];

  constructor(options: ConnectOptions, ports: SettingsPorts) {
    this.#options = options;
    this.#ports = ports;
    this.#timeouts = timeoutsOf(options.timeouts);
    this.#limits = limitsOf(options.limits);
    this.deadlines = deadlinesIn(options) ?? processDeadlines();
    this.urlElicitations = new UrlElicitations(
      options.handlers ?? noAnswers,
      this.deadlines,
      this.#timeouts.urlElicitationMs,
    );
    this.progress = new Progress(this.counts);
    this.extensions = readExtensions(options.extensions);
    this.accepted = acceptedBy(options, this.extensions);
    this.timeoutMs = options.timeoutMs ?? connectOptions.timeoutMs.default;
    this.maxTotalMs = this.#timeouts.maxTotalMs ?? 10 * this.timeoutMs;
    this.logLevel = options.logLevel;
  }

  get inputMs(): number {
    return this.#timeouts.inputMs;
  }

  get maxInputRounds(): number {
    return this.#limits.maxInputRounds;
  }

  /** The server requests that run as tasks, on all connections; absent if the client runs none. */
  get runningTasks(): RunningTasks | undefined {
    const { answers } = this.urlElicitations;
    if (!runsTasks(answers)) return undefined;
    this.#runningTasks ??= new RunningTasks(typeof answers.tasks === 'object' ? answers.tasks : {}, this.deadlines);
    return this.#runningTasks;
  }

  /** How long a followed task may be unreachable. */
  get taskOutageMs(): number {
    return this.#timeouts.taskOutageMs;
  }

  get taskMemory(): TaskMemory | undefined {
    return this.#options.tasks?.memory;
  }

  get refreshIntervalMs(): number {
    return this.#timeouts.refreshIntervalMs;
  }

  get listLimits(): ListLimits {
    return this.#limits;
  }

  get discoveryMs(): number {
    return this.#timeouts.discoveryMs;
  }

  get pingIntervalMs(): number | undefined {
    return this.#timeouts.pingIntervalMs;
  }

  get trace(): ConnectOptions['telemetry'] {
    return this.#options.telemetry;
  }

  /** Answers by the handlers of one call, or by those of the client. */
  answererFor(own: ClientHandlers | undefined): RequestAnswerer {
    if (own === undefined) return this;
    const { deadlines, inputMs } = this;
    const handlers = this.urlElicitations.answersOf(own);
    return { deadlines, inputMs, answer: (...request) => this.#answerBy(handlers, ...request) };
  }

  /** In a session without `declaresTasks`: there the extension does not exist, but a dialect of tasks may. */
  introduction(declaresTasks?: boolean): Introduction {
    const { declared, declaredWithTasks } = this.extensions;
    const extensions = declaresTasks ? declaredWithTasks : declared;
    const { clientInfo: client = defaultClientInfo, experimental, compat } = this.#options;
    const capabilities: ClientCapabilities = {
      ...capabilitiesOf(this.urlElicitations.answers),
      ...(experimental && { experimental: { ...experimental } }),
      ...(extensions && { extensions }),
    };
    const isFounding = declaresTasks === undefined && compat?.dialects?.includes('tasks-create') === true;
    return {
      client,
      capabilities: isFounding ? declaringFoundingTasks(capabilities) : capabilities,
      logLevel: this.logLevel,
    };
  }

  answer(request: InputRequest, signal: AbortSignal, key: string): Promise<Fields> {
    return this.#answerBy(this.urlElicitations.answers, request, signal, key);
  }

  /** Answers a server request in a result. A cancelled or rejected one is not reported as a warning. */
  async #answerBy(handlers: ClientHandlers, request: InputRequest, signal: AbortSignal, key: string): Promise<Fields> {
    try {
      return await answer(handlers, request, { signal, reportProgress: ignoreProgress });
    } catch (error) {
      const failure = unansweredError(error, request, key);
      if (!signal.aborted && !(error instanceof RpcError)) this.warn(failure);
      throw failure;
    }
  }

  onNotification(notification: Notification, onLog = this.#options.onLog): void {
    const { method } = notification;
    if (method === 'notifications/message') return this.callUser('onLog', () => onLog?.(logEntryOf(notification)));
    if (method === 'notifications/progress') return this.progress.receive(notification);
    if (method === 'notifications/elicitation/complete')
      return this.callUser('onElicitationComplete', () => this.urlElicitations.onComplete(notification));
    if (!this.extensions.onNotification(notification, (error) => this.#extensionWarning(error)))
      this.#ports.onNotification(notification);
  }

  #extensionWarning(error: TenonError): void {
    if (error.code === 'invalid-message') this.counts.invalid++;
    this.warn(error);
  }

  onMissed(): void {
    this.#ports.onMissed();
  }

  onDelayed(isDelayed: boolean): void {
    this.#ports.onDelayed(isDelayed);
  }

  /** In strict mode a list with an invalid item fails. */
  onLeftOut(errors: readonly TenonError[]): void {
    const [first] = errors;
    if (this.#options.strict === true && first !== undefined) throw first;
    for (const error of errors) this.warn(error);
  }

  /** Without `onWarning` they are logged. Errors of the callback itself are dropped. */
  warn(error: Error): void {
    this.#onWarning ??= this.#options.onWarning ?? createWarningLog();
    const onWarning = this.#onWarning;
    runSafely(() => onWarning(toWarning(error)));
  }

  /** Runs a callback of the user; its errors go to `onWarning`. */
  callUser(what: string, callback: () => unknown): void {
    runSafely(callback, (cause) =>
      this.warn(new TenonError('callback-failed', `The callback ${what} threw.`, { cause })),
    );
  }

  /** Ends the tasks of this client, and stops its timer. Deadlines of a test are not stopped. */
  close(): void {
    this.#runningTasks?.close();
    if (deadlinesIn(this.#options) === undefined) this.deadlines.rest?.();
  }
}

const noAnswers: ClientHandlers = {};

/** A server request in a result has no progress token. */
const ignoreProgress = (): void => {};

const acceptedBy = (options: ConnectOptions, { contracts }: Extensions): readonly Revision[] => {
  const compat = compatOf(options);
  const chosen = chosenRevisions(options.protocolVersions);
  checkCompat('connect()', options.compat, chosen);
  return chosen.map((revision) => withExtensions(withTasks(withDialects(revision, compat)), contracts));
};

/** A client with forms also answers requests of this dialect: it needs no choice, since servers send them first. */
function compatOf({ compat, handlers }: ConnectOptions): CompatOptions | undefined {
  if (handlers?.elicitForm === undefined) return compat;
  return { ...compat, dialects: [...new Set<Dialect>(['elicitation-messages', ...(compat?.dialects ?? [])])] };
}

const logEntryOf = ({ params = {} }: Notification): LogEntry => ({
  level: params.level as LoggingLevel,
  logger: params.logger as string | undefined,
  data: params.data,
});
