/** The HTTP or HTTPS server of Node that `serveHttp` listens with: how it is created, opened and closed. */
import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import type { ServerOptions as TlsOptions } from 'node:https';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { holdBody } from './body.ts';
import type { Connections } from './stalled-readers.ts';

export type Handle = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

interface ListenOptions {
  readonly port: number;
  readonly host: string;
  readonly tls?: TlsOptions;
  readonly timeouts: { readonly headersMs: number; readonly requestMs: number };
}

/**
 * Bytes of all headers of a request.
 * @limit HTTP
 * @beyond 431
 */
const maxHeaderSize = 16 * 1024;

/** Resolves when requests can arrive. */
export async function listen(options: ListenOptions, handle: Handle): Promise<HttpServer> {
  const { port, host } = options;
  const listener = await createListener(options, handle);
  await new Promise<void>((resolve, reject) => {
    listener.once('error', (cause: NodeJS.ErrnoException) => reject(notListening(host, port, cause)));
    listener.listen(port, host, resolve);
  });
  return listener;
}

/**
 * Slow senders of headers and bodies are disconnected, so that they cannot occupy all connections. Node's modules are
 * loaded here, since they would delay the start of a stdio server.
 */
async function createListener(options: ListenOptions, handle: Handle): Promise<HttpServer> {
  const { timeouts, tls } = options;
  const { requestMs: requestTimeout } = timeouts;
  const headersTimeout = Math.min(timeouts.headersMs, requestTimeout);
  const connectionsCheckingInterval = Math.ceil(headersTimeout / 2);
  const settings = { headersTimeout, requestTimeout, connectionsCheckingInterval, maxHeaderSize };
  const hold: Handle = (request, response) => {
    holdBody(request, response);
    handle(request, response);
  };
  if (tls === undefined) return (await import('node:http')).createServer(settings, handle).on('checkContinue', hold);
  const { createServer } = await import('node:https');
  try {
    return createServer({ ...settings, handshakeTimeout: headersTimeout, ...tls }, handle).on('checkContinue', hold);
  } catch (cause) {
    const text = `HTTPS cannot be served: ${(cause as Error).message}.`;
    throw new TenonError('listen-failed', text, { hint: 'Pass a key and its certificate as PEM in `tls`.', cause });
  }
}

/** Clients that have not sent a whole request by now get one more second, then all connections are closed. */
export async function closeListener(listener: HttpServer, { destroyAll }: Connections): Promise<void> {
  const closed = new Promise((resolve) => listener.close(resolve));
  listener.closeIdleConnections();
  const timeout = setTimeout(destroyAll, 1000);
  await closed;
  clearTimeout(timeout);
}

function notListening(host: string, port: number, cause: NodeJS.ErrnoException): TenonError {
  const hint =
    cause.code === 'EADDRINUSE'
      ? 'Choose another port; 0 takes any free port.'
      : 'Set `host` to an address of this machine.';
  return new TenonError('listen-failed', `Cannot listen on ${host}:${port}: ${cause.message}.`, {
    hint,
    cause,
  });
}
