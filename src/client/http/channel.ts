/** A channel over HTTP: frames go out as requests, and what comes back in their responses and streams comes in. */
import { createDeadlines, type Deadlines } from '../../jsonrpc/deadlines.ts';
import { TenonError } from '../../jsonrpc/errors.ts';
import { defaultLimits } from '../../jsonrpc/limits.ts';
import type { Message, RequestId } from '../../jsonrpc/message.ts';
import type { Revision } from '../../protocol/revision.ts';
import { deliverClosed, deliverFrame, type FrameListener } from '../../transport/channel.ts';
import type { SpokenChannel } from '../spoken-channel.ts';
import { ExchangeRoad } from './exchange-road.ts';
import type { HttpLine, Road } from './line.ts';
import { addressOf, type HttpPort } from './port.ts';
import { SessionRoad } from './session-road.ts';

export interface HttpChannelOptions {
  readonly url: URL;
  readonly port: HttpPort;
  /** Go along with every request, to this origin only. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Characters of one message. */
  readonly maxCharacters?: number;
  /** Listening requests that may be open at once. Default 100. */
  readonly maxStreams?: number;
  readonly deadlines?: Deadlines;
  readonly random?: () => number;
}

type Life =
  | { readonly at: 'idle' }
  | { readonly at: 'open'; readonly listener: FrameListener }
  | { readonly at: 'closed' };

export class HttpChannel implements SpokenChannel {
  readonly #line: HttpLine;
  #life: Life = { at: 'idle' };
  /** Settled by the revision that is spoken, and by what the server shows itself to be. */
  #road: Road | undefined;
  #standsAlone: boolean | undefined;
  #respondsTo: RequestId | undefined;
  readonly finished: Promise<void>;
  #finish = (): void => {};

  constructor(options: HttpChannelOptions) {
    const { url, port, headers = {}, maxStreams = 100, random = Math.random } = options;
    const { deadlines = createDeadlines(), maxCharacters = defaultLimits.maxCharacters } = options;
    this.finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
    this.#line = {
      port,
      deadlines,
      random,
      maxStreams,
      address: addressOf(url),
      own: Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
      // A character has at most three bytes a unit.
      maxBytes: maxCharacters * 3,
      deliver: (text, respondsTo) => {
        if (this.#life.at !== 'open') return;
        this.#respondsTo = respondsTo;
        deliverFrame(this.#life.listener, text);
        this.#respondsTo = undefined;
      },
      fault: (error) => {
        if (this.#life.at === 'open') this.#life.listener.fault?.(error);
      },
      failed: (id, error) => {
        if (this.#life.at === 'open') this.#life.listener.failed?.(id, error);
      },
      waits: (id) => this.#life.at === 'open' && this.#life.listener.waits?.(id) === true,
      lose: (reason) => this.close(reason),
      take: (road) => {
        this.#road = road;
      },
    };
  }

  get state(): 'idle' | 'open' | 'closed' {
    return this.#life.at;
  }

  get respondsTo(): RequestId | undefined {
    return this.#respondsTo;
  }

  open(listener: FrameListener): void {
    if (this.#life.at === 'open')
      throw new TenonError('already-open', 'This channel over HTTP has a listener already.');
    if (this.#life.at === 'closed') throw closed('open');
    this.#life = { at: 'open', listener };
  }

  speak(revision: Revision): void {
    const { routingHeaders: standsAlone } = revision.http;
    if (this.#standsAlone === standsAlone) return this.#road?.speak(revision);
    this.#standsAlone = standsAlone;
    void this.#road?.end();
    this.#road = standsAlone ? new ExchangeRoad(this.#line, revision) : new SessionRoad(this.#line, revision);
  }

  send(frame: string, message?: Message): void {
    if (this.#life.at === 'closed') throw closed('send on');
    if (this.#road === undefined) throw unspoken();
    this.#road.send(frame, message);
  }

  abandon(id: RequestId): boolean {
    return this.#road?.abandon(id) ?? true;
  }

  close(reason?: Error): void {
    const life = this.#life;
    if (life.at === 'closed') return;
    for (const id of this.#road?.heldBack ?? []) this.#line.failed(id, neverSent(reason));
    this.#life = { at: 'closed' };
    const { port } = this.#line;
    const ended = (this.#road?.end() ?? Promise.resolve()).then(() => port.close());
    // A port that cannot close has nothing left that somebody could wait for.
    ended.then(this.#finish, this.#finish);
    if (life.at === 'open') queueMicrotask(() => deliverClosed(life.listener, reason));
  }
}

const closed = (attempt: string): TenonError =>
  new TenonError('connection-closed', `Cannot ${attempt} a channel over HTTP that is closed.`, {
    hint: 'Connect anew.',
  });

const neverSent = (cause: Error | undefined): TenonError =>
  new TenonError('connection-closed', 'The connection ended before the request was sent.', {
    details: { sent: false },
    ...(cause !== undefined && { cause }),
  });

const unspoken = (): TenonError =>
  new TenonError('invalid-outgoing', 'A channel over HTTP has to know the revision before anything is sent.', {
    hint: 'Pass the channel to connect(), or call speak() first.',
  });
