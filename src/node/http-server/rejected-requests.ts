/** Answers requests that Node rejects before a handler gets them: malformed ones, and those that take too long to arrive. */
import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A status line, and the text of the error. */
interface Answer {
  readonly status: string;
  readonly text: string;
}

const malformed: Answer = { status: '400 Bad Request', text: 'The request is not valid HTTP' };
const late: Answer = { status: '408 Request Timeout', text: 'The request took too long to arrive' };

/** By error code; all others are malformed. */
const answers: Readonly<Record<string, Answer>> = {
  HPE_HEADER_OVERFLOW: { status: '431 Request Header Fields Too Large', text: 'The headers are too large' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: '413 Payload Too Large', text: 'The extensions of a chunk are too large' },
  ERR_HTTP_REQUEST_TIMEOUT: late,
  ERR_TLS_HANDSHAKE_TIMEOUT: late,
};

/** The response in progress on a socket, which is private to Node. */
type Busy = Socket & { readonly _httpMessage?: ServerResponse | null };

/** `onRejected` gets the status. */
export function answerRejectedRequests(listener: HttpServer, onRejected: (status: number) => void): void {
  const lateRequests = new LateRequests(listener, (socket, error) => reject(socket, error));

  function reject(socket: Busy, error: NodeJS.ErrnoException): void {
    if (error.code !== 'ECONNRESET' && socket.writable && mayAnswer(socket)) {
      const { status, text } = answers[error.code ?? ''] ?? malformed;
      socket.write(written(status, text), 'latin1');
      onRejected(Number.parseInt(status, 10));
    }
    socket.destroy(error);
  }

  listener.on('clientError', (error: NodeJS.ErrnoException, socket: Busy) => {
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') lateRequests.add(socket, error);
    else reject(socket, error);
  });
}

/** Text written into a response that has begun would become part of it; before one that is awaited, it would be taken for that. */
const mayAnswer = ({ _httpMessage: response }: Busy): boolean =>
  response == null || !(response.headersSent || response.req.complete);

function written(status: string, text: string): string {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: -32600, message: text } });
  const headers = `Connection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  return `HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${body}`;
}

/** A request that took too long, as far as Node has read it. */
interface LateRequest {
  readonly error: NodeJS.ErrnoException;
  /** The request whose body is missing; absent if its headers are. */
  readonly begun: IncomingMessage | undefined;
}

/**
 * Node looks at the clock before it reads: in a process that was busy for long, requests would be refused that have arrived
 * in time. They are read in the same turn of the event loop, and what is whole at its end is served.
 */
class LateRequests {
  readonly #listener: HttpServer;
  readonly #reject: (socket: Busy, error: NodeJS.ErrnoException) => void;
  readonly #late = new Map<Busy, LateRequest>();
  readonly #arrived = new Map<Socket, IncomingMessage>();

  constructor(listener: HttpServer, reject: (socket: Busy, error: NodeJS.ErrnoException) => void) {
    this.#listener = listener;
    this.#reject = reject;
  }

  add(socket: Busy, error: NodeJS.ErrnoException): void {
    if (this.#late.size === 0) {
      for (const event of requestEvents) this.#listener.prependListener(event, this.#note);
      setImmediate(() => this.#decide());
    }
    const { req } = socket._httpMessage ?? {};
    this.#late.set(socket, { error, begun: req?.complete === false ? req : undefined });
  }

  readonly #note = (request: IncomingMessage): void => void this.#arrived.set(request.socket, request);

  #decide(): void {
    for (const event of requestEvents) this.#listener.off(event, this.#note);
    for (const [socket, { error, begun }] of this.#late) {
      const request = begun ?? this.#arrived.get(socket);
      if (request?.complete !== true) this.#reject(socket, error);
    }
    this.#late.clear();
    this.#arrived.clear();
  }
}

const requestEvents = ['request', 'checkContinue'] as const;
