/** Creates a peer: it matches answers to requests, times them out, cancels them, and counts what it drops. */
import { createDeadlines } from './deadlines.ts';
import { type ErrorObject, RpcError, TenonError } from './errors.ts';
import {
  type Arrival,
  type FrameFault,
  type FrameOptions,
  type FrameRules,
  readFrame,
  wasTooLarge,
  writeFrame,
} from './frame.ts';
import { Inbox, type InboxPorts, internalError } from './inbox.ts';
import { completeLimits, defaultLimits } from './limits.ts';
import type {
  ErrorMessage,
  Message,
  NotificationMessage,
  RequestId,
  RequestMessage,
  ResultMessage,
} from './message.ts';
import { type Ended, Outbox, type OutboxPorts, type RequestOptions } from './outbox.ts';
import type { Peer, PeerOptions, PeerPorts } from './peer.ts';
import { noneDropped, type PeerCounts } from './peer-counts.ts';
import { answerTooLarge, batchRefused, closed, noise, saysNoMore, unsent, unsentBecause } from './peer-faults.ts';

export const createPeer = (ports: PeerPorts, options: PeerOptions = {}): Peer => new ChannelPeer(ports, options);

type State =
  | { readonly is: 'open' }
  /** Answers leave; questions would have none. */
  | { readonly is: 'unheard'; readonly reason: TenonError }
  | { readonly is: 'closed'; readonly reason: TenonError };
const open: State = { is: 'open' };

class ChannelPeer implements Peer, OutboxPorts, InboxPorts {
  readonly counts: PeerCounts;
  readonly #ports: PeerPorts;
  readonly #answersNoise: boolean;
  readonly #rules: FrameRules;
  readonly #outbox: Outbox;
  readonly #inbox: Inbox;
  #state: State = open;

  constructor(ports: PeerPorts, options: PeerOptions) {
    const { deadlines = createDeadlines(), maxPending = 10_000, maxInFlight = 10_000 } = options;
    this.counts = options.counts ?? noneDropped();
    this.#ports = ports;
    this.#answersNoise = options.answersNoise ?? true;
    this.#rules = frameRules(options);
    this.#outbox = new Outbox(maxPending, deadlines, this);
    this.#inbox = new Inbox(maxInFlight, this);
  }

