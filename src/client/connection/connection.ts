/** One connection of a client, from its first message to its last: opened, used for a conversation, and closed once. */

import { defaultLimits, type MessageLimits, valuesFor } from '../../jsonrpc/limits.ts';
import type { RequestId } from '../../jsonrpc/message.ts';
import type { PeerCounts } from '../../jsonrpc/peer-counts.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { withDefaults } from '../../lib/options/read-options.ts';
import type { Notification } from '../../protocol/neutral.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { AnswerTiming, RequestAnswerer } from '../answers/answering.ts';
import type { ClientHandlers } from '../answers/handlers.ts';
import type { RunningTasks } from '../answers/tasks/running-tasks.ts';
import type { UrlElicitations } from '../answers/url-elicitations.ts';
import { connectLimits } from '../api/options.table.ts';
import type { ConnectLimits, ConnectOptions, LogEntry } from '../api/options.ts';
import { declares } from './capabilities.ts';
import type { Conversation, ConversationPorts, Introduce } from './conversation.ts';
import { createHeartbeat, type Heartbeat } from './heartbeat.ts';
import { fallsBack, handshakeOnly } from './negotiation/negotiate.ts';
import { type OpenResult, openConversation } from './negotiation/opening.ts';
import {
  closeCause,
  closedBy,
  connectTimedOut,
  missingCapability,
  type NamedServer,
  withServerName,
} from './open-failures.ts';
import type { OpenResources } from './open-resources.ts';
import type { RevisionTransport } from './revision-transport.ts';
import { ServerMessages, type ServerMessagesPorts } from './server-messages.ts';

export interface Connection extends OpenResult {
  close(reason?: Error): void;
  readonly isClosed: boolean;
  /** Whether the server does not know discovery, so that the handshake was used. False if it was only slow. */
  readonly fellBack: boolean;
  /** Resolves when the connection is closed. */
  readonly closed: Promise<Closure>;
  /** The handlers that calls brought along, for the server requests that belong to them. */
  readonly callAnswers: Map<RequestId, ClientHandlers>;
  /** The callbacks of calls for their log messages. */
  readonly callLogs: Map<RequestId, (entry: LogEntry) => void>;
  /** The same with a callback, for listeners that stay as long as the connection: it takes less memory than a promise. */
  onClosed(listener: (closure: Closure) => void): void;
}

/** What all connections of a client have in common. */
export interface ConnectionSettings extends AnswerTiming {
  readonly accepted: readonly Revision[];
  readonly introduction: Introduce;
  answererFor(own: ClientHandlers | undefined): RequestAnswerer;
  readonly urlElicitations: UrlElicitations;
  readonly runningTasks: RunningTasks | undefined;
  readonly counts: PeerCounts;
  readonly maxInputRounds: number;
  readonly trace: ConnectOptions['telemetry'];
  readonly timeoutMs: number;
  readonly discoveryMs: number;
  readonly pingIntervalMs: number | undefined;
  /** Counts connections: the client is closed when all of them are. */
  readonly openResources: OpenResources;
  /** `onLog` is that of the call that a log message belongs to, if it has one. */
  onNotification(notification: Notification, onLog?: (entry: LogEntry) => void): void;
  /** Notifications of the server may have been lost. */
  onMissed(): void;
  /** A request of a connection waits for credentials, or no longer does: the pairs of a closed connection are complete. */
  onDelayed(isDelayed: boolean): void;
  warn(error: Error): void;
}

/** Options of one connection. The connector may override those of the user. */
export type ConnectionOptions = Pick<ConnectOptions, 'strict' | 'requiredCapabilities' | 'messageAuthorization'> & {
  readonly limits?: Partial<MessageLimits>;
  /** Sends `initialize` at once, without trying discovery first. */
  readonly handshake?: boolean;
  readonly warn?: (error: Error) => void;
  readonly server?: NamedServer;
};

/** The limits of single messages, by the options and the most characters that are usual for the transport. */
export function messageLimitsOf(
  limits: ConnectLimits,
  usualChars: number = defaultLimits.maxMessageChars,
): MessageLimits {
  const { maxMessageChars = usualChars, maxDepth, maxBatch, maxValues } = withDefaults(connectLimits, limits);
  return {
    maxMessageChars,
    maxDepth,
    maxBatch,
    maxValues: maxValues ?? valuesFor('client', maxMessageChars, usualChars),
  };
}

