/** Requests and responses of `node:http` behind the endpoint's interfaces, without creating Request and Response objects. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type {
  EventSink,
  HttpHeaders,
  HttpRequest,
  HttpResponder,
  MakeRoom,
  Refused,
} from '../../server/http/message.ts';
import type { Output, QueuedOutput } from '../../server/http/reply/queued-output.ts';
import { acceptedBytes } from './accepted-bytes.ts';
import { readBody } from './body.ts';
import { authorityOf } from './request-target.ts';
import { closeIfUnfinished } from './unfinished-requests.ts';

export class NodeRequest implements HttpRequest {
  readonly method: string;
  body = '';
  principal: HttpRequest['principal'] = undefined;
  eventName: string | undefined = undefined;
  readonly raw: IncomingMessage;
  readonly #maxBodyBytes: number;

  constructor(message: IncomingMessage, maxBodyBytes: number) {
    this.method = message.method ?? '';
    this.raw = message;
    this.#maxBodyBytes = maxBodyBytes;
  }

  /** Node sets all of `rawHeaders` that it has read, names and values. */
  get headerCount(): number {
    return this.raw.rawHeaders.length / 2;
  }

  get address(): string | undefined {
    return addressOf(this.raw.socket);
  }

  header(name: string): string | undefined {
    if (name === 'host') return hostOf(this.raw);
    const value = this.raw.headers[name];
    if (typeof value !== 'string') return value?.[0];
    return name === 'authorization' && isRepeated(this.raw, name) ? `${value}, …` : value;
  }

  receive(done: (problem: Refused | undefined) => void, makeRoom: MakeRoom): void {
    readBody(this.raw, this.#maxBodyBytes, makeRoom, (body) => {
      if (typeof body !== 'string') return done(body);
      this.body = body;
      done(undefined);
    });
  }
}

/** Asked for once for each connection: Node looks up the handle of the socket every time. */
const addresses = new WeakMap<Socket, string | undefined>();

function addressOf(socket: Socket): string | undefined {
  const known = addresses.get(socket);
  if (known !== undefined) return known;
  const { remoteAddress } = socket;
  addresses.set(socket, remoteAddress);
  return remoteAddress;
}

/** Of several headers of one name Node uses the first, while a proxy before it may have used another: they are no valid host or credential. */
function isRepeated({ rawHeaders }: IncomingMessage, wanted: 'host' | 'authorization'): boolean {
  let found = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === wanted.length && name.toLowerCase() === wanted) found++;
  }
  return found > 1;
}

function hostOf(message: IncomingMessage): string | undefined {
  const { headers, url = '', httpVersionMajor } = message;
  const { host } = headers;
  if (isRepeated(message, 'host')) return `${host}, …`;
  if (httpVersionMajor > 1) return agreed(host, headers);
  return authorityOf(url) ?? host;
}

/** HTTP/2 has `:authority` for the host; a Host header must have the same value. */
function agreed(host: string | undefined, fields: IncomingMessage['headers']): string | undefined {
  const { ':authority': authority, ':scheme': scheme } = fields as Record<string, string | undefined>;
  if (host === undefined || authority === undefined || host === authority) return authority ?? host;
  // Compared without case and default port (RFC 9110, 4.2.3).
  const port = scheme === 'https' ? /:(?:443)?$/ : /:(?:80)?$/;
  const same = host.toLowerCase().replace(port, '') === authority.toLowerCase().replace(port, '');
  return same ? authority : `${authority}, ${host}`;
}

export class NodeResponder implements HttpResponder {
  received: HttpResponder['received'] = undefined;
  readonly #response: ServerResponse;
  readonly #queued: QueuedOutput;

  constructor(response: ServerResponse, queued: QueuedOutput) {
    this.#response = response;
    this.#queued = queued;
  }

