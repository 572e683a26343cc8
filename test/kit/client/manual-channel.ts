/** A connection whose other end is the test: what the client sends is kept, what it hears is what the test says. */
import { TenonError } from 'tenon';
import type { Transport, TransportListener } from '../../../src/transport/channel.ts';

export type Json = Record<string, unknown>;

export class ManualChannel implements Transport {
  state: Transport['state'] = 'idle';
  #listener: TransportListener | undefined;
  readonly #heard: (wire: ManualChannel, message: Json) => void;
  /** Requests that have had no answer, by their id. */
  readonly unanswered = new Map<number, Json>();
  /** Requests that had one, or were given up. */
  readonly past: number[] = [];

  constructor(received: (wire: ManualChannel, message: Json) => void) {
    this.#heard = received;
  }

  open(listener: TransportListener): void {
    this.#listener = listener;
    this.state = 'open';
  }

  send(frame: string): void {
    if (this.state === 'closed') throw new TenonError('connection-closed', 'The wire is cut.');
    const message = JSON.parse(frame) as Json;
    if (typeof message.id === 'number' && message.method !== undefined) this.unanswered.set(message.id, message);
    this.#heard(this, message);
  }

  close(reason?: Error): void {
    if (this.state === 'closed') return;
    this.state = 'closed';
    queueMicrotask(() => this.#listener?.onClose(reason));
  }

  /** What the server says; nobody hears what is said on a wire that is cut. */
  write(message: Json): void {
    if (this.state === 'open') this.#listener?.onMessage(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  answer(id: number, body: Json): void {
    if (this.unanswered.delete(id)) this.past.push(id);
    this.write({ id, ...body });
  }

  /** A request has no answer, and its carrier knows why. */
  fail(id: number, error: Error): void {
    if (this.unanswered.delete(id)) this.past.push(id);
    if (this.state === 'open') this.#listener?.onRequestError?.(id, error);
  }
}