/** Opens the protocol over a transport, before the time `due`. */
export async function openConnection(
  transport: RevisionTransport,
  settings: ConnectionSettings,
  options: ConnectionOptions,
  due: number,
  signal?: AbortSignal,
): Promise<Connection> {
  const connection = new TransportConnection(transport, settings, options);
  const close = (): void => connection.close(signal?.reason as Error);
  signal?.addEventListener('abort', close, { once: true });
  try {
    // The caller may have cancelled while the transport was opened.
    signal?.throwIfAborted();
    await connection.open(options, due);
    return connection;
  } catch (caught) {
    const error = connection.failure(caught);
    const shown =
      error instanceof TenonError && error.code === 'timeout'
        ? connectTimedOut(error, settings.timeoutMs)
        : withServerName(error, options.server);
    connection.close(shown as Error);
    throw shown;
  } finally {
    signal?.removeEventListener('abort', close);
  }
}

/** How a connection closed: with the error that broke it, if any. */
interface Closure {
  readonly reason: Error | undefined;
}

class TransportConnection implements Connection, ServerMessagesPorts, ConversationPorts {
  readonly #transport: RevisionTransport;
  readonly #settings: ConnectionSettings;
  readonly #warn: ConnectionOptions['warn'];
  readonly #messages: ServerMessages;
  readonly #heartbeat: Heartbeat | undefined;
  #opened: OpenResult | undefined;
  #closure: Closure | undefined;
  /** Requests that wait for credentials. */
  #delayed = 0;
  /** Made on first use: most connections never need it. */
  #closedController: AbortController | undefined;
  #closeListeners: Array<(closure: Closure) => void> | undefined;
  #callAnswers: Map<RequestId, ClientHandlers> | undefined;
  #callLogs: Map<RequestId, (entry: LogEntry) => void> | undefined;

  constructor(transport: RevisionTransport, settings: ConnectionSettings, options: ConnectionOptions) {
    const { pingIntervalMs, deadlines, inputMs, counts } = settings;
    const { strict = false, limits, messageAuthorization: token } = options;
    const authorization = typeof token === 'string' ? (): string => token : token;
    this.#transport = transport;
    this.#settings = settings;
    this.#warn = options.warn;
    this.#heartbeat = pingIntervalMs === undefined ? undefined : createHeartbeat(deadlines, pingIntervalMs);
    const own = {
      strict,
      deadlines,
      inputMs,
      counts,
      ...(limits && { limits }),
      ...(authorization && { authorization }),
    };
    this.#messages = new ServerMessages(transport, settings.urlElicitations.answers, this, own);
    settings.openResources.acquire();
  }

  async open(options: ConnectionOptions, due: number): Promise<void> {
    const settings = this.#settings;
    const { deadlines, discoveryMs } = settings;
    const messages = this.#messages;
    const opened = await openConversation(messages.peer, {
      accepted: acceptedBy(settings, options),
      introduction: (declaresTasks) => settings.introduction(declaresTasks),
      ports: this,
      warn: (error) => messages.onWarning(error),
      setRevision: (revision) => messages.setRevision(revision),
      leftMs: () => Math.max(1, Math.ceil(due + messages.peer.pausedMs - deadlines.now())),
      discoveryMs,
      deadlines,
      acceptsLateDiscovery: this.#transport.setRevision === undefined,
    });
    if (messages.brokenBy !== undefined) throw closedBy(messages.brokenBy);
    for (const path of options.requiredCapabilities ?? [])
      if (!declares(opened.capabilities, path)) throw missingCapability(path);
    this.#opened = opened;
    this.#heartbeat?.start(opened.conversation, (reason) => this.close(reason));
  }

  /**
   * Why it could not be opened. If an invalid message closed a strict connection, that is reported, and not the request
   * that failed with it.
   */
  failure(error: unknown): unknown {
    const { brokenBy } = this.#messages;
    return brokenBy === undefined || closeCause(error) === brokenBy ? error : closedBy(brokenBy);
  }

