/** Messages of a session over HTTP: each posted by itself, the rest heard on a stream that is asked for by GET. */
import type { Deadline } from '../../jsonrpc/deadlines.ts';
import type { TenonError } from '../../jsonrpc/errors.ts';
import { IdTable } from '../../jsonrpc/id-table.ts';
import type { Message, RequestId } from '../../jsonrpc/message.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { ServerSentEvent } from '../../transport/sse.ts';
import { EventStream, type StreamPorts } from './event-stream.ts';
import { rpcErrorIn } from './port/body.ts';
import { noAnswer, sessionLost, statusFailure } from './port/failures.ts';
import { type HttpHeaders, headerOf } from './port/port.ts';
import { type Broken, Posting, type PostingPorts } from './post.ts';
import { farewell, isForgotten } from './session-end.ts';
import { EventsRoad } from './sse-transport.ts';
import { type HttpLine, type Road, withOwn } from './transport.ts';

interface Held {
  readonly frame: string;
  readonly message: Message;
}

type State =
  /** The handshake is to come, or under way. */
  | { readonly at: 'greeting' }
  /** The server has answered it. What it need not take before it has heard the rest of the handshake is held back. */
  | { readonly at: 'greeted'; readonly session: string | undefined; readonly held: Held[]; listening?: Listening }
  /** `unasked` is absent once the server has refused to tell. */
  | { readonly at: 'begun'; readonly session: string | undefined; unasked: EventStream | undefined }
  | { readonly at: 'ended' };

/** The stream for what the server says unasked is asked for, and waited for no longer than this. */
interface Listening {
  readonly stream: EventStream;
  readonly bound: Deadline;
}

const greeting: State = { at: 'greeting' };
const ended: State = { at: 'ended' };

/** It was told a short while ago that news may have been missed. */
interface Quiet {
  /** Whether it may have been since. */
  again: boolean;
  readonly bound: Deadline;
}

/** How often that is told at most. */
const quietMs = 5000;
/** Some servers drop what they would say before the stream is there, others do not say whether there is one. */
const listeningMs = 250;
/** Refusals by which servers of the first transport show themselves. */
const otherTransport: ReadonlySet<number> = new Set([400, 404, 405]);

export class SessionRoad implements Road, PostingPorts, StreamPorts {
  readonly #line: HttpLine;
  readonly #underWay = new IdTable<{ abort(): void }>();
  #revision: Revision;
  #state: State = greeting;
  /** Whether the session was of use. */
  #hasServed = false;
  /** Whether the server has agreed to tell what it is not asked for. */
  #hasOpened = false;
  #quiet: Quiet | undefined;
  #trial: Promise<boolean> | undefined;

  constructor(line: HttpLine, revision: Revision) {
    this.#line = line;
    this.#revision = revision;
  }

  speak(revision: Revision): void {
    this.#revision = revision;
  }

  send(frame: string, message: Message | undefined): void {
    const isRequest = message !== undefined && 'method' in message && 'id' in message;
    if (isRequest && message.method === 'initialize') this.#greet();
    else if (isRequest && this.#state.at === 'greeted') return void this.#state.held.push({ frame, message });
    const posting = new Posting(this.#line, this, frame, message);
    if (posting.id !== undefined) this.#underWay.set(posting.id, posting);
    posting.start();
  }

  get heldBack(): RequestId[] {
    if (this.#state.at !== 'greeted') return [];
    return this.#state.held.flatMap(({ message }) => ('id' in message && message.id != null ? [message.id] : []));
  }

  /** A handshake that is made again has nothing of the one before. */
  #greet(): void {
    this.#leave();
    this.#state = greeting;
    this.#hasServed = false;
  }

  get #session(): string | undefined {
    const state = this.#state;
    return state.at === 'greeted' || state.at === 'begun' ? state.session : undefined;
  }

  headers(): Record<string, string> {
    const headers: Record<string, string> = {};
    const session = this.#session;
    if (session !== undefined) headers['mcp-session-id'] = session;
    if (this.#state.at !== 'greeting' && this.#revision.http.versionHeader)
      headers['mcp-protocol-version'] = this.#revision.id;
    return withOwn(this.#line, headers);
  }

  accepted({ id, method }: Posting, headers: HttpHeaders): void {
    if (id !== undefined && this.#state.at === 'begun') this.#hasServed = true;
    if (method !== 'initialize' || this.#state.at !== 'greeting') return;
    const session = headerOf(headers, 'mcp-session-id');
    this.#state = { at: 'greeted', session: session === '' ? undefined : session, held: [] };
  }

  refused(posting: Posting, status: number, headers: HttpHeaders, body: string): boolean {
    const { id, method, address } = posting;
    if (method === 'initialize' && id !== undefined) {
      if (!otherTransport.has(status) || rpcErrorIn(body) !== undefined) return false;
      const otherwise = statusFailure(address, status, headers, body);
      this.#underWay.set(id, new EventsRoad(this.#line, posting, otherwise));
      return true;
    }
    if (this.#session === undefined) return false;
    if (status === 400 && this.#hasServed) return this.#doubt(posting, status, headers, body);
    if (status !== 404) return false;
    this.#forgotten(posting);
    return true;
  }

  /** Some servers refuse a session that they have forgotten as they refuse what is wrong: the session itself is tried. */
  #doubt(posting: Posting, status: number, headers: HttpHeaders, body: string): true {
    this.#try((isGone) => {
      if (isGone) return this.#forgotten(posting);
      this.over(posting);
      posting.refuse(status, headers, body);
    });
    return true;
  }

  #try(tell: (isGone: boolean) => void): void {
    this.#trial ??= isForgotten(this.#line, this.headers()).finally(() => {
      this.#trial = undefined;
    });
    void this.#trial.then((isGone) => (this.#state.at === 'ended' ? undefined : tell(isGone)));
  }

  #forgotten({ id, address }: Posting): void {
    const lost = sessionLost(address);
    // This one was certainly not carried out; of the others nobody knows.
    if (id !== undefined) this.#line.failed(id, lost);
    this.#line.lose(lost);
  }

