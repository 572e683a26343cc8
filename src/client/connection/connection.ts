/** One connection of a client, from its first message to its last: opened, spoken over, and ended once. */
import { RpcError, TenonError, unhinted } from '../../jsonrpc/errors.ts';
import type { PeerCounts } from '../../jsonrpc/peer-counts.ts';
import type { Introduction, News } from '../../protocol/neutral.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { AnswerTiming, RequestAnswerer } from '../answers/answering.ts';
import type { UrlElicitations } from '../answers/url-elicitations.ts';
import { declares } from '../api/client.ts';
import type { ConnectOptions, Expectation } from '../api/options.ts';
import type { Conversation, ConversationPorts } from './conversation.ts';
import { createHeartbeat, type Heartbeat } from './heartbeat.ts';
import { fallsBack, handshakeOnly } from './negotiation/negotiate.ts';
import { type OpenResult, openConversation } from './negotiation/opening.ts';
import type { OpenResources } from './open-resources.ts';
import type { RevisionChannel } from './revision-channel.ts';
import { ServerMessages, type ServerMessagesPorts } from './server-messages.ts';

export interface Connection extends OpenResult {
  close(reason?: Error): void;
  readonly isClosed: boolean;
  /** Whether the server could not be discovered, and not only was slow to answer, so that hands were shaken. */
  readonly fellBack: boolean;
  /** Settles when nothing can be said any more, with what broke the connection off, if anything did. */
  readonly closed: Promise<Closure>;
  /** The same for whoever waits as long as the connection lasts: a promise would weigh more. */
  onClosed(tell: (how: Closure) => void): void;
}

/** What all connections of a client have in common. */
export interface ConnectionSettings extends AnswerTiming {
  readonly accepted: readonly Revision[];
  readonly introduction: () => Introduction;
  readonly answering: RequestAnswerer;
  readonly urlElicitations: UrlElicitations;
  readonly counts: PeerCounts;
  readonly maxRounds: number;
  readonly trace: ConnectOptions['trace'];
  readonly timeoutMs: number;
  readonly probeTimeoutMs: number;
  readonly pingEveryMs: number | undefined;
  /** Every connection has to be gone before the client is. */
  readonly openResources: OpenResources;
  onNotification(news: News): void;
  /** The server may have told something that did not come. */
  onMissed(): void;
  fault(error: Error): void;
}

/** What may be different for one connection: the channel's owner knows more of it than the user. */
export type ConnectionOptions = Pick<ConnectOptions, 'strict' | 'limits' | 'expects'> & {
  /** Shakes hands at once, without a look whether the server can be discovered. */
  readonly handshake?: boolean;
  readonly fault?: (error: Error) => void;
  readonly server?: NamedServer;
};

/** What is connected to, as a person knows it, for failures to connect. */
export interface NamedServer {
  /** The command, or the address. */
  readonly name: string;
  /** What the details of such a failure have besides their own. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** `due` is the moment by which it has to be open. */
export async function openConnection(
  channel: RevisionChannel,
  settings: ConnectionSettings,
  options: ConnectionOptions,
  due: number,
  signal?: AbortSignal,
): Promise<Connection> {
  const connection = new ChannelConnection(channel, settings, options);
  const close = (): void => connection.close(signal?.reason as Error);
  signal?.addEventListener('abort', close, { once: true });
  try {
    // Whoever wanted it may have given it up while the channel was made.
    signal?.throwIfAborted();
    await connection.open(options, due);
    return connection;
  } catch (caught) {
    const error = connection.failure(caught);
    const shown =
      error instanceof TenonError && error.code === 'timeout'
        ? tooSlow(error, settings)
        : ofServer(error, options.server);
    connection.close(shown as Error);
    throw shown;
  } finally {
    signal?.removeEventListener('abort', close);
  }
}

/** How a line ended: with what broke it off, if anything did. */
interface Closure {
  readonly reason: Error | undefined;
}

class ChannelConnection implements Connection, ServerMessagesPorts, ConversationPorts {
  readonly #channel: RevisionChannel;
  readonly #settings: ConnectionSettings;
  readonly #fault: ConnectionOptions['fault'];
  readonly #messages: ServerMessages;
  readonly #heartbeat: Heartbeat | undefined;
  #opened: OpenResult | undefined;
  #closure: Closure | undefined;
  /** Made when somebody asks for it, as all that most connections never need. */
  #closedController: AbortController | undefined;
  #closeListeners: Array<(how: Closure) => void> | undefined;

  constructor(channel: RevisionChannel, settings: ConnectionSettings, options: ConnectionOptions) {
    const { pingEveryMs, deadlines, answerTimeoutMs, counts } = settings;
    const { strict = false, limits } = options;
    this.#channel = channel;
    this.#settings = settings;
    this.#fault = options.fault;
    this.#heartbeat = pingEveryMs === undefined ? undefined : createHeartbeat(deadlines, pingEveryMs);
    const own = { strict, deadlines, answerTimeoutMs, counts, ...(limits && { limits }) };
    this.#messages = new ServerMessages(channel, settings.urlElicitations.answers, this, own);
    settings.openResources.acquire();
  }

  async open(options: ConnectionOptions, due: number): Promise<void> {
    const settings = this.#settings;
    const { deadlines, probeTimeoutMs } = settings;
    const messages = this.#messages;
    const opened = await openConversation(messages.peer, {
      accepted: acceptedBy(settings, options),
      introduction: () => settings.introduction(),
      ports: this,
      setRevision: (revision) => messages.setRevision(revision),
      leftMs: () => Math.max(1, Math.ceil(due - deadlines.now())),
      probeTimeoutMs,
      deadlines,
      acceptsLateDiscovery: this.#channel.setRevision === undefined,
    });
    for (const path of options.expects ?? []) if (!declares(opened.capabilities, path)) throw unmet(path);
    this.#opened = opened;
    this.#heartbeat?.start(opened.conversation, (reason) => this.close(reason));
  }

