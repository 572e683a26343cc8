/** The HTTP port on undici: connections are kept, proxies of the environment are used. */
import { rootCertificates } from 'node:tls';
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import type { AbortRequest, HttpPort, HttpReceiver, HttpSent } from '../client/http/port.ts';

export interface HttpPortOptions {
  /** Certificates of authorities to trust besides those that Node trusts, as PEM. */
  readonly ca?: string | readonly string[];
  /** Connections to the server at once; requests beyond that wait. Default 256. */
  readonly maxConnections?: number;
  /** How long a connection may take to come about. Default 10 s. */
  readonly connectTimeoutMs?: number;
}

export function createNodePort(options: HttpPortOptions = {}): HttpPort {
  const { ca, maxConnections = 256, connectTimeoutMs = 10_000 } = options;
  const settings = {
    connections: maxConnections,
    pipelining: 1,
    // What is waited for has a time of its own, and a stream may be quiet for as long as it likes.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: connectTimeoutMs, ...(ca !== undefined && { ca: trusted(ca) }) },
  };
  const dispatcher: Dispatcher = hasProxy(process.env) ? new EnvHttpProxyAgent(settings) : new Agent(settings);
  return {
    request: (sent, receiver) => new NodeRequest(receiver).start(dispatcher, sent),
    close: () => dispatcher.destroy(),
  };
}

/** Naming authorities to TLS takes the place of those that are known, so they are named too. */
const trusted = (ca: string | readonly string[]): string[] => [...rootCertificates, ...[ca].flat()];

const hasProxy = (env: NodeJS.ProcessEnv): boolean =>
  ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY'].some((name) => (env[name] ?? '') !== '');

/** One request on its way. */
class NodeRequest implements Dispatcher.DispatchHandler {
  readonly #receiver: HttpReceiver;
  #controller: Dispatcher.DispatchController | undefined;
  #isOver = false;

  constructor(receiver: HttpReceiver) {
    this.#receiver = receiver;
  }

  start(dispatcher: Dispatcher, { method, address, headers, body }: HttpSent): AbortRequest {
    try {
      dispatcher.dispatch({ origin: address.origin, path: address.path, method, headers, body: body ?? null }, this);
    } catch (error) {
      queueMicrotask(() => this.#broke(error));
    }
    return () => this.#abort();
  }

  #abort(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#controller?.abort(new Error('given up'));
  }

  #broke(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#receiver.broke(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(new Error('given up'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (!this.#isOver && status >= 200) this.#receiver.head(status, headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#isOver) this.#receiver.chunk(chunk);
  }

  onResponseEnd(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#receiver.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#broke(error);
  }
}
