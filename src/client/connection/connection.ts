/** One connection of a client, from its first message to its last: opened, spoken over, and ended once. */
import { RpcError, TenonError, unhinted } from '../../jsonrpc/errors.ts';
import type { PeerCounts } from '../../jsonrpc/peer-counts.ts';
import type { Introduction, News } from '../../protocol/neutral.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { Answering, AnswerTime } from '../answers/answering.ts';
import type { Pages } from '../answers/url-elicitations.ts';
import { declares } from '../api/client.ts';
import type { ConnectOptions, Expectation } from '../api/options.ts';
import type { Conversation, ConversationPorts } from './conversation.ts';
import { createLiveness, type Liveness } from './heartbeat.ts';
import { fallsBack, handshakeOnly } from './negotiation/negotiate.ts';
import { type Opened, open } from './negotiation/opening.ts';
import type { Ending } from './open-resources.ts';
import type { SpokenChannel } from './revision-channel.ts';
import { Connection, type ConnectionPorts } from './server-messages.ts';

export interface Line extends Opened {
  close(reason?: Error): void;
  readonly isOver: boolean;
  /** Whether the server could not be discovered, and not only was slow to answer, so that hands were shaken. */
  readonly fellBack: boolean;
  /** Settles when nothing can be said any more, with what broke the connection off, if anything did. */
  readonly ended: Promise<Ended>;
  /** The same for whoever waits as long as the connection lasts: a promise would weigh more. */
  whenEnded(tell: (how: Ended) => void): void;
}

/** What all connections of a client have in common. */
export interface LineSetting extends AnswerTime {
  readonly accepted: readonly Revision[];
  readonly introduction: () => Introduction;
  readonly answering: Answering;
  readonly pages: Pages;
  readonly counts: PeerCounts;
  readonly maxRounds: number;
  readonly trace: ConnectOptions['trace'];
  readonly timeoutMs: number;
  readonly probeTimeoutMs: number;
  readonly pingEveryMs: number | undefined;
  /** Every connection has to be gone before the client is. */
  readonly ending: Ending;
  told(news: News): void;
  /** The server may have told something that did not come. */
  missed(): void;
  fault(error: Error): void;
}

