/** The options of `serveHttp`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerOptions as TlsOptions } from 'node:https';
import type { HttpOptions, HttpTimeouts } from '../../server/http/options.ts';
import type { Store } from '../../store/store.ts';

/** The options of `toNodeHandler`. */
export type NodeHandlerOptions = HttpOptions<IncomingMessage>;

/**
 * The options of `serveHttp`.
 * @area HTTP
 */
export interface ServeHttpOptions extends Omit<NodeHandlerOptions, 'store'> {
  /**
   * Where sessions, events and used keys are stored: a store, or a URL such as `sqlite:./tenon.db` or `redis://…`, which
   * `close()` closes. Services that share a store and the `secrets` of their server serve the same sessions.
   * @default computed memory of this process
   * @rule storeOrUrl
   */
  readonly store?: Store | string;
  /**
   * The port to listen on; 0 takes any free port.
   * @default 3000
   * @rule port
   */
  readonly port?: number;
  /**
   * The address to listen on. By default only this machine can connect. For others set it, such as `0.0.0.0`, and `allowedHosts` and `authenticate`.
   * @default '127.0.0.1'
   * @rule listenAddress
   */
  readonly host?: string;
  /**
   * The path of the endpoint.
   * @default '/mcp'
   * @rule endpointPath
   */
  readonly path?: string;
  /**
   * The paths of HTTP+SSE, the deprecated transport of the first protocol version; `false` disables it.
   * @default computed `/sse` and `/messages`
   * @rule ssePaths
   */
  readonly legacySse?: SsePaths | false;
  /**
   * Options of `node:https`, such as `key` and `cert`, to serve HTTPS.
   * @default off, HTTP is served
   * @rule certificate
   */
  readonly tls?: TlsOptions;
  /**
   * Whether other machines may connect without `authenticate`. Otherwise a `host` other than loopback requires it.
   * @default false
   */
  readonly unprotected?: boolean;
  /**
   * Whether a proxy in front of the server has TLS. Otherwise a `host` other than loopback without `tls` gives a warning.
   * @default false
   */
  readonly behindProxy?: boolean;
  /**
   * Answers requests for other paths.
   * @default computed 404
   */
  readonly notFound?: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
  /** Timeouts, in milliseconds. */
  readonly timeouts?: ServeHttpTimeouts;
  /**
   * Whether SIGTERM and SIGINT close the service and then exit the process; a second signal exits at once.
   * @default false
   */
  readonly closeOnSignals?: boolean;
}

/** The paths of HTTP+SSE. */
export interface SsePaths {
  /** The path at which a client opens its stream, such as `/sse`. */
  readonly stream: string;
  /** The path to which a client posts its messages, such as `/messages`. */
  readonly messages: string;
}

/**
 * The timeouts of `serveHttp`, in milliseconds.
 * @area HTTP
 */
export interface ServeHttpTimeouts extends HttpTimeouts {
  /**
   * How long a whole request may take to arrive.
   * @default 30 s
   * @whole
   * @beyond 408
   */
  readonly requestMs?: number;
  /**
   * How long a client may read nothing of a waiting response.
   * @default 30 s
   * @beyond it is disconnected
   * @code queue-full
   */
  readonly stallMs?: number;
}

/**
 * How long the headers of a request may take to arrive, and the TLS handshake.
 * @limit ServeHttpTimeouts.headersMs
 * @beyond 408
 */
export const headersMs = 10_000;
