/** One stream of HTTP+SSE as a transport: it receives POSTs and sends events. */
import { RpcError } from '../../jsonrpc/errors.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Principal } from '../../ports/principal.ts';
import { formatEvent } from '../../transport/sse.ts';
import type { Transport, TransportListener } from '../../transport/transport.ts';
import { deliverClosed, deliverFrame } from '../../transport/transport.ts';
import { serverCloses } from '../ports/link.ts';
import type { ServerConnection } from '../transport/serve-transport.ts';
import type { CallerShare } from './admission/gate/caller-share.ts';
import type { PingedClient } from './client-pings.ts';
import type { EventSink, HttpRequest } from './message.ts';
import { type EventSinks, retryHint, writeTo } from './reply/event-output.ts';

type State = { at: 'idle' } | { at: 'open'; listener: TransportListener } | { at: 'closed' };

export class SseStream implements Transport, PingedClient {
  connection: ServerConnection | undefined;
  readonly caller: CallerShare;
  /** Of the last message: each is a request of its own. */
  principal: Principal | undefined;
  address: string | undefined;
  /** Stops waiting for its credential to expire. */
  stopWaiting = (): void => {};
  readonly opened = Date.now();
  /** Whether its client has posted a message. */
  isUsed = false;
  /** Why the stream has ended, once it has. */
  endReason = 'the client disconnected';
  readonly #sink: EventSink;
  readonly #sinks: EventSinks;
  #state: State = { at: 'idle' };

  constructor(sink: EventSink, sinks: EventSinks, caller: CallerShare) {
    this.#sink = sink;
    this.#sinks = sinks;
    this.caller = caller;
    sinks.open.add(sink);
  }

  get activeCalls(): number {
    return this.connection?.stats().activeCalls ?? 0;
  }

  get state(): Transport['state'] {
    return this.#state.at;
  }

  sentBy({ principal, clientAddress }: HttpRequest): void {
    this.principal = principal;
    this.address = clientAddress;
  }

  open(listener: TransportListener): void {
    if (this.#state.at !== 'idle') throw new TenonError('already-open', 'This stream has a listener already.');
    this.#state = { at: 'open', listener };
  }

  send(frame: string): void {
    if (this.#state.at === 'closed') throw new TenonError('connection-closed', 'The stream is closed.');
    this.sendEvent('message', frame);
  }

  sendEvent(event: string, data: string): void {
    if (!writeTo(this.#sink, formatEvent({ event, data }), this.#sinks)) this.#end('the client did not read');
  }

  receive(text: string): void {
    this.isUsed = true;
    if (this.#state.at === 'open') deliverFrame(this.#state.listener, text);
  }

  close(reason?: Error): void {
    if (this.#state.at !== 'closed') this.#sink.write(retryHint);
    this.#end(serverCloses, reason);
  }

  async answers(timeoutMs: number): Promise<boolean | undefined> {
    try {
      await this.connection?.ping({ timeoutMs });
      return true;
    } catch (error) {
      // A client that answers with an error has answered.
      if (error instanceof RpcError) return true;
      return error instanceof TenonError && error.code === 'capability-not-supported' ? undefined : false;
    }
  }

  end(reason: string): void {
    this.#end(reason);
  }

  /** The client has disconnected. */
  clientClosed(): void {
    this.#end(this.endReason);
  }

  /** After the stream has closed, `connection-closed` is not reported. */
  isWorthWarning(error: Error): boolean {
    return this.state !== 'closed' || !(error instanceof TenonError) || error.code !== 'connection-closed';
  }

  #end(endReason: string, reason?: Error): void {
    const state = this.#state;
    if (state.at === 'closed') return;
    this.#state = { at: 'closed' };
    this.endReason = endReason;
    this.#sinks.open.delete(this.#sink);
    this.#sink.end();
    if (state.at === 'open') queueMicrotask(() => deliverClosed(state.listener, reason));
  }
}