  /**
   * Why it could not be opened. What ended a strict connection is what there is to tell, and not what became of the
   * request whose answer it was.
   */
  failure(error: unknown): unknown {
    const { brokenBy } = this.#messages;
    return brokenBy === undefined || endedBy(error) === brokenBy ? error : endedByFault(brokenBy);
  }

  /** Nobody has a line before it is open. */
  get #known(): OpenResult {
    return this.#opened as OpenResult;
  }

  get conversation(): Conversation {
    return this.#known.conversation;
  }

  get server(): OpenResult['server'] {
    return this.#known.server;
  }

  get capabilities(): OpenResult['capabilities'] {
    return this.#known.capabilities;
  }

  get instructions(): OpenResult['instructions'] {
    return this.#known.instructions;
  }

  get wasSilent(): boolean {
    return this.#known.wasSilent;
  }

  get fellBack(): boolean {
    return !this.wasSilent && fallsBack(this.#settings.accepted, this.conversation.revision);
  }

  get isClosed(): boolean {
    return this.#closure !== undefined || this.#channel.state === 'closed';
  }

  close(reason?: Error): void {
    this.#messages.close(reason);
  }

  get closed(): Promise<Closure> {
    return new Promise((resolve) => this.onClosed(resolve));
  }

  onClosed(listener: (how: Closure) => void): void {
    if (this.#closure !== undefined) return listener(this.#closure);
    this.#closeListeners ??= [];
    this.#closeListeners.push(listener);
  }

  onNotification(news: News): void {
    this.#settings.onNotification(news);
  }

  onMissed(): void {
    this.#settings.onMissed();
  }

  onMessage(): void {
    this.#heartbeat?.received();
  }

  fault(error: Error): void {
    if (this.#fault === undefined) this.#settings.fault(error);
    else this.#fault(error);
  }

  onClose(reason: Error | undefined): void {
    this.#closure = { reason };
    this.#heartbeat?.stop();
    this.#closedController?.abort(closedWhileAnswering(reason));
    for (const tell of this.#closeListeners ?? []) tell(this.#closure);
    this.#closeListeners = undefined;
    this.#settings.openResources.release(this.#channel.finished);
  }

  /** Aborted when the connection ends: nobody waits for answers any more. */
  get closedSignal(): AbortSignal {
    if (this.#closedController === undefined) {
      this.#closedController = new AbortController();
      if (this.#closure !== undefined) this.#closedController.abort(closedWhileAnswering(this.#closure.reason));
    }
    return this.#closedController.signal;
  }

  get answering(): RequestAnswerer {
    return this.#settings.answering;
  }

  get urlElicitations(): UrlElicitations {
    return this.#settings.urlElicitations;
  }

  get maxRounds(): number {
    return this.#settings.maxRounds;
  }

  get trace(): ConnectionSettings['trace'] {
    return this.#settings.trace;
  }
}

/** Where no accepted revision begins with a handshake, there is no choice. */
function acceptedBy({ accepted }: ConnectionSettings, { handshake }: ConnectionOptions): readonly Revision[] {
  const rest = handshake ? handshakeOnly(accepted) : accepted;
  return rest.length === 0 ? accepted : rest;
}

/** One request may have had less than the whole time: others came before it. */
const tooSlow = ({ details: { method }, cause }: TenonError, { timeoutMs }: ConnectionSettings): TenonError =>
  new TenonError('timeout', `${method} had no answer within ${timeoutMs} ms of connecting.`, {
    details: { method, timeoutMs },
    ...(cause !== undefined && { cause }),
  });

/** Failures to open a connection that tell what came, and not from whom. */
const unnamed: ReadonlySet<string> = new Set([
  'batch-too-long',
  'capability-not-supported',
  'doubled-key',
  'frame-too-large',
  'invalid-message',
  'invalid-result',
  'invalid-utf8',
  'no-common-revision',
  'not-json',
  'too-deep',
  'unsafe-key',
]);

/** A failure to open a connection, with the server named, unless it names it already. */
function ofServer(error: unknown, server: NamedServer | undefined): unknown {
  if (server === undefined) return error;
  const { name, details } = server;
  if (error instanceof RpcError) {
    const { code, message, data, reason, cause } = error;
    return RpcError.answered({ code, message: `${name} answered by an error: ${message}`, data }, reason, cause);
  }
  const found = endedBy(error);
  if (!(found instanceof TenonError) || !unnamed.has(found.code) || found.details.url !== undefined) return error;
  const { code, hint, cause } = found;
  return new TenonError(code, `${name} cannot be connected to: ${unhinted(found)}`, {
    details: { ...found.details, ...details },
    ...(hint !== undefined && { hint }),
    ...(cause !== undefined && { cause }),
  });
}

/** What ended a connection is what there is to tell, and not that it ended. */
const endedBy = (error: unknown): unknown =>
  error instanceof TenonError && error.code === 'connection-closed' ? error.cause : error;

const endedByFault = (cause: Error): TenonError =>
  new TenonError('connection-closed', `The connection is closed: ${cause.message}`, { cause });

const closedWhileAnswering = (cause: Error | undefined): TenonError =>
  new TenonError('connection-closed', 'The connection ended while a question waited.', { cause });

const unmet = (path: Expectation): TenonError =>
  new TenonError('capability-not-supported', `The server did not declare ${path}, which was expected of it.`, {
    details: { capability: path },
  });
