/** The listener of the operator: `/healthz`, `/readyz` and `/metrics`, apart from the endpoint of callers. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
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
}

export interface AdminListener {
  readonly url: string;
  close(): Promise<void>;
}

/** Web pages have no business here: a request that a browser sends for one is refused. */
export async function listenForAdmin({ host, port }: ListenAddress, source: AdminSource): Promise<AdminListener> {
  const timeouts = defaultsOf(serveHttpTimeouts);
  const isOwnHost = createHostCheck({
    allowedHosts: isLoopback(host) ? ['localhost', '127.0.0.1', '[::1]', host] : '*',
  });
  const listener = await listen({ port, host, timeouts }, (request, response) => {
    response.on('error', () => response.destroy());
    request.resume();
    const isForeign = request.headers.origin !== undefined || !isOwnHost(request.headers.host ?? '');
    if (isForeign) return send(response, 403, 'Forbidden\n');
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
