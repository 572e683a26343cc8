/** The second port, an origin of its own: it serves nothing but the proxy pages of apps that are open. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Sandbox {
  readonly origin: string;
  close(): Promise<void>;
}

/** The proxy page of an app, with its content policy and the connections that it may open. */
export interface SandboxPage {
  readonly policy: string;
  readonly connections: string;
  readonly html: string;
}

/** `find` returns the proxy page of an app by its id. */
export async function serveSandbox(find: (app: string) => SandboxPage | undefined): Promise<Sandbox> {
  let host = '';
  const listener = createServer(({ method, url = '', headers }, response) => {
    const found = method === 'GET' && headers.host === host ? find(url.slice(1)) : undefined;
    if (found === undefined) return void response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found\n');
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': found.policy,
      'connection-allowlist': found.connections,
      // Nothing is granted that an app asks for.
      'permissions-policy': 'camera=(), microphone=(), geolocation=(), clipboard-read=(), clipboard-write=()',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    response.end(found.html);
  });
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  // It does not keep the process alive.
  listener.unref();
  host = `127.0.0.1:${(listener.address() as AddressInfo).port}`;
  return {
    origin: `http://${host}`,
    async close() {
      const closed = new Promise((resolve) => listener.close(resolve));
      listener.closeAllConnections();
      await closed;
    },
  };
}
