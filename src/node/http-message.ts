/** Requests and responses of `node:http` as the endpoint sees them. Nothing web-standard is built on this path. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EventSink, HttpHeaders, HttpRequest, HttpResponder } from '../server/http/message.ts';

export class NodeRequest implements HttpRequest {
  readonly method: string;
  readonly body: string;
  principal: string | undefined;
  eventName?: string;
  readonly #headers: IncomingMessage['headers'];

  constructor(message: IncomingMessage, body: string, principal: string | undefined) {
    this.method = message.method ?? '';
    this.#headers = message.headers;
    this.body = body;
    this.principal = principal;
  }

  header(name: string): string | undefined {
    const value = this.#headers[name];
    return typeof value === 'string' ? value : value?.[0];
  }
}

export class NodeResponder implements HttpResponder {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  send(status: number, headers: HttpHeaders, body: string): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return;
    const flat = ['content-length', String(body === '' ? 0 : Buffer.byteLength(body))];
    for (const name in headers) flat.push(name, headers[name] as string);
    response.writeHead(status, flat);
    response.end(body);
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

  onClose(hearer: { closed(): void }): void {
    if (this.#response.closed) queueMicrotask(() => hearer.closed());
    else this.#response.once('close', () => hearer.closed());
  }
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

  cut(): void {
    this.#response.destroy();
  }
}
