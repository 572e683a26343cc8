/** Posts one message and reads the response: a JSON text, an event stream, nothing, or an error status. */

import { RpcError } from '../../jsonrpc/errors.ts';
import type { Message, NotificationMessage, RequestId, RequestMessage } from '../../jsonrpc/message.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { createEventReader, type EventReader } from '../../transport/sse.ts';
import { answeredError, type Collected, collect, joined, maxRefusalBytes, utf8In } from './port/body.ts';
import {
  bodyTooLarge,
  contentFailure,
  emptyAnswer,
  networkFailure,
  noAnswer,
  statusFailure,
  wrongAnswer,
} from './port/failures.ts';
import { type HttpAddress, type HttpHeaders, type HttpReceiver, type HttpRequest, headerOf } from './port/port.ts';
import { refusalIn } from './port/reported-refusal.ts';
import {
  finished,
  isEventStreamType,
  isJsonType,
  maxHops,
  nothing,
  openingMethods,
  type PostResponse,
  pending,
  type ResumePoint,
  redirectWithin,
  withBodyHeaders,
} from './post-response.ts';
import type { PostContext } from './transport.ts';

/** How a transport handles the outcome of a post. */
export interface PostPorts {
  /** Whether answers arrive elsewhere, not in the response. */
  readonly answersElsewhere?: boolean;
  /** The headers of the next attempt. */
  headers(post: Post): Record<string, string>;
  /** Changes the text of a received message before it is delivered. */
  read?(post: Post, text: string): string;
  /** Called when the server has accepted the message. */
  accepted?(post: Post, headers: HttpHeaders): void;
  /** Called when the server rejects it with a status. Returns whether the transport handles that. */
  refused?(post: Post, status: number, headers: HttpHeaders, body: string): boolean;
  /** Called when a stream ended without the answer. Returns whether the transport resumes it. */
  resume?(post: Post, where: ResumePoint): boolean;
  /** Called when the response is finished. */
  finished(post: Post): void;
}

const anyBytes = new TextDecoder();

/** How long the client waits for the end of a stream after the answer. */
const lingerMs = 5000;

export class Post implements HttpReceiver {
  readonly frame: string;
  /** Absent if it is an answer. */
  readonly message: RequestMessage | NotificationMessage | undefined;
  /** Absent for messages without an answer. */
  readonly id: RequestId | undefined;
  readonly method: string;
  /** Another path of the same origin, after a redirect. */
  address: HttpAddress;
  isRepeated = false;
  readonly #context: PostContext;
  readonly #ports: PostPorts;
  #response: PostResponse = pending;
  #request: HttpRequest | undefined;
  #hops = 0;
  #sentToken = false;
  #stopLingering: (() => void) | undefined;

  constructor(
    context: PostContext,
    ports: PostPorts,
    frame: string,
    message: Message | undefined,
    address: HttpAddress = context.address,
  ) {
    this.frame = frame;
    this.message = message !== undefined && 'method' in message ? message : undefined;
    this.id = this.message === undefined ? undefined : (this.message as Partial<RequestMessage>).id;
    this.method = this.message?.method ?? 'an answer';
    this.address = address;
    this.#context = context;
    this.#ports = ports;
  }