  /** Only an open connection is returned. */
  get #result(): OpenResult {
    return this.#opened as OpenResult;
  }

  get conversation(): Conversation {
    return this.#result.conversation;
  }

  get server(): OpenResult['server'] {
    return this.#result.server;
  }

  get capabilities(): OpenResult['capabilities'] {
    return this.#result.capabilities;
  }

  get instructions(): OpenResult['instructions'] {
    return this.#result.instructions;
  }

  get wasSilent(): boolean {
    return this.#result.wasSilent;
  }

  get fellBack(): boolean {
    return !this.wasSilent && fallsBack(this.#settings.accepted, this.conversation.revision);
  }

  get isClosed(): boolean {
    return this.#closure !== undefined || this.#transport.state === 'closed';
  }

  close(reason?: Error): void {
    this.#messages.close(reason);
  }

  get closed(): Promise<Closure> {
    return new Promise((resolve) => this.onClosed(resolve));
  }

  onClosed(listener: (closure: Closure) => void): void {
    if (this.#closure !== undefined) return listener(this.#closure);
    this.#closeListeners ??= [];
    this.#closeListeners.push(listener);
  }

  onNotification(notification: Notification): void {
    const isLogged = this.#callLogs !== undefined && notification.method === 'notifications/message';
    this.#settings.onNotification(notification, isLogged ? this.#logOfCall() : undefined);
  }

  #logOfCall(): ((entry: LogEntry) => void) | undefined {
    const call = this.#messages.currentCall;
    return call === undefined ? undefined : this.#callLogs?.get(call);
  }

  onMissed(): void {
    this.#settings.onMissed();
  }

  onDelayed(isDelayed: boolean): void {
    this.#delayed += isDelayed ? 1 : -1;
    this.#settings.onDelayed(isDelayed);
  }

  onInvalidResult(error: TenonError, method: string): void {
    this.#messages.invalidResult(error, method);
  }

  onMessage(): void {
    this.#heartbeat?.received();
  }

  warn(error: Error): void {
    if (this.#warn === undefined) this.#settings.warn(error);
    else this.#warn(error);
  }

  onClose(reason: Error | undefined): void {
    this.#closure = { reason };
    this.#heartbeat?.stop();
    // A closed transport does not report the end of its waits.
    while (this.#delayed > 0) this.onDelayed(false);
    this.#closedController?.abort(closedWhileAnswering(reason));
    for (const listener of this.#closeListeners ?? []) listener(this.#closure);
    this.#closeListeners = undefined;
    this.#settings.openResources.release(this.#transport.finished);
  }

  /** Aborted when the connection closes. */
  get closedSignal(): AbortSignal {
    if (this.#closedController === undefined) {
      this.#closedController = new AbortController();
      if (this.#closure !== undefined) this.#closedController.abort(closedWhileAnswering(this.#closure.reason));
    }
    return this.#closedController.signal;
  }

  answererFor(own: ClientHandlers | undefined): RequestAnswerer {
    return this.#settings.answererFor(own);
  }

  get callAnswers(): Map<RequestId, ClientHandlers> {
    this.#callAnswers ??= new Map();
    return this.#callAnswers;
  }

  get callLogs(): Map<RequestId, (entry: LogEntry) => void> {
    this.#callLogs ??= new Map();
    return this.#callLogs;
  }

  get urlElicitations(): UrlElicitations {
    return this.#settings.urlElicitations;
  }

  get runningTasks(): RunningTasks | undefined {
    return this.#settings.runningTasks;
  }

  get maxInputRounds(): number {
    return this.#settings.maxInputRounds;
  }

  get trace(): ConnectionSettings['trace'] {
    return this.#settings.trace;
  }
}

/** The revisions to try: with `handshake` those that have one, if any has. */
function acceptedBy({ accepted }: ConnectionSettings, { handshake }: ConnectionOptions): readonly Revision[] {
  const rest = handshake ? handshakeOnly(accepted) : accepted;
  return rest.length === 0 ? accepted : rest;
}

const closedWhileAnswering = (cause: Error | undefined): TenonError =>
  new TenonError('connection-closed', 'The connection closed while input was requested.', { cause });
