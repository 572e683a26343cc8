/** A session over HTTP, or all requests that stand alone: sends the messages of its peer to the client. */
import type { Fields } from '../../lib/values/is.ts';
import type { EventBody } from './event-body.ts';
import type { HttpPeer, RequestOutput } from './peer.ts';
import { PostReply } from './post-reply.ts';

/**
 * Messages of a session that wait for its stream.
 * @limit capture
 * @beyond further ones are dropped
 */
const maxWaiting = 1000;

export class HttpSession {
  readonly #peer: HttpPeer;
  readonly #isStandAlone: boolean;
  readonly #waiting: Fields[] = [];
  #stream: EventBody | undefined;

  constructor(peer: HttpPeer, kind: 'session' | 'stand-alone') {
    this.#peer = peer;
    this.#isStandAlone = kind === 'stand-alone';
  }

  /** Answers a POST. Where requests stand alone, a client that disconnects cancels its own. */
  receive(
    messages: readonly Fields[],
    { signal }: Request,
    headers: Readonly<Record<string, string>> = {},
  ): Response | Promise<Response> {
    const requests = messages.filter(({ id, method }) => id !== undefined && method !== undefined).length;
    const notify = (message: Fields): void => this.#notify(message);
    const reply = new PostReply({ requests, headers, hasStatuses: this.#isStandAlone, notify });
    if (this.#isStandAlone) signal.addEventListener('abort', () => this.#peer.abandoned?.(reply));
    for (const message of messages) this.#peer.receive(message, reply);
    return requests === 0 ? new Response(null, { status: 202, headers }) : reply.response;
  }

  /** Over HTTP+SSE a POST has no response of its own: all messages are on the stream. */
  receiveForStream(messages: readonly Fields[]): Response {
    const send = (message: Fields): void => this.#notify(message);
    const output: RequestOutput = { send, notify: send, end() {}, break: () => this.close() };
    for (const message of messages) this.#peer.receive(message, output);
    return new Response('Accepted', { status: 202 });
  }

  /** The stream for messages that belong to no request; a new one replaces the one before. */
  listen(stream: EventBody): void {
    this.#stream?.end();
    this.#stream = stream;
    for (const message of this.#waiting.splice(0)) stream.send(message);
  }

  /** The client has closed the stream: later messages wait for the next one. */
  unlisten(stream: EventBody): void {
    if (this.#stream === stream) this.#stream = undefined;
  }

  close(): void {
    this.#stream?.end();
    this.#peer.close();
  }

  #notify(message: Fields): void {
    if (this.#stream !== undefined) this.#stream.send(message);
    else if (this.#waiting.length < maxWaiting) this.#waiting.push(message);
  }
}
