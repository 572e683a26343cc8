/** A short page instead of a JSON error for a browser that opens the endpoint: what this is, and what to do with it. */
import type { HttpHeaders, HttpRequest, HttpResponder } from '../message.ts';

/** `name` is that of the server; absent where the server is protected. */
export const forBrowser = (request: HttpRequest, responder: HttpResponder, name: string | undefined): HttpResponder =>
  isBrowser(request) ? new PageResponder(responder, name) : responder;

const isBrowser = (request: HttpRequest): boolean =>
  request.method === 'GET' && request.header('accept')?.includes('text/html') === true;

class PageResponder implements HttpResponder {
  received: HttpResponder['received'] = undefined;
  readonly #responder: HttpResponder;
  readonly #name: string | undefined;

  constructor(responder: HttpResponder, name: string | undefined) {
    this.#responder = responder;
    this.#name = name;
  }

  send(status: number, headers: HttpHeaders, body: string): void {
    if (status < 400) return this.#responder.send(status, headers, body);
    // A refused host or origin learns nothing of the server.
    this.#responder.send(status, { ...headers, ...pageHeaders }, pageOf(status === 403 ? undefined : this.#name));
  }

  stream(headers: HttpHeaders): ReturnType<HttpResponder['stream']> {
    return this.#responder.stream(headers);
  }

  onClose(listener: Parameters<HttpResponder['onClose']>[0]): void {
    this.#responder.onClose(listener);
  }

  header(name: string): string | undefined {
    return this.#responder.header?.(name);
  }

  sentHeaders(): HttpHeaders {
    return this.#responder.sentHeaders?.() ?? {};
  }
}

const pageHeaders: HttpHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
};

const pageOf = (name: string | undefined): string => `<!doctype html>
<meta charset="utf-8">
<title>MCP server</title>
<h1>MCP server</h1>
<p>This URL is the endpoint of ${name === undefined ? 'a server' : `<b>${escaped(name)}</b>, a server`} of the
Model Context Protocol. It answers MCP clients, not browsers.</p>
<p>Add this URL to an MCP client, or look at the server with <code>npx tenon inspect URL</code>.</p>
`;

const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.codePointAt(0)};`);
