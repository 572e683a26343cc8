/** The listener of the operator: `/healthz`, `/readyz`, `/metrics` and a page, apart from the endpoint of callers. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pageHeaders } from '../../auth-pages/page.ts';
import { defaultsOf } from '../../lib/options/read-options.ts';
import { isLoopback, reachable } from '../../node/http-server/address.ts';
import { listen } from '../../node/http-server/listener.ts';
import { serveHttpTimeouts } from '../../node/http-server/options.table.ts';
import { pathOf } from '../../node/http-server/request-target.ts';
import { createHostCheck } from '../../server/http/admission/host-and-origin.ts';
import type { ListenAddress } from '../config/options.ts';

export interface AdminSource {
  /** Why the gateway is not ready; empty if it is. */
  notReady(): Promise<readonly string[]>;
  metrics(): string;
  /** The page with its buttons, which send the token back. Only for browsers of this machine. */
  page(token: string): string;
  /** What a button does; rejects with what is shown then. */
  act(action: string, value: string): Promise<void>;
}

export interface AdminListener {
  readonly url: string;
  close(): Promise<void>;
}

/** A request that a browser sends for another page is refused. */
export async function listenForAdmin({ host, port }: ListenAddress, source: AdminSource): Promise<AdminListener> {
  const timeouts = defaultsOf(serveHttpTimeouts);
  const isOwnHost = createHostCheck({
    allowedHosts: isLoopback(host) ? ['localhost', '127.0.0.1', '[::1]', host] : '*',
  });
  const buttons = isLoopback(host) ? new Buttons(source) : undefined;
  const listener = await listen({ port, host, timeouts }, (request, response) => {
    response.on('error', () => response.destroy());
    const { host: own = '', origin } = request.headers;
    const isForeign =
      !isOwnHost(own) || (origin !== undefined && (buttons === undefined || origin !== `http://${own}`));
    if (!isForeign && request.method === 'POST' && buttons?.has(request) === true)
      return void buttons.pressed(request, response);
    request.resume();
    if (isForeign) return send(response, 403, 'Forbidden\n');
    if (buttons !== undefined && request.method === 'GET' && pathOf(request.url ?? '') === '/')
      return void response.writeHead(200, pageHeaders).end(source.page(buttons.token));
    if (request.method !== 'GET' && request.method !== 'HEAD') return send(response, 405, 'Method not allowed\n');
    return answer(request, response, source);
  });
  const { port: actual } = listener.address() as AddressInfo;
  return {
    url: `http://${reachable(host)}:${actual}`,
    close() {
      const closed = new Promise<void>((resolve) => listener.close(() => resolve()));
      listener.closeAllConnections();
      return closed;
    },
  };
}

async function answer({ url = '' }: IncomingMessage, response: ServerResponse, source: AdminSource): Promise<void> {
  switch (pathOf(url)) {
    case '/healthz':
      return send(response, 200, 'ok\n');
    case '/readyz': {
      const reasons = await source.notReady().catch(() => ['readiness is not known']);
      return send(
        response,
        reasons.length === 0 ? 200 : 503,
        reasons.length === 0 ? 'ready\n' : `${reasons.join('\n')}\n`,
      );
    }
    case '/metrics':
      return send(response, 200, source.metrics(), 'text/plain; version=0.0.4; charset=utf-8');
    default:
      return send(response, 404, 'Not found: there are /healthz, /readyz and /metrics\n');
  }
}

function send(response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, {
    'content-type': type,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(text);
}

/**
 * Characters of what a button of the page sends.
 * @limit gateway
 * @beyond 413
 */
const maxFormChars = 10_000;

const actions: ReadonlySet<string> = new Set(['/drain', '/revoke']);

/** The buttons of the page. Each has a token that only the page knows, and another page cannot read it. */
class Buttons {
  readonly token = randomBytes(32).toString('base64url');
  readonly #source: AdminSource;

  constructor(source: AdminSource) {
    this.#source = source;
  }

  has({ url = '' }: IncomingMessage): boolean {
    return actions.has(pathOf(url));
  }

  async pressed(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await bodyOf(request);
    if (text === undefined) return send(response, 413, 'Too large\n');
    const form = new URLSearchParams(text);
    if (!this.#isOwn(form.get('token') ?? '')) return send(response, 403, 'Forbidden: load the page again\n');
    try {
      await this.#source.act(pathOf(request.url ?? '').slice(1), form.get('value') ?? '');
    } catch (error) {
      return send(response, 400, `${(error as Error).message}\n`);
    }
    response.writeHead(303, { location: '/', 'cache-control': 'no-store' }).end();
  }

  #isOwn(token: string): boolean {
    const [given, own] = [Buffer.from(token), Buffer.from(this.token)];
    return given.length === own.length && timingSafeEqual(given, own);
  }
}

/** `undefined` for one that is too long, or that was not sent whole. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  let text = '';
  try {
    for await (const part of request.setEncoding('utf8')) {
      text += part;
      if (text.length > maxFormChars) return undefined;
    }
    return text;
  } catch {
    return undefined;
  }
}