  broken(posting: Posting, from: Broken): boolean {
    const { id } = posting;
    if (id === undefined || !this.#revision.http.resumable || this.#state.at === 'ended') return false;
    const line = this.#line;
    const stream = new EventStream(
      line,
      {
        headers: () => this.headers(),
        wanted: () => line.waits(id),
        event: ({ data }) => {
          if (data !== '') line.deliver(data, id);
          if (line.waits(id)) return;
          stream.abort();
          this.over(posting);
        },
        lost: (error, status) => {
          if (status === 404 && this.#session !== undefined) return line.lose(sessionLost(posting.address));
          this.over(posting);
          // The call was begun, so the refusal of the stream says nothing of what became of it.
          posting.giveUp(noAnswer(posting.address, posting.method, error));
        },
      },
      from,
    );
    this.#underWay.set(id, stream);
    return true;
  }

  over({ id, message }: Posting): void {
    if (id !== undefined) this.#underWay.delete(id);
    else if (message?.method === 'notifications/initialized') this.#begin();
    else if (message?.method === 'notifications/cancelled') this.#drop(message.params as { requestId: RequestId });
  }

  /** The server knows now, so what it might still send for it is not waited for. */
  #drop({ requestId }: { readonly requestId: RequestId }): void {
    this.#underWay.get(requestId)?.abort();
    this.#underWay.delete(requestId);
  }

  #begin(): void {
    if (this.#state.at !== 'greeted' || this.#state.listening !== undefined) return;
    const bound = this.#line.deadlines.add(listeningMs, () => this.#ready());
    this.#hasOpened = false;
    // What the server says unasked. Many have nothing to say, and refuse.
    this.#state.listening = { bound, stream: new EventStream(this.#line, this) };
  }

  /** What was held back may go. */
  #ready(): void {
    if (this.#state.at !== 'greeted' || this.#state.listening === undefined) return;
    const { session, held, listening } = this.#state;
    this.#line.deadlines.cancel(listening.bound);
    this.#state = { at: 'begun', session, unasked: listening.stream };
    for (const { frame, message } of held) this.send(frame, message);
  }

  opened(isResumed: boolean): void {
    // Calls may have been made already: nobody says what was told while there was none.
    const isLate = this.#hasOpened || this.#state.at === 'begun';
    this.#hasOpened = true;
    this.#ready();
    if (isLate && !isResumed) this.#missed();
  }

  /** A server may end its stream again and again: what follows soon is told together, and later. */
  #missed(): void {
    if (this.#quiet !== undefined) {
      this.#quiet.again = true;
      return;
    }
    this.#line.missed();
    const quiet: Quiet = { again: false, bound: this.#line.deadlines.add(quietMs, () => this.#quietOver(quiet)) };
    this.#quiet = quiet;
  }

  #quietOver({ again }: Quiet): void {
    this.#quiet = undefined;
    if (again) this.#missed();
  }

  wanted(): boolean {
    return this.#state.at === 'greeted' || this.#state.at === 'begun';
  }

  event({ data, event }: ServerSentEvent): void {
    if (data !== '' && (event === undefined || event === 'message')) this.#line.deliver(data);
  }

  lost(error: TenonError, status: number): void {
    this.#ready();
    if (this.#state.at === 'begun') this.#state.unasked = undefined;
    const line = this.#line;
    const hasOpened = this.#hasOpened;
    const refused = (isGone: boolean): void => {
      if (isGone) line.lose(sessionLost(line.address));
      else if (hasOpened) line.fault(error);
    };
    const isDoubtful = status === 404 || status === 400 || (status === 405 && hasOpened);
    if (this.#session === undefined || !isDoubtful) return refused(false);
    // A server that has told on it before has one.
    if (status === 404 && hasOpened) return refused(true);
    this.#try(refused);
  }

  /** In a session a request is given up by a message, but for the one that it begins with and those that never left. */
  abandon(id: RequestId): boolean {
    if (this.#state.at === 'greeted') return this.#takeBack(this.#state.held, id);
    if (this.#state.at !== 'greeting') return false;
    this.#drop({ requestId: id });
    return true;
  }

  /** Says whether it was held back. */
  #takeBack(held: Held[], id: RequestId): boolean {
    const at = held.findIndex(({ message }) => 'id' in message && message.id === id);
    if (at !== -1) held.splice(at, 1);
    return at !== -1;
  }

  #leave(): void {
    if (this.#quiet !== undefined) this.#line.deadlines.cancel(this.#quiet.bound);
    this.#quiet = undefined;
    if (this.#state.at === 'begun') this.#state.unasked?.abort();
    if (this.#state.at !== 'greeted' || this.#state.listening === undefined) return;
    this.#line.deadlines.cancel(this.#state.listening.bound);
    this.#state.listening.stream.abort();
  }

  async end(): Promise<void> {
    const headers = this.headers();
    const { at } = this.#state;
    const session = this.#session;
    this.#leave();
    this.#state = ended;
    for (const requestId of this.#underWay.ids()) this.#drop({ requestId });
    if (at !== 'ended' && session !== undefined) await farewell(this.#line, headers);
  }
}
