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

/**
 * Refuses new connections, and leaves those that are open as they are: `close()` of Node's HTTP server ends idle ones, on
 * which a balancer may just have sent a request. Connections that wait to be accepted are reset, so it is done after a turn
 * of the event loop that had next to nothing to do.
 */
export async function stopAccepting(listener: HttpServer): Promise<void> {
  const { Server } = await import('node:net');
  for (let turns = 0; turns < maxBusyTurns && (await turnMs()) > quietTurnMs; turns++)
    await new Promise((resolve) => void setTimeout(resolve, 5));
  Server.prototype.close.call(listener);
}

/** How long a turn of the event loop takes, in which it accepts the connections that wait. */
async function turnMs(): Promise<number> {
  const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
  await turn();
  const began = performance.now();
  await turn();
  return performance.now() - began;
}

const quietTurnMs = 1;
const maxBusyTurns = 20;

/** Clients that have not sent a whole request by now get one more second, then all connections are closed. */
export async function closeListener(listener: HttpServer, { destroyAll }: Connections): Promise<void> {
  const closed = new Promise((resolve) => void listener.once('close', resolve));
  const isClosed = !listener.listening && (await connectionsOf(listener)) === 0;
  listener.close();
  listener.closeIdleConnections();
  if (isClosed) return;
  const timeout = setTimeout(destroyAll, 1000);
  await closed;
  clearTimeout(timeout);
}

const connectionsOf = (listener: HttpServer): Promise<number> =>
  new Promise((resolve) => listener.getConnections((_error, count) => resolve(count)));

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
