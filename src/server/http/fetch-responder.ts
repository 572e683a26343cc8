/** The responder of web-standard runtimes: a Response, whole or as a stream with backpressure. */
import { createDeferred } from '../../lib/values/deferred.ts';
import { formatComment } from '../../transport/sse.ts';
import type { CloseListener, EventSink, HttpHeaders, HttpResponder } from './message.ts';
import type { Output, QueuedOutput } from './reply/queued-output.ts';

/** Deno prints the error of each body that fails, also where only the client has disconnected. */
const printsFailures = 'Deno' in globalThis;

export class FetchResponder implements HttpResponder {
  readonly response: Promise<Response>;
  received: HttpResponder['received'] = undefined;
  readonly #signal: AbortSignal;
  readonly #requestHeaders: Headers;
  readonly #queued: QueuedOutput;
  readonly #respond: (response: Response) => void;
  #listeners: CloseListener[] = [];
  #state: 'waiting' | 'streaming' | 'closed' = 'waiting';
  /** The stream of the response, until it is closed. */
  #sink: FetchSink | undefined;

  constructor({ signal, headers }: Pick<Request, 'signal' | 'headers'>, queued: QueuedOutput) {
    const { promise, resolve } = createDeferred<Response>();
    this.response = promise;
    this.#respond = resolve;
    this.#signal = signal;
    this.#requestHeaders = headers;
    this.#queued = queued;
    if (signal.aborted) this.#close();
    else signal.addEventListener('abort', this.#abort);
  }

  send(status: number, headers: HttpHeaders, body: string): void {
    if (this.#state !== 'waiting') return;
    this.#respond(new Response(body === '' ? null : body, { status, headers }));
    this.#close();
  }

  stream(headers: HttpHeaders): EventSink {
    const sink = new FetchSink(this.#queued, this.#close);
    if (this.#state === 'waiting') {
      this.#state = 'streaming';
      this.#sink = sink;
      // Some frameworks send the headers with the first byte only: without it the client of a silent stream would wait.
      sink.write(formatComment(''));
      this.#respond(new Response(sink.readable, { headers }));
    } else sink.cut();
    return sink;
  }

  onClose(listener: CloseListener): void {
    if (this.#state === 'closed') queueMicrotask(() => listener.closed());
    else this.#listeners.push(listener);
  }

  header(name: string): string | undefined {
    return this.#requestHeaders.get(name) ?? undefined;
  }

  sentHeaders(): HttpHeaders {
    return Object.fromEntries(this.#requestHeaders);
  }

  /** The body fails with the reason, as that of an aborted fetch does. */
  readonly #abort = (): void => {
    if (printsFailures) this.#sink?.discard();
    else this.#sink?.fail(this.#signal.reason);
    this.#close();
  };

  readonly #close = (): void => {
    if (this.#state === 'closed') return;
    // The client has disconnected, but the caller still awaits a response.
    if (this.#state === 'waiting') this.#respond(new Response(null, { status: 499 }));
    this.#state = 'closed';
    this.#sink = undefined;
    this.#signal.removeEventListener('abort', this.#abort);
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener.closed();
  };
}

class FetchSink implements EventSink, Output {
  readonly readable: ReadableStream<Uint8Array>;
  /** Characters that the reader has taken. */
  accepted = 0;
  readonly #queued: QueuedOutput;
  readonly #closed: () => void;
  readonly #encoder = new TextEncoder();
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #waiting = '';
  /** Whether a reader waits for text. */
  #wanted = false;
  #state: 'open' | 'ending' | 'closed' = 'open';

  constructor(queued: QueuedOutput, closed: () => void) {
    this.#queued = queued;
    this.#closed = closed;
    const source: UnderlyingDefaultSource<Uint8Array> = {
      start: (controller) => {
        this.#controller = controller;
      },
      pull: () => this.#pull(),
      cancel: () => this.#closeSink(),
    };
    // Nothing is enqueued before it is pulled, so that waiting text is counted here.
    this.readable = new ReadableStream(source, { highWaterMark: 0 });
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  write(text: string): void {
    if (this.#state !== 'open') return;
    this.#waiting += text;
    if (this.#wanted) this.#pull();
    else this.#queued.add(this, text.length);
  }

  end(): void {
    if (this.#state !== 'open') return;
    this.#state = 'ending';
    if (this.#waiting === '') this.#finish();
  }

  cut(): void {
    this.fail(new TypeError('The client read the stream too slowly.'));
  }

  /** Discards waiting text; the reader gets the reason. */
  fail(reason: unknown): void {
    if (this.#state === 'closed') return;
    this.#controller?.error(reason);
    this.#closeSink();
  }

  /** Discards waiting text, and ends the body. */
  discard(): void {
    if (this.#state !== 'closed') this.#finish();
  }

  #pull(): void {
    this.#wanted = this.#waiting === '';
    if (this.#wanted) return;
    this.#controller?.enqueue(this.#encoder.encode(this.#waiting));
    this.accepted += this.#waiting.length;
    this.#waiting = '';
    if (this.#state === 'ending') this.#finish();
  }

  #finish(): void {
    this.#controller?.close();
    this.#closeSink();
  }

  #closeSink(): void {
    this.#state = 'closed';
    this.#waiting = '';
    this.#closed();
  }
}
