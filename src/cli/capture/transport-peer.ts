/** A server with one connection for messages, such as a process, behind an HTTP endpoint. */

import type { HttpPeer, RequestOutput } from '../../capture/http/peer.ts';
import { messagesIn } from '../../capture/replay/messages-in.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { Transport } from '../../transport/transport.ts';

interface OpenRequest {
  /** The id that the client gave it. */
  readonly id: unknown;
  readonly token: unknown;
  readonly output: RequestOutput;
}

export class TransportPeer implements HttpPeer {
  /** By the ids that the server sees. */
  readonly #open = new Map<string, OpenRequest>();
  readonly #transport: Promise<Transport | undefined>;
  #last: RequestOutput | undefined;
  #copies = 0;

  /** `onFailed` is called if there is no connection; its requests then get an error. */
  constructor(connecting: Promise<Transport>, onFailed: (error: Error) => void) {
    this.#transport = connecting.then(
      (transport) => {
        transport.open({ onMessage: (text) => this.#received(text), onClose: (reason) => this.#closed(reason) });
        return transport;
      },
      (error: Error) => {
        onFailed(error);
        this.#closed(error);
        return undefined;
      },
    );
  }

  receive(message: Fields, output: RequestOutput): void {
    this.#last = output;
    const sent = this.#begun(message, output);
    void this.#send(sent);
  }

  async #send(message: Fields): Promise<void> {
    const transport = await this.#transport;
    try {
      if (transport?.state === 'open') transport.send(JSON.stringify(message));
      else this.#closed(undefined);
    } catch (error) {
      // Its queue is full, and it closes: no request gets an answer.
      this.#closed(error as Error);
    }
  }

  abandoned(closed: RequestOutput): void {
    for (const [key, { output }] of this.#open) {
      if (output !== closed) continue;
      this.#open.delete(key);
      void this.#send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: JSON.parse(key) } });
    }
  }

  close(): void {
    void this.#transport.then((transport) => transport?.close());
  }

  /** Without sessions, requests of several clients arrive here, and their ids may be equal. */
  #begun(message: Fields, output: RequestOutput): Fields {
    const { id, method, params } = message;
    if (id === undefined || method === undefined) return message;
    const own = this.#open.has(JSON.stringify(id)) ? `copy ${++this.#copies}` : id;
    const meta = isRecord(params) && isRecord(params._meta) ? params._meta : {};
    this.#open.set(JSON.stringify(own), { id, token: meta.progressToken, output });
    return own === id ? message : { ...message, id: own };
  }

  #received(text: string): void {
    for (const message of messagesIn(text)) {
      if (message.method === undefined) this.#answered(message);
      else this.#passOn(message);
    }
  }

  #answered(message: Fields): void {
    const request = this.#open.get(JSON.stringify(message.id));
    this.#open.delete(JSON.stringify(message.id));
    request?.output.send({ ...message, id: request.id });
    request?.output.end();
  }

  /** Progress names its request; a request of the server belongs to a call that runs; the rest to none. */
  #passOn(message: Fields): void {
    const { progressToken } = isRecord(message.params) ? message.params : {};
    const open = [...this.#open.values()];
    const request = open.findLast(({ token }) => token !== undefined && token === progressToken);
    const output = request?.output ?? (message.id === undefined ? undefined : open.at(-1)?.output);
    if (output === undefined) this.#last?.notify(message);
    else output.send(message);
  }

  #closed(reason: Error | undefined): void {
    const message = `The server has closed the connection.${reason === undefined ? '' : ` ${reason.message}`}`;
    for (const { id, output } of this.#open.values()) {
      output.send({ id, error: { code: -32603, message } });
      output.end();
    }
    this.#open.clear();
  }
}
