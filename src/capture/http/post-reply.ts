/** The response to a POST: one JSON text if the response of the request comes first, else a stream of events. */
import type { Fields } from '../../lib/values/is.ts';
import { EventBody } from './event-body.ts';
import type { RequestOutput } from './peer.ts';

export interface PostReplyOptions {
  /** How many requests the body has. */
  readonly requests: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether errors have a status of their own, as where requests stand alone. */
  readonly hasStatuses: boolean;
  /** Sends a message that belongs to no request. */
  readonly notify: (message: Fields) => void;
}

type State =
  | { readonly at: 'waiting' }
  | { readonly at: 'streaming'; readonly body: EventBody }
  | { readonly at: 'ended' };

export class PostReply implements RequestOutput {
  readonly response: Promise<Response>;
  readonly #options: PostReplyOptions;
  #resolve!: (response: Response) => void;
  #reject!: (error: Error) => void;
  #state: State = { at: 'waiting' };
  #open: number;

  constructor(options: PostReplyOptions) {
    this.#options = options;
    this.#open = options.requests;
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  send(message: Fields): void {
    const isOnlyResponse = message.method === undefined && this.#options.requests === 1;
    if (this.#state.at === 'waiting' && isOnlyResponse) this.#sendJson(message);
    else this.#stream()?.send(message);
  }

  notify(message: Fields): void {
    this.#options.notify(message);
  }

  end(): void {
    if (--this.#open > 0) return;
    if (this.#state.at === 'streaming') this.#state.body.end();
    this.#state = { at: 'ended' };
  }

  break(text: string): void {
    const body = text === '' && this.#state.at === 'waiting' ? undefined : this.#stream();
    if (body === undefined) this.#reject(new TypeError('The connection was cut.'));
    body?.write(`data: ${text}`);
    body?.break();
    this.#state = { at: 'ended' };
  }

  #sendJson(message: Fields): void {
    const status = this.#options.hasStatuses ? statusOf(message) : 200;
    const { headers } = this.#options;
    this.#resolve(Response.json({ jsonrpc: '2.0', ...message }, { status, headers }));
    this.#state = { at: 'ended' };
  }

  #stream(): EventBody | undefined {
    if (this.#state.at === 'waiting') {
      const body = new EventBody();
      this.#state = { at: 'streaming', body };
      this.#resolve(body.response(this.#options.headers));
    }
    return this.#state.at === 'streaming' ? this.#state.body : undefined;
  }
}

const statuses: Readonly<Record<number, number>> = {
  [-32700]: 400,
  [-32600]: 400,
  [-32601]: 404,
  [-32020]: 400,
  [-32021]: 400,
  [-32022]: 400,
};

function statusOf({ error }: Fields): number {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return (typeof code === 'number' ? statuses[code] : undefined) ?? 200;
}