  start(): this {
    const { address, frame: body } = this;
    const headers = withBodyHeaders(this.#ports.headers(this));
    this.#sentToken = headers.authorization !== undefined;
    // Answers and cancellations free a connection, and a ping tests one: they do not wait for a free connection.
    const isBrief = this.id === undefined || this.method === 'ping';
    const isStream = this.method === 'subscriptions/listen';
    this.#request = this.#context.port.request({ method: 'POST', address, headers, body, isBrief, isStream }, this);
    return this;
  }

  /** The same message, for another attempt. */
  repeated(): Post {
    const again = new Post(this.#context, this.#ports, this.frame, this.message);
    again.isRepeated = true;
    return again;
  }

  /** Aborts a response that is no longer needed. */
  abort(): void {
    if (this.#response === finished) return;
    this.#response = finished;
    this.#stopLingering?.();
    this.#request?.abort();
  }

  /** Rejects the request: there will be no answer. */
  fail(error: TenonError | undefined): void {
    this.#reportFailure(error ?? noAnswer(this.address, this.method));
  }

  head(status: number, headers: HttpHeaders): void {
    if (this.#response === finished) return;
    if (status < 200 || status > 299) {
      this.#response = { as: 'refusal', status, headers, chunk: undefined, more: undefined, size: 0 };
      return;
    }
    this.#response = this.#responseOf(status, headers);
    this.#ports.accepted?.(this, headers);
  }

  #responseOf(status: number, headers: HttpHeaders): PostResponse {
    if (this.id === undefined || status === 202 || status === 204 || this.#ports.answersElsewhere) return nothing;
    const type = headerOf(headers, 'content-type');
    if (isJsonType(type)) return { as: 'json', chunk: undefined, more: undefined, size: 0 };
    if (isEventStreamType(type)) return this.#events();
    return { as: 'unexpected', type, chunk: undefined, more: undefined, size: 0 };
  }

  #events(): PostResponse {
    const reader = createEventReader({
      maxBytes: this.#context.maxBytes,
      event: ({ data, event }) => {
        if (data === '' || (event !== undefined && event !== 'message')) return;
        if (this.#asksForCredentials(data)) return;
        this.#deliver(data);
        if (this.id !== undefined && !this.#context.waits(this.id)) this.#answered();
      },
      retry: (ms) => {
        if (this.#response.as === 'events') this.#response.retryMs = ms;
      },
      onWarning: (error) => {
        // The call is rejected with it; reported as a warning it would first close a strict connection.
        if (error.code === 'message-too-large') this.#abortWith(bodyTooLarge(this.address, this.#context.maxBytes));
        else this.#context.warn(error);
      },
    });
    return { as: 'events', reader, retryMs: undefined };
  }

  #deliver(text: string): void {
    this.#context.deliver(this.#ports.read === undefined ? text : this.#ports.read(this, text), this.id);
  }

  /** Whether it is a refusal that new credentials may change. Then another response follows. */
  #asksForCredentials(text: string): boolean {
    const request = this.#request;
    const refusal = this.id === undefined || !request?.refused ? undefined : refusalIn(text, this.id);
    if (refusal === undefined) return false;
    if (this.#response.as === 'events') this.#response.reader.end();
    this.#response = pending;
    request?.refused?.(refusal, () => {
      this.#response = finished;
      this.#deliver(text);
      this.#ports.finished(this);
    });
    return true;
  }

  /** The answer has arrived: the rest of the stream is ignored. */
  #answered(): void {
    if (this.#response.as !== 'events') return;
    this.#response.reader.end();
    this.#response = nothing;
    const deadline = this.#context.deadlines.add(lingerMs, () => this.#request?.abort());
    this.#stopLingering = () => this.#context.deadlines.cancel(deadline);
  }

  chunk(bytes: Uint8Array): void {
    const response = this.#response;
    if (response.as === 'events') return response.reader.push(bytes);
    if (response.as === 'pending' || response.as === 'nothing' || response.as === 'finished') return;
    collect(response, bytes);
    if (response.size > (response.as === 'json' ? this.#context.maxBytes : maxRefusalBytes)) this.#tooLarge();
  }

  #tooLarge(): void {
    if (this.#response.as === 'json') return this.#abortWith(bodyTooLarge(this.address, this.#context.maxBytes));
    const request = this.#request;
    this.end();
    request?.abort();
  }

  delayed(isDelayed: boolean): void {
    this.#context.delayed(isDelayed);
  }

  end(): void {
    const response = this.#response;
    if (response === finished) return;
    this.#response = finished;
    this.#stopLingering?.();
    switch (response.as) {
      case 'json':
        if (this.#receiveJson(response)) return;
        break;
      case 'unexpected':
        this.#reportFailure(contentFailure(this.address, response.type, anyBytes.decode(joined(response))));
        break;
      case 'refusal':
        if (this.#receiveRefusal(response.status, response.headers, anyBytes.decode(joined(response)))) return;
        break;
      case 'events':
        if (this.#resumed(response)) return;
        break;
      case 'nothing':
        if (this.id !== undefined && !this.#ports.answersElsewhere && this.#context.waits(this.id))
          this.#reportFailure(emptyAnswer(this.address, this.method, openingMethods.has(this.method)));
        break;
    }
    this.#ports.finished(this);
  }

  broke(error: unknown): void {
    const response = this.#response;
    if (response === finished) return;
    this.#response = finished;
    this.#stopLingering?.();
    if (response.as === 'events' && this.#resumed(response)) return;
    if (this.id === undefined || this.#context.waits(this.id))
      this.#reportFailure(networkFailure(this.address, error, openingMethods.has(this.method)));
    this.#ports.finished(this);
  }

  /** Returns whether another response follows. */
  #receiveJson(collected: Collected): boolean {
    const text = utf8In(collected);
    if (text === undefined)
      this.#reportFailure(new TenonError('invalid-utf8', `The answer to ${this.method} is not UTF-8.`));
    else if (this.#asksForCredentials(text)) return true;
    else this.#deliver(text);
    if (this.id !== undefined && this.#context.waits(this.id))
      this.#context.failed(this.id, wrongAnswer(this.address, this.method, text ?? ''));
    return false;
  }

  /** Returns whether the message was sent again. */
  #receiveRefusal(status: number, headers: HttpHeaders, body: string): boolean {
    const moved = redirectWithin(this.address, status, headers);
    if (moved !== undefined && this.#hops < maxHops) {
      if (this.address === this.#context.address) this.#context.address = moved;
      this.address = moved;
      this.#hops++;
      this.#response = pending;
      this.start();
      return true;
    }
    if (this.#ports.refused?.(this, status, headers, body)) return true;
    this.refuse(status, headers, body);
    return false;
  }

  /** Rejects the call with the error of the response. */
  refuse(status: number, headers: HttpHeaders, body: string): void {
    const error = answeredError(status, openingMethods.has(this.method), body);
    if (error === undefined || this.id === undefined)
      this.#reportFailure(statusFailure(this.address, status, headers, body, this.#sentToken));
    else this.#context.failed(this.id, RpcError.answered(error));
  }

  #resumed({ reader, retryMs }: { readonly reader: EventReader; readonly retryMs: number | undefined }): boolean {
    reader.end();
    if (this.id === undefined || !this.#context.waits(this.id)) return false;
    const { lastEventId } = reader;
    if (lastEventId !== '' && this.#ports.resume?.(this, { lastEventId, retryMs })) return true;
    this.#reportFailure(noAnswer(this.address, this.method));
    return false;
  }

  #abortWith(error: TenonError): void {
    if (this.#response === finished) return;
    this.abort();
    this.#reportFailure(error);
    this.#ports.finished(this);
  }

  #reportFailure(error: TenonError): void {
    if (this.id === undefined) this.#context.warn(error);
    else this.#context.failed(this.id, error);
  }
}
