/** Messages of a session over HTTP: each posted by itself, the rest heard on a stream that is asked for by GET. */
import type { Deadline } from '../../jsonrpc/deadlines.ts';
import { IdTable } from '../../jsonrpc/id-table.ts';
import type { Message, RequestId } from '../../jsonrpc/message.ts';
import type { Revision } from '../../protocol/revision.ts';
import { rpcErrorIn } from './body.ts';
import { EventStream } from './event-stream.ts';
import { EventsRoad } from './events-road.ts';
import { sessionLost, statusFailure } from './failures.ts';
import { type HttpLine, type Road, withOwn } from './line.ts';
import { type HttpHeaders, headerOf } from './port.ts';
import { type Broken, Posting, type PostingPorts } from './posting.ts';

interface Held {
  readonly frame: string;
  readonly message: Message;
}

type State =
  /** The handshake is to come, or under way. */
  | { readonly at: 'greeting' }
  /** The server has answered it. What it need not take before it has heard the rest of the handshake is held back. */
  | { readonly at: 'greeted'; readonly session: string | undefined; readonly held: Held[]; listening?: Listening }
  | { readonly at: 'begun'; readonly session: string | undefined; readonly unasked: EventStream }
  | { readonly at: 'ended' };

/** The stream for what the server says unasked is asked for, and waited for no longer than this. */
interface Listening {
  readonly stream: EventStream;
  readonly bound: Deadline;
}

/** Some servers drop what they would say before the stream is there, others do not say whether there is one. */
const listeningMs = 250;
/** How long a server may take to hear that a session is over. */
const farewellMs = 2000;
/** Refusals by which servers of the first transport show themselves. */
const otherTransport: ReadonlySet<number> = new Set([400, 404, 405]);

export class SessionRoad implements Road, PostingPorts {
  readonly #line: HttpLine;
  readonly #underWay = new IdTable<{ abort(): void }>();
  #revision: Revision;
  #state: State = { at: 'greeting' };

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

  /** A handshake that is made again has nothing of the one before. */
  #greet(): void {
    this.#leave();
    this.#state = { at: 'greeting' };
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

  accepted({ method }: Posting, headers: HttpHeaders): void {
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
    if (status !== 404 || this.#session === undefined) return false;
    const lost = sessionLost(address);
    // This one was certainly not carried out; of the others nobody knows.
    if (id !== undefined) this.#line.failed(id, lost);
    this.#line.lose(lost);
    return true;
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
          if (data !== '') line.deliver(data);
          if (line.waits(id)) return;
          stream.abort();
          this.over(posting);
        },
        lost: (error, status) => {
          if (status === 404 && this.#session !== undefined) return line.lose(sessionLost(posting.address));
          this.over(posting);
          posting.giveUp(error);
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
    this.#state.listening = { bound, stream: this.#listen() };
  }

  /** What was held back may go. */
  #ready(): void {
    if (this.#state.at !== 'greeted' || this.#state.listening === undefined) return;
    const { session, held, listening } = this.#state;
    this.#line.deadlines.cancel(listening.bound);
    this.#state = { at: 'begun', session, unasked: listening.stream };
    for (const { frame, message } of held) this.send(frame, message);
  }

  /** What the server says unasked. Many have nothing to say, and refuse. */
  #listen(): EventStream {
    const line = this.#line;
    let hasOpened = false;
    return new EventStream(line, {
      headers: () => this.headers(),
      opened: () => this.#ready(),
      wanted: () => this.#state.at === 'greeted' || this.#state.at === 'begun',
      event: ({ data, event }) => {
        hasOpened = true;
        if (data !== '' && (event === undefined || event === 'message')) line.deliver(data);
      },
      lost: (error, status) => {
        this.#ready();
        if (status === undefined && error !== undefined) return line.lose(error);
        if (status === 404 && hasOpened && this.#session !== undefined) return line.lose(sessionLost(line.address));
        if (hasOpened && error !== undefined) line.fault(error);
      },
    });
  }

  /** In a session a request is given up by a message, but for the one that the session begins with. */
  abandon(id: RequestId): boolean {
    if (this.#state.at !== 'greeting') return false;
    this.#drop({ requestId: id });
    return true;
  }

  #leave(): void {
    if (this.#state.at === 'begun') this.#state.unasked.abort();
    if (this.#state.at !== 'greeted' || this.#state.listening === undefined) return;
    this.#line.deadlines.cancel(this.#state.listening.bound);
    this.#state.listening.stream.abort();
  }

  async end(): Promise<void> {
    const headers = this.headers();
    const { at } = this.#state;
    const session = this.#session;
    this.#leave();
    this.#state = { at: 'ended' };
    for (const requestId of this.#underWay.ids()) this.#drop({ requestId });
    if (at !== 'ended' && session !== undefined) await farewell(this.#line, headers);
  }
}

/** Some servers do not let sessions be ended, and one that is gone has none left: whatever comes back is fine. */
function farewell({ port, address, deadlines }: HttpLine, headers: Record<string, string>): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      deadlines.cancel(bound);
      resolve();
    };
    const receiver = { head() {}, chunk() {}, end: done, broke: done };
    const abort = port.request({ method: 'DELETE', address, headers }, receiver);
    const bound = deadlines.add(farewellMs, () => {
      abort();
      resolve();
    });
  });
}
