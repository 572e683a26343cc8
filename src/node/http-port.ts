/** The HTTP port on undici: connections are kept, proxies of the environment are used. */
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import type { AbortRequest, HttpPort, HttpReceiver, HttpSent } from '../client/http/port.ts';
import { proxiesOf, proxyFailure } from './proxies.ts';
import { trustedAuthorities } from './trusted-authorities.ts';

export interface HttpPortOptions {
  /** Certificates of authorities to trust besides those that Node trusts, as PEM. */
  readonly ca?: string | readonly string[];
  /** Connections to the server at once; requests beyond that wait. A few more carry what those wait for. Default 256. */
  readonly maxConnections?: number;
  /** How long a connection may take to come about. Default 10 s. */
  readonly connectTimeoutMs?: number;
}

export function createNodePort(options: HttpPortOptions = {}): HttpPort {
  const { ca, maxConnections = 256, connectTimeoutMs = 10_000 } = options;
  const settings = {
    pipelining: 1,
    // What is waited for has a time of its own, and a stream may be quiet for as long as it likes.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: connectTimeoutMs, ...(ca !== undefined && { ca: trustedAuthorities(ca) }) },
  };
  const proxies = proxiesOf(process.env);
  const agent = (connections: number): Dispatcher =>
    proxies.length > 0 ? new EnvHttpProxyAgent({ ...settings, connections }) : new Agent({ ...settings, connections });
  const dispatcher = agent(maxConnections);
  let brief: Dispatcher | undefined;
  return {
    request(sent, receiver) {
      if (sent.isBrief) brief ??= agent(briefConnections);
      const way = sent.isBrief && brief !== undefined ? brief : dispatcher;
      return new NodeRequest(receiver, proxies).start(way, sent);
    },
    async close() {
      await Promise.all([dispatcher.destroy(), brief?.destroy()]);
    },
  };
}

/** Connections beside the others, for what ends the use of those. */
const briefConnections = 8;

/** One request on its way. */
class NodeRequest implements Dispatcher.DispatchHandler {
  readonly #receiver: HttpReceiver;
  readonly #proxies: readonly URL[];
  #controller: Dispatcher.DispatchController | undefined;
  #isOver = false;

  constructor(receiver: HttpReceiver, proxies: readonly URL[]) {
    this.#receiver = receiver;
    this.#proxies = proxies;
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
    this.#receiver.broke(this.#proxies.length === 0 ? error : proxyFailure(this.#proxies, error));
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
