/** A stream of server-sent events as the body of a response. */
import type { Fields } from '../../lib/values/is.ts';
import { formatEvent } from '../../transport/sse.ts';

export class EventBody {
  readonly #encoder = new TextEncoder();
  readonly #stream: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  /** `onClose` is called if the client disconnects. */
  constructor(onClose: () => void = () => {}) {
    this.#stream = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => {
        this.#controller = undefined;
        onClose();
      },
    });
  }

  response(headers: Readonly<Record<string, string>> = {}): Response {
    return new Response(this.#stream, {
      headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...headers },
    });
  }

  send(message: Fields): void {
    this.write(formatEvent({ event: 'message', data: JSON.stringify({ jsonrpc: '2.0', ...message }) }));
  }

  write(text: string): void {
    this.#controller?.enqueue(this.#encoder.encode(text));
  }

  end(): void {
    this.#controller?.close();
    this.#controller = undefined;
  }

  /** Closes the connection in the middle of the response. */
  break(): void {
    this.#controller?.error(new Error('The connection was cut.'));
    this.#controller = undefined;
  }
}
