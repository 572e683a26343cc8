/** Requests and responses of `node:http` as the endpoint sees them. Nothing web-standard is built on this path. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { defaultLimits } from '../../jsonrpc/limits.ts';
import type { EventSink, HttpHeaders, HttpRequest, HttpResponder, Refused } from '../../server/http/message.ts';
import { readBody } from './body.ts';
import { authorityOf } from './request-target.ts';

export interface RequestOptions {
  /** Issuer and subject of whoever sends a request, as whatever stands before has found out. */
  readonly principal?: (request: IncomingMessage) => string | undefined;
  /** Bytes of one body. Default 4 MiB. */
  readonly maxBody?: number;
}

export class NodeRequest implements HttpRequest {
  readonly method: string;
  body = '';
  principal: string | undefined = undefined;
  eventName: string | undefined = undefined;
  recognize: HttpRequest['recognize'];
  readonly #message: IncomingMessage;
  readonly #maxBody: number;

  constructor(message: IncomingMessage, { principal, maxBody = defaultLimits.maxCharacters }: RequestOptions) {
    this.method = message.method ?? '';
    this.#message = message;
    this.#maxBody = maxBody;
    this.recognize = principal === undefined ? undefined : () => principal(message);
  }

  header(name: string): string | undefined {
    if (name === 'host') return hostOf(this.#message);
    const value = this.#message.headers[name];
    return typeof value === 'string' ? value : value?.[0];
  }

  receive(told: (problem: Refused | undefined) => void): void {
    readBody(this.#message, this.#maxBody, (body) => {
      if (typeof body !== 'string') return told(body);
      this.body = body;
      told(undefined);
    });
  }
}

/** Node keeps the first host of a request that names several, which whatever stands before may not have gone by. */
function hostOf({ headers, rawHeaders, url = '', httpVersionMajor }: IncomingMessage): string | undefined {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  const { host } = headers;
  if (hosts > 1) return `${host}, …`;
  if (httpVersionMajor > 1) return agreed(host, headers);
  return authorityOf(url) ?? host;
}

/** HTTP/2 has a field of its own for the host, beside which a header may say the same. */
function agreed(host: string | undefined, fields: IncomingMessage['headers']): string | undefined {
  const { ':authority': authority, ':scheme': scheme } = fields as Record<string, string | undefined>;
  if (host === undefined || authority === undefined || host === authority) return authority ?? host;
  // As addresses are compared: whatever the case, and without the port that goes without saying (RFC 9110, 4.2.3).
  const port = scheme === 'https' ? /:(?:443)?$/ : /:(?:80)?$/;
  const same = host.toLowerCase().replace(port, '') === authority.toLowerCase().replace(port, '');
  return same ? authority : `${authority}, ${host}`;
}

export class NodeResponder implements HttpResponder {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  send(status: number, headers: HttpHeaders, body: string): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return;
    // No flat list, though Node takes one: middleware that stands before and reads the headers knows objects only.
    const all: Record<string, string> =
      status === 204 ? {} : { 'content-length': String(body === '' ? 0 : Buffer.byteLength(body)) };
    for (const name in headers) all[name] = headers[name] as string;
    response.writeHead(status, all);
    const { socket, req } = response;
    if (body === '' || req.method === 'HEAD') return void response.end();
    if (socket == null || req.httpVersionMajor > 1) return void response.end(body);
    // `end(body)` has two parts to write, the second of them empty; one part alone takes a shorter way to the system.
    socket.cork();
    response.write(body);
    socket.uncork();
    response.end();
  }

  stream(headers: HttpHeaders): EventSink {
    const response = this.#response;
    if (!response.headersSent && !response.destroyed) {
      response.writeHead(200, headers);
      response.flushHeaders();
    }
    return new NodeSink(response);
  }

  header(name: string): string | undefined {
    const value = this.#response.req.headers[name];
    return typeof value === 'string' ? value : value?.[0];
  }

  onClose(hearer: Hearer): void {
    const response = this.#response;
    if (response.closed) queueMicrotask(() => hearer.closed());
    else if (response.socket === null) whenQueueEnds(response, hearer);
    else response.once('close', () => hearer.closed());
  }
}

type Hearer = Parameters<HttpResponder['onClose']>[0];

/** Who hears of the end of a socket, for the responses that wait for others on it: Node tells those nothing. */
const queues = new WeakMap<Socket, Set<() => void>>();

function whenQueueEnds(response: ServerResponse, hearer: Hearer): void {
  const { socket } = response.req;
  if (socket.destroyed) return queueMicrotask(() => hearer.closed());
  const queue = queues.get(socket) ?? openQueue(socket);
  const over = (): void => {
    if (queue.delete(over)) hearer.closed();
  };
  queue.add(over);
  response.once('close', over);
}

function openQueue(socket: Socket): Set<() => void> {
  const queue = new Set<() => void>();
  queues.set(socket, queue);
  socket.once('close', () => {
    for (const over of queue) over();
  });
  return queue;
}

class NodeSink implements EventSink {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get waiting(): number {
    return this.#response.writableLength;
  }

  write(text: string): void {
    if (!this.#response.writableEnded && !this.#response.destroyed) this.#response.write(text);
  }

  end(): void {
    if (!this.#response.writableEnded) this.#response.end();
  }

  /** A response that waits for others has no socket yet; those before it cannot be passed by, so they go with it. */
  cut(): void {
    const { socket, req, writableEnded } = this.#response;
    if (socket === null && !writableEnded) req.socket.destroy();
    else this.#response.destroy();
  }
}
