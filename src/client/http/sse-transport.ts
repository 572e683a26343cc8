/** HTTP+SSE, the transport of the first revision: one event stream in, whose first event names the URL to post to. */

import type { Message } from '../../jsonrpc/message.ts';
import type { TenonError } from '../../lib/errors/tenon-error.ts';
import { parseUrl } from '../../lib/text/parse-url.ts';
import type { ServerSentEvent } from '../../transport/sse.ts';
import { EventStream, type StreamPorts } from './event-stream.ts';
import { foreignEndpoint } from './port/failures.ts';
import { addressOf, type HttpAddress } from './port/port.ts';
import { Post, type PostPorts } from './post.ts';
import { type HttpContext, type HttpTransport, withUserHeaders } from './transport.ts';

type State =
  /** The first message, which the server rejected as a POST, and the error if this transport fails as well. */
  | { readonly at: 'looking'; readonly first: Post; readonly otherwise: TenonError }
  | { readonly at: 'found'; readonly endpoint: HttpAddress }
  | { readonly at: 'closed' };

export class SseTransport implements HttpTransport, PostPorts, StreamPorts {
  readonly answersElsewhere = true;
  readonly #context: HttpContext;
  readonly #stream: EventStream;
  #state: State;

  constructor(context: HttpContext, first: Post, otherwise: TenonError) {
    this.#context = context;
    this.#state = { at: 'looking', first, otherwise };
    this.#stream = new EventStream(context, this);
  }

  event({ event = 'message', data }: ServerSentEvent): void {
    if (this.#state.at === 'looking' && event === 'endpoint') return this.#found(this.#state, data);
    if (this.#state.at === 'found' && event === 'message' && data !== '') this.#context.deliver(data);
  }

  #found({ first }: { readonly first: Post }, endpoint: string): void {
    const { address } = this.#context;
    const url = parseUrl(endpoint, address.href);
    if (url?.origin !== address.origin) {
      this.abort();
      return first.fail(foreignEndpoint(address, endpoint));
    }
    this.#state = { at: 'found', endpoint: addressOf(url) };
    this.#context.useTransport(this);
    this.send(first.frame, first.message);
  }

  /** A new stream would have another URL to post to. */
  isWanted(): boolean {
    return false;
  }

  streamRefused(error: TenonError): void {
    this.ended(error);
  }

  ended(error: TenonError | undefined): void {
    const state = this.#state;
    this.#state = { at: 'closed' };
    if (state.at === 'looking') state.first.fail(state.otherwise);
    if (state.at === 'found') this.#context.close(error);
  }

  setRevision(): void {}

  send(frame: string, message: Message | undefined): void {
    if (this.#state.at === 'found') new Post(this.#context, this, frame, message, this.#state.endpoint).start();
  }

  headers(): Record<string, string> {
    return withUserHeaders(this.#context, {});
  }

  finished(): void {}

  abandon(): boolean {
    return false;
  }

  abort(): void {
    this.#state = { at: 'closed' };
    this.#stream.abort();
  }

  async close(): Promise<void> {
    this.abort();
  }
}
