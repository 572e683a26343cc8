/** A transport whose other end is the test: it records what the client sends and delivers what the test writes. */
import { TenonError } from 'tenon';
import type { Transport, TransportListener } from '../../../src/transport/transport.ts';

export type Json = Record<string, unknown>;

export class ManualTransport implements Transport {
  state: Transport['state'] = 'idle';
  #listener: TransportListener | undefined;
  readonly #onMessage: (wire: ManualTransport, message: Json) => void;
  /** Unanswered requests by id. */
  readonly unanswered = new Map<number, Json>();
  /** The ids of requests that were answered or failed. */
  readonly past: number[] = [];

  constructor(received: (wire: ManualTransport, message: Json) => void) {
    this.#onMessage = received;
  }

  open(listener: TransportListener): void {
    this.#listener = listener;
    this.state = 'open';
  }

  send(frame: string): void {
    if (this.state === 'closed') throw new TenonError('connection-closed', 'The connection is closed.');
    const message = JSON.parse(frame) as Json;
    if (typeof message.id === 'number' && message.method !== undefined) this.unanswered.set(message.id, message);
    this.#onMessage(this, message);
  }

  close(reason?: Error): void {
    if (this.state === 'closed') return;
    this.state = 'closed';
    queueMicrotask(() => this.#listener?.onClose(reason));
  }

  /** Sends a message as the server. On a closed connection it is dropped. */
  write(message: Json): void {
    if (this.state === 'open') this.#listener?.onMessage(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  answer(id: number, body: Json): void {
    if (this.unanswered.delete(id)) this.past.push(id);
    this.write({ id, ...body });
  }

  /** Fails a request as a transport does that knows why there is no answer. */
  fail(id: number, error: Error): void {
    if (this.unanswered.delete(id)) this.past.push(id);
    if (this.state === 'open') this.#listener?.onRequestError?.(id, error);
  }
}