/** What may be different for one connection: the channel's owner knows more of it than the user. */
export type LineOptions = Pick<ConnectOptions, 'strict' | 'limits' | 'expects'> & {
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
export async function openLine(
  channel: SpokenChannel,
  setting: LineSetting,
  options: LineOptions,
  due: number,
  signal?: AbortSignal,
): Promise<Line> {
  const line = new ChannelLine(channel, setting, options);
  const hangUp = (): void => line.close(signal?.reason as Error);
  signal?.addEventListener('abort', hangUp, { once: true });
  try {
    // Whoever wanted it may have given it up while the channel was made.
    signal?.throwIfAborted();
    await line.open(options, due);
    return line;
  } catch (caught) {
    const error = line.failure(caught);
    const told =
      error instanceof TenonError && error.code === 'timeout'
        ? tooSlow(error, setting)
        : ofServer(error, options.server);
    line.close(told as Error);
    throw told;
  } finally {
    signal?.removeEventListener('abort', hangUp);
  }
}

/** How a line ended: with what broke it off, if anything did. */
interface Ended {
  readonly reason: Error | undefined;
}

class ChannelLine implements Line, ConnectionPorts, ConversationPorts {
  readonly #channel: SpokenChannel;
  readonly #setting: LineSetting;
  readonly #fault: LineOptions['fault'];
  readonly #connection: Connection;
  readonly #liveness: Liveness | undefined;
  #opened: Opened | undefined;
  #end: Ended | undefined;
  /** Made when somebody asks for it, as all that most connections never need. */
  #over: AbortController | undefined;
  #waiting: Array<(how: Ended) => void> | undefined;

  constructor(channel: SpokenChannel, setting: LineSetting, options: LineOptions) {
    const { pingEveryMs, deadlines, answerTimeoutMs, counts } = setting;
    const { strict = false, limits } = options;
    this.#channel = channel;
    this.#setting = setting;
    this.#fault = options.fault;
    this.#liveness = pingEveryMs === undefined ? undefined : createLiveness(deadlines, pingEveryMs);
    const own = { strict, deadlines, answerTimeoutMs, counts, ...(limits && { limits }) };
    this.#connection = new Connection(channel, setting.pages.answers, this, own);
    setting.ending.hold();
  }

  async open(options: LineOptions, due: number): Promise<void> {
    const setting = this.#setting;
    const { deadlines, probeTimeoutMs } = setting;
    const connection = this.#connection;
    const opened = await open(connection.peer, {
      accepted: acceptedBy(setting, options),
      introduction: () => setting.introduction(),
      ports: this,
      speak: (revision) => connection.speak(revision),
      left: () => Math.max(1, Math.ceil(due - deadlines.now())),
      probeTimeoutMs,
      deadlines,
      hearsLate: this.#channel.speak === undefined,
    });
    for (const path of options.expects ?? []) if (!declares(opened.capabilities, path)) throw unmet(path);
    this.#opened = opened;
    this.#liveness?.begin(opened.conversation, (reason) => this.close(reason));
  }

  /**
   * Why it could not be opened. What ended a strict connection is what there is to tell, and not what became of the
   * request whose answer it was.
   */
  failure(error: unknown): unknown {
    const { brokenBy } = this.#connection;
    return brokenBy === undefined || endedBy(error) === brokenBy ? error : endedByFault(brokenBy);
  }

  /** Nobody has a line before it is open. */
  get #known(): Opened {
    return this.#opened as Opened;
  }

  get conversation(): Conversation {
    return this.#known.conversation;
  }

  get server(): Opened['server'] {
    return this.#known.server;
  }

  get capabilities(): Opened['capabilities'] {
    return this.#known.capabilities;
  }

  get instructions(): Opened['instructions'] {
    return this.#known.instructions;
  }

  get wasSilent(): boolean {
    return this.#known.wasSilent;
  }

  get fellBack(): boolean {
    return !this.wasSilent && fallsBack(this.#setting.accepted, this.conversation.revision);
  }

  get isOver(): boolean {
    return this.#end !== undefined || this.#channel.state === 'closed';
  }

  close(reason?: Error): void {
    this.#connection.close(reason);
  }

  get ended(): Promise<Ended> {
    return new Promise((resolve) => this.whenEnded(resolve));
  }

  whenEnded(tell: (how: Ended) => void): void {
    if (this.#end !== undefined) return tell(this.#end);
    this.#waiting ??= [];
    this.#waiting.push(tell);
  }

  told(news: News): void {
    this.#setting.told(news);
  }

  missed(): void {
    this.#setting.missed();
  }

  heard(): void {
    this.#liveness?.heard();
  }

  fault(error: Error): void {
    if (this.#fault === undefined) this.#setting.fault(error);
    else this.#fault(error);
  }

  closed(reason: Error | undefined): void {
    this.#end = { reason };
    this.#liveness?.end();
    this.#over?.abort(endedWhileAsked(reason));
    for (const tell of this.#waiting ?? []) tell(this.#end);
    this.#waiting = undefined;
    this.#setting.ending.release(this.#channel.finished);
  }

  /** Aborted when the connection ends: nobody waits for answers any more. */
  get over(): AbortSignal {
    if (this.#over === undefined) {
      this.#over = new AbortController();
      if (this.#end !== undefined) this.#over.abort(endedWhileAsked(this.#end.reason));
    }
    return this.#over.signal;
  }

  get answering(): Answering {
    return this.#setting.answering;
  }

  get pages(): Pages {
    return this.#setting.pages;
  }

  get maxRounds(): number {
    return this.#setting.maxRounds;
  }

  get trace(): LineSetting['trace'] {
    return this.#setting.trace;
  }
}

/** Where no accepted revision begins with a handshake, there is no choice. */
function acceptedBy({ accepted }: LineSetting, { handshake }: LineOptions): readonly Revision[] {
  const rest = handshake ? handshakeOnly(accepted) : accepted;
  return rest.length === 0 ? accepted : rest;
}

/** One request may have had less than the whole time: others came before it. */
const tooSlow = ({ details: { method }, cause }: TenonError, { timeoutMs }: LineSetting): TenonError =>
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

const endedWhileAsked = (cause: Error | undefined): TenonError =>
  new TenonError('connection-closed', 'The connection ended while a question waited.', { cause });

const unmet = (path: Expectation): TenonError =>
  new TenonError('capability-not-supported', `The server did not declare ${path}, which was expected of it.`, {
    details: { capability: path },
  });