  send(status: number, headers: HttpHeaders, body: string): void {
    const response = this.#response;
    if (response.headersSent || isClosed(response)) return;
    // Frameworks may pass requests of their own, which do not have it.
    if (response.req.complete === false) closeIfUnfinished(response);
    // An object, though Node also takes a flat list: middleware that wraps `writeHead` expects objects.
    const all: Record<string, string> =
      status === 204 ? {} : { 'content-length': String(body === '' ? 0 : Buffer.byteLength(body)) };
    for (const name in headers) all[name] = headers[name] as string;
    response.writeHead(status, all);
    const { socket, req } = response;
    if (body === '' || req.method === 'HEAD') return void response.end();
    if (socket == null || req.httpVersionMajor > 1) response.end(body);
    else {
      // `end(body)` writes two parts, the second of them empty; a single part takes a shorter path to the system.
      socket.cork();
      response.write(body);
      socket.uncork();
      response.end();
    }
    if (response.writableLength > 0) this.#queued.add(new NodeSink(response, this.#queued), body.length);
  }

  stream(headers: HttpHeaders): EventSink {
    const response = this.#response;
    if (!response.headersSent && !response.destroyed) {
      response.writeHead(200, headers);
      response.flushHeaders();
    }
    return new NodeSink(response, this.#queued);
  }

  header(name: string): string | undefined {
    const value = this.#response.req.headers[name];
    return typeof value === 'string' ? value : value?.[0];
  }

  sentHeaders(): HttpHeaders {
    const entries = Object.entries(this.#response.req.headers);
    // HTTP/2 has the method and the path among them.
    const named = entries.filter(([name]) => !name.startsWith(':'));
    return Object.fromEntries(named.map(([name, value]) => [name, String(value)]));
  }

  onClose(listener: CloseListener): void {
    const response = this.#response;
    if (response.closed) queueMicrotask(() => listener.closed());
    else if (response.socket === null) whenSocketCloses(response, listener);
    else response.once('close', () => listener.closed());
  }
}

/** A pipelined response that waits for others has no socket yet (null), and does not learn that its connection has closed. */
const isClosed = ({ destroyed, socket, req }: ServerResponse): boolean =>
  destroyed || (socket === null && req.socket?.destroyed);

type CloseListener = Parameters<HttpResponder['onClose']>[0];

/** Callbacks for the close of a socket, for pipelined responses that wait for others: Node emits nothing on those. */
const queues = new WeakMap<Socket, Set<() => void>>();

function whenSocketCloses(response: ServerResponse, listener: CloseListener): void {
  const { socket } = response.req;
  if (socket.destroyed) return queueMicrotask(() => listener.closed());
  const queue = queues.get(socket) ?? openQueue(socket);
  const onClosed = (): void => {
    if (queue.delete(onClosed)) listener.closed();
  };
  queue.add(onClosed);
  response.once('close', onClosed);
}

function openQueue(socket: Socket): Set<() => void> {
  const queue = new Set<() => void>();
  queues.set(socket, queue);
  socket.once('close', () => {
    for (const onClosed of queue) onClosed();
  });
  return queue;
}

class NodeSink implements EventSink, Output {
  readonly #response: ServerResponse;
  readonly #queued: QueuedOutput;

  constructor(response: ServerResponse, queued: QueuedOutput) {
    this.#response = response;
    this.#queued = queued;
  }

  /** Over HTTP/2, a response that has closed has no socket (undefined). */
  get waiting(): number {
    const hasClosed = this.#response.socket === undefined || isClosed(this.#response);
    return hasClosed ? 0 : this.#response.writableLength;
  }

  get accepted(): number {
    const { socket } = this.#response;
    return socket == null ? 0 : acceptedBytes(socket);
  }

  write(text: string): void {
    if (this.#response.writableEnded || isClosed(this.#response)) return;
    this.#response.write(text);
    if (this.#response.writableLength > 0) this.#queued.add(this, text.length);
  }

  end(): void {
    if (!this.#response.writableEnded) this.#response.end();
  }

  /** A pipelined response has no socket yet and cannot overtake those before it, so their connection is closed too. */
  cut(): void {
    const { socket, req, writableFinished } = this.#response;
    if (socket === null && !writableFinished) req.socket.destroy();
    else this.#response.destroy();
  }
}
