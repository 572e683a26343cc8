/** A transport of the official MCP SDK under a Tenon client. */
import { TenonError } from '../lib/errors/tenon-error.ts';
import { type Fields, isRecord } from '../lib/values/is.ts';
import type { Transport, TransportListener } from '../transport/transport.ts';
import type { OfficialTransport } from './types.ts';

/**
 * Messages that a transport of the official SDK has not taken.
 * @limit official
 * @beyond the connection closes
 * @code queue-full
 */
export const maxUnsentMessages = 10_000;

/** Connects over a transport of the official SDK: `await connect(fromOfficialTransport(transport))`. */
export const fromOfficialTransport = (transport: OfficialTransport): Transport => new AdaptedTransport(transport);

class AdaptedTransport implements Transport {
  state: Transport['state'] = 'idle';
  readonly #transport: OfficialTransport;
  #listener: TransportListener | undefined;
  #started: Promise<void> | undefined;
  #unsent = 0;
  #initializeId: unknown;

  constructor(transport: OfficialTransport) {
    this.#transport = transport;
  }

  open(listener: TransportListener): void {
    if (this.state === 'closed') throw closed();
    if (this.state === 'open') throw new TenonError('already-open', 'The transport is open already.');
    this.state = 'open';
    this.#listener = listener;
    const transport = this.#transport;
    transport.onmessage = (message: unknown) => this.#received(message);
    transport.onclose = () => this.#end();
    transport.onerror = (error) => listener.onWarning?.(warningOf(error));
    this.#started = Promise.resolve().then(() => transport.start());
    this.#started.catch((error: Error) => this.close(error));
  }

  send(frame: string): void {
    if (this.state === 'closed') throw closed();
    if (this.#unsent >= maxUnsentMessages) {
      const full = new TenonError('queue-full', `${maxUnsentMessages} messages wait for the transport.`);
      this.close(full);
      throw full;
    }
    this.#unsent++;
    const message = JSON.parse(frame) as Fields;
    if (message.method === 'initialize') this.#initializeId = message.id;
    (this.#started ?? Promise.resolve())
      .then(() => this.#transport.send(message as never))
      .catch((error: Error) => this.#notSent(message, error))
      .finally(() => this.#unsent--);
  }

  close(reason?: Error): void {
    if (this.state === 'closed') return;
    const isStarted = this.state === 'open';
    this.state = 'closed';
    queueMicrotask(() => this.#listener?.onClose(reason));
    if (isStarted) this.#transport.close().catch((error: Error) => this.#listener?.onWarning?.(warningOf(error)));
  }

  #received(message: unknown): void {
    if (this.state !== 'open' || !isRecord(message)) return;
    const { id, result } = message;
    if (id !== undefined && id === this.#initializeId && isRecord(result)) {
      this.#initializeId = undefined;
      this.#transport.setProtocolVersion?.(String(result.protocolVersion));
    }
    const text = JSON.stringify(message);
    // Some transports deliver inside send().
    queueMicrotask(() => this.state === 'open' && this.#listener?.onMessage(text));
  }

  #notSent({ id, method }: Fields, error: Error): void {
    if (this.state !== 'open') return;
    const isRequest = (typeof id === 'number' || typeof id === 'string') && method !== undefined;
    if (isRequest && this.#listener?.onRequestError !== undefined) this.#listener.onRequestError(id, error);
    else this.#listener?.onWarning?.(warningOf(error));
  }

  #end(): void {
    if (this.state === 'closed') return;
    this.state = 'closed';
    this.#listener?.onClose();
  }
}

const closed = (): TenonError => new TenonError('connection-closed', 'The transport is closed.');

const warningOf = (cause: Error): TenonError =>
  new TenonError('invalid-message', `The transport of the official SDK reported: ${cause.message}`, { cause });
