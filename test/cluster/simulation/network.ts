/** The network between clients and nodes: it delays, reorders and cuts, and a balancer without stickiness chooses the node. */
import { happens, type World } from './faults.ts';
import type { NodeLife } from './node-life.ts';
import { wait } from './virtual-time.ts';

/** A node as the balancer sees it. */
export interface Listening {
  readonly life: NodeLife;
  /** Whether the balancer sends it new requests. */
  isListening: boolean;
  handle(request: Request): Promise<Response>;
}

/** Errors as undici has them: the client distinguishes what was never sent. */
const failed = (code: string): TypeError =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
const refused = (): TypeError => failed('ECONNREFUSED');
const reset = (): TypeError => failed('ECONNRESET');

/** One request and its response. Whichever side is cut off first, the other learns it later. */
class Connection {
  readonly #server = new AbortController();
  /** Rejects when the client is cut off. */
  readonly lost: Promise<never>;
  isLost = false;
  #lose: (error: unknown) => void = () => {};

  constructor() {
    this.lost = new Promise((_, reject) => {
      this.#lose = reject;
    });
    this.lost.catch(() => {});
  }

  get signal(): AbortSignal {
    return this.#server.signal;
  }

  cut(error: unknown, learnsAfterMs: number | undefined): void {
    if (this.isLost) return;
    this.isLost = true;
    this.#lose(error);
    if (learnsAfterMs !== undefined) setTimeout(() => this.#server.abort(), learnsAfterMs);
  }
}

export function createNetwork(world: World, nodes: () => readonly Listening[]): typeof fetch {
  const { random, recorder } = world;
  const latency = (): number => (random.next() < 0.95 ? 1 + random.below(10) : random.below(300));

  async function fetchThrough(url: string, init: RequestInit): Promise<Response> {
    const client = new URL(url).hostname.split('.')[0] as string;
    const report = (fault: string, node?: Listening): void =>
      recorder.record({ type: 'network-fault', client, ...(node && { node: node.life.name }), fault });
    const connection = new Connection();
    const onAbort = (): void => connection.cut(init.signal?.reason, latency());
    init.signal?.addEventListener('abort', onAbort);
    const until = <T>(promise: Promise<T>): Promise<T> => Promise.race([promise, connection.lost]);

    await until(wait(latency()));
    const node = random.pick(nodes().filter(({ isListening }) => isListening));
    if (node === undefined || happens(world, world.rates.refused)) throw refused();
    if (happens(world, world.rates.requestLost)) {
      report('request lost', node);
      throw reset();
    }
    const stopWatching = node.life.onKilled(() => connection.cut(reset(), undefined));
    const response = await until(node.life.running().then(() => node.handle(serverRequest(url, init, connection))));
    await until(wait(latency()));
    if (happens(world, world.rates.responseLost)) {
      report('response lost', node);
      connection.cut(reset(), latency());
      throw reset();
    }
    const ended = (): void => {
      stopWatching();
      init.signal?.removeEventListener('abort', onAbort);
    };
    return carried(response, node, connection, ended);
  }

  /** The response as the client receives it: each chunk later, up to the one at which the connection is cut. */
  function carried(response: Response, node: Listening, connection: Connection, ended: () => void): Response {
    const { status, headers } = response;
    const reader = response.body?.getReader();
    if (reader === undefined) {
      ended();
      return new Response(null, { status, headers });
    }
    const next = async (): Promise<ReadableStreamReadResult<Uint8Array>> => {
      const part = await reader.read();
      await wait(latency());
      await node.life.running();
      return part;
    };
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          try {
            const part = await Promise.race([next(), connection.lost]);
            if (!part.done && happens(world, world.rates.chunkLost)) {
              recorder.record({ type: 'network-fault', node: node.life.name, fault: 'response cut' });
              connection.cut(reset(), latency());
              throw reset();
            }
            if (!part.done) return controller.enqueue(part.value);
            controller.close();
          } catch (error) {
            controller.error(error);
          }
          ended();
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(body, { status, headers });
  }

  return ((url: string, init: RequestInit = {}) => fetchThrough(url, init)) as typeof fetch;
}

/** As the node receives it, whose host is its own. */
const serverRequest = (url: string, { method = 'GET', headers, body }: RequestInit, { signal }: Connection): Request =>
  new Request(`http://localhost${new URL(url).pathname}`, {
    method,
    signal,
    ...(headers !== undefined && { headers }),
    ...(body !== undefined && { body }),
  });