  request(method: string, params?: unknown, own: RequestOptions = {}): Promise<unknown> {
    if (this.#state.is !== 'open') return Promise.reject(unsentBecause(this.#state.reason));
    return this.#outbox.request(method, params, own);
  }

  notify(method: string, params?: unknown): void {
    if (this.#state.is === 'closed') throw this.#state.reason;
    this.#send(params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params });
  }

  answer(id: RequestId, result: unknown, text?: string): void {
    this.#settle({ jsonrpc: '2.0', id, result }, text);
  }

  refuse(id: RequestId, error: ErrorObject): void {
    this.#settle({ jsonrpc: '2.0', id, error });
  }

  forget(id: RequestId): void {
    this.#inbox.forget(id);
  }

  pause(): void {
    this.#outbox.pause();
  }

  resume(): void {
    this.#outbox.resume();
  }

  receive(text: string): void {
    if (this.#state.is === 'closed') return;
    const frame = readFrame(text, this.#rules);
    if (frame.kind !== 'batch') this.#arrive(frame, false);
    else if (this.#ports.batches?.() === true)
      this.#inbox.together(() => frame.arrivals.forEach((arrival) => this.#arrive(arrival, true)));
    else this.#arrive(batchRefused(frame.arrivals, text), false);
  }

  unreadable(error: TenonError): void {
    this.#arrive(noise(error), false);
  }

  giveUpAll(): void {
    if (this.#state.is === 'open') this.#outbox.giveUpAll(closed(undefined));
  }

  unheard(): void {
    if (this.#state.is !== 'open') return;
    this.#state = { is: 'unheard', reason: saysNoMore() };
    this.#outbox.giveUpAll(this.#state.reason);
  }

  fail(id: RequestId, error: Error): void {
    this.#outbox.fail(id, error);
  }

  waits(id: RequestId): boolean {
    return this.#outbox.waits(id);
  }

  waiting(fits: (method: string) => boolean): RequestId[] {
    return this.#outbox.waiting(fits);
  }

  watch(ended: Ended | undefined): void {
    this.#outbox.watch(ended);
  }

  renew(id: RequestId, totalMs: number): void {
    this.#outbox.renew(id, totalMs);
  }

  close(reason?: Error): void {
    if (this.#state.is === 'closed') return;
    this.#state = { is: 'closed', reason: closed(reason) };
    this.#inbox.close();
    this.#outbox.close(this.#state.reason);
  }

  sendRequest(message: RequestMessage): void {
    this.#send(message);
  }

  abandoned(id: RequestId, method: string, reason: TenonError): void {
    this.#ports.abandoned?.(id, method, reason);
  }

  dropped(why: 'late' | 'unknown'): void {
    this.counts[why]++;
  }

  /** The text of an answer. Instead of one that is too large the other side hears just that: it may ask for less. */
  write(answer: Message, result?: string): string {
    try {
      return writeFrame(answer, this.#rules.limits, result);
    } catch (error) {
      if (!wasTooLarge(error)) throw error;
      this.#ports.fault?.(error);
      return writeFrame({ jsonrpc: '2.0', id: (answer as ResultMessage).id, error: answerTooLarge }, unbounded);
    }
  }

  /** An answer leaves from wherever the owner happens to be, so what keeps it from leaving is told, not thrown. */
  sendAnswer(frame: string): void {
    if (this.#state.is === 'closed') return;
    try {
      this.#ports.send(frame);
    } catch (error) {
      this.#ports.fault?.(unsent(error));
    }
  }

  get maxCharacters(): number {
    return (this.#rules.limits ?? defaultLimits).maxCharacters;
  }

  hasNullId(): boolean {
    return this.#ports.nullId?.() === true;
  }

  #send(message: Message): void {
    this.#ports.send(writeFrame(message, this.#rules.limits), message);
  }

  #settle(answer: ResultMessage | ErrorMessage, text?: string): void {
    const problem = this.#inbox.settle(answer, text);
    if (problem !== undefined) this.#ports.fault?.(problem);
  }

  /** What closes the connection can stand in the midst of a batch. */
  #arrive(arrival: Arrival, batch: boolean): void {
    if (this.#state.is === 'closed') return;
    switch (arrival.kind) {
      case 'request':
        return this.#arriveRequest(arrival.message, batch);
      case 'notification':
        return this.#arriveNotification(arrival.message);
      case 'result':
        return this.#outbox.resolve(arrival.message.id, arrival.message.result);
      case 'error':
        return this.#arriveError(arrival.message);
      case 'fault':
        return this.#arriveFault(arrival);
    }
  }

  /** What ended the wait of a request was its answer: a reply to that id would be an answer to an answer. */
  #arriveFault({ error, reply, answered }: FrameFault): void {
    this.counts.invalid++;
    const ended = answered.filter((id) => this.#outbox.spoil(id, error));
    const owed = reply?.id === undefined ? this.#answersNoise : !ended.includes(reply.id);
    if (reply !== undefined && owed) this.#inbox.reply(reply.id, reply.error);
    this.#ports.fault?.(error);
  }

  #arriveRequest(message: RequestMessage, batch: boolean): void {
    const refusal = this.#inbox.admit(message.id);
    if (refusal !== undefined) {
      this.counts.invalid++;
      return this.#ports.fault?.(refusal);
    }
    try {
      this.#ports.request(message, batch);
    } catch (cause) {
      this.#settle({ jsonrpc: '2.0', id: message.id, error: internalError });
      this.#tellThrown('request', cause);
    }
  }

  /** An owner that throws spoils neither the rest of a batch nor the wait of a request for its answer. */
  #arriveNotification(message: NotificationMessage): void {
    try {
      this.#ports.notification(message);
    } catch (cause) {
      this.#tellThrown('notification', cause);
    }
  }

  #arriveError({ id, error }: ErrorMessage): void {
    const failure = RpcError.answered(error);
    if (id === undefined || id === null) this.#ports.fault?.(failure);
    else this.#outbox.reject(id, failure);
  }

  #tellThrown(told: string, cause: unknown): void {
    this.#ports.fault?.(new TenonError('listener-failed', `What was told of a ${told} threw.`, { cause }));
  }
}

/** Most connections have the usual limits, and need no rules of their own. */
const usualRules: FrameRules = { limits: completeLimits(undefined), strict: false };

const frameRules = ({ limits, strict = false }: FrameOptions): FrameRules =>
  limits === undefined && !strict ? usualRules : { limits: completeLimits(limits), strict };

/** The id that it gives back is the other side's, however long. */
const unbounded = { ...defaultLimits, maxCharacters: Number.POSITIVE_INFINITY };
