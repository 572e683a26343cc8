/** Where the endpoint puts its answer on web-standard runtimes: a Response, whole or as a stream that waits for its reader. */
import { formatComment } from '../../transport/sse.ts';
import type { EventSink, HttpHeaders, HttpResponder } from './message.ts';

type Hearer = Parameters<HttpResponder['onClose']>[0];

export class FetchResponder implements HttpResponder {
  readonly response: Promise<Response>;
  readonly #signal: AbortSignal;
  readonly #asked: Headers;
  readonly #respond: (response: Response) => void;
  #hearers: Hearer[] = [];
  #state: 'waiting' | 'streaming' | 'over' = 'waiting';
  /** Where a stream is written to, until it is over. */
  #sink: FetchSink | undefined;

  constructor({ signal, headers }: Pick<Request, 'signal' | 'headers'>) {
    const { promise, resolve } = pending<Response>();
    this.response = promise;
    this.#respond = resolve;
    this.#signal = signal;
    this.#asked = headers;
    if (signal.aborted) this.#close();
    else signal.addEventListener('abort', this.#abort);
  }

  send(status: number, headers: HttpHeaders, body: string): void {
    if (this.#state !== 'waiting') return;
    this.#respond(new Response(body === '' ? null : body, { status, headers }));
    this.#close();
  }

  stream(headers: HttpHeaders): EventSink {
    const sink = new FetchSink(this.#close);
    if (this.#state === 'waiting') {
      this.#state = 'streaming';
      this.#sink = sink;
      // Some frameworks send the headers with the first byte only: a reader of a silent stream would wait for them.
      sink.write(formatComment(''));
      this.#respond(new Response(sink.readable, { headers }));
    } else sink.cut();
    return sink;
  }

  onClose(hearer: Hearer): void {
    if (this.#state === 'over') queueMicrotask(() => hearer.closed());
    else this.#hearers.push(hearer);
  }

  header(name: string): string | undefined {
    return this.#asked.get(name) ?? undefined;
  }

  /** Whoever still reads is told by the body, as by that of an aborted fetch. */
  readonly #abort = (): void => {
    this.#sink?.fail(this.#signal.reason);
    this.#close();
  };

  readonly #close = (): void => {
    if (this.#state === 'over') return;
    // Nobody is there to see it, but whoever waits for the response has to go on.
    if (this.#state === 'waiting') this.#respond(new Response(null, { status: 499 }));
    this.#state = 'over';
    this.#sink = undefined;
    this.#signal.removeEventListener('abort', this.#abort);
    const hearers = this.#hearers;
    this.#hearers = [];
    for (const hearer of hearers) hearer.closed();
  };
}

class FetchSink implements EventSink {
  readonly readable: ReadableStream<Uint8Array>;
  readonly #over: () => void;
  readonly #encoder = new TextEncoder();
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #waiting = '';
  /** Whether a reader waits for text, and whether more will come. */
  #wanted = false;
  #state: 'open' | 'ending' | 'over' = 'open';

  constructor(over: () => void) {
    this.#over = over;
    const source: UnderlyingDefaultSource<Uint8Array> = {
      start: (controller) => {
        this.#controller = controller;
      },
      pull: () => this.#pull(),
      cancel: () => this.#leave(),
    };
    // Nothing is handed over before it is asked for, so that what waits is counted here.
    this.readable = new ReadableStream(source, { highWaterMark: 0 });
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  write(text: string): void {
    if (this.#state !== 'open') return;
    this.#waiting += text;
    if (this.#wanted) this.#pull();
  }

  end(): void {
    if (this.#state !== 'open') return;
    this.#state = 'ending';
    if (this.#waiting === '') this.#finish();
  }

  cut(): void {
    this.fail(new TypeError('The reader was too slow.'));
  }

  /** What waits is lost, and the reader is given the reason. */
  fail(reason: unknown): void {
    if (this.#state === 'over') return;
    this.#controller?.error(reason);
    this.#leave();
  }

  #pull(): void {
    this.#wanted = this.#waiting === '';
    if (this.#wanted) return;
    this.#controller?.enqueue(this.#encoder.encode(this.#waiting));
    this.#waiting = '';
    if (this.#state === 'ending') this.#finish();
  }

  #finish(): void {
    this.#controller?.close();
    this.#leave();
  }

  #leave(): void {
    this.#state = 'over';
    this.#waiting = '';
    this.#over();
  }
}

function pending<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
