/** HTTP+SSE, the transport of the first revision: one stream in, on which the server says where to post. */

import type { TenonError } from '../../jsonrpc/errors.ts';
import type { Message } from '../../jsonrpc/message.ts';
import { parseUrl } from '../../protocol/addresses.ts';
import type { ServerSentEvent } from '../../transport/sse.ts';
import { EventStream, type StreamPorts } from './event-stream.ts';
import { foreignEndpoint } from './port/failures.ts';
import { addressOf, type HttpAddress } from './port/port.ts';
import { Posting, type PostingPorts } from './post.ts';
import { type HttpLine, type Road, withOwn } from './transport.ts';

type State =
  /** The message that the server refused to take elsewhere, and what is said where it cannot be taken here either. */
  | { readonly at: 'looking'; readonly first: Posting; readonly otherwise: TenonError }
  | { readonly at: 'found'; readonly endpoint: HttpAddress }
  | { readonly at: 'ended' };

export class EventsRoad implements Road, PostingPorts, StreamPorts {
  readonly answersElsewhere = true;
  readonly #line: HttpLine;
  readonly #stream: EventStream;
  #state: State;

  constructor(line: HttpLine, first: Posting, otherwise: TenonError) {
    this.#line = line;
    this.#state = { at: 'looking', first, otherwise };
    this.#stream = new EventStream(line, this);
  }

  event({ event = 'message', data }: ServerSentEvent): void {
    if (this.#state.at === 'looking' && event === 'endpoint') return this.#found(this.#state, data);
    if (this.#state.at === 'found' && event === 'message' && data !== '') this.#line.deliver(data);
  }

  #found({ first }: { readonly first: Posting }, endpoint: string): void {
    const { address } = this.#line;
    const url = parseUrl(endpoint, address.href);
    if (url?.origin !== address.origin) {
      this.abort();
      return first.giveUp(foreignEndpoint(address, endpoint));
    }
    this.#state = { at: 'found', endpoint: addressOf(url) };
    this.#line.take(this);
    this.send(first.frame, first.message);
  }

  /** Another stream would have another place to post to. */
  wanted(): boolean {
    return false;
  }

  lost(error: TenonError): void {
    this.ended(error);
  }

  ended(error: TenonError | undefined): void {
    const state = this.#state;
    this.#state = { at: 'ended' };
    if (state.at === 'looking') state.first.giveUp(state.otherwise);
    if (state.at === 'found') this.#line.lose(error);
  }

  speak(): void {}

  send(frame: string, message: Message | undefined): void {
    if (this.#state.at === 'found') new Posting(this.#line, this, frame, message, this.#state.endpoint).start();
  }

  headers(): Record<string, string> {
    return withOwn(this.#line, {});
  }

  over(): void {}

  abandon(): boolean {
    return false;
  }

  abort(): void {
    this.#state = { at: 'ended' };
    this.#stream.abort();
  }

  async end(): Promise<void> {
    this.abort();
  }
}
