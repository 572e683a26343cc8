/** Creates a peer: it matches answers to requests, times them out, cancels them, and counts what it drops. */

import { TenonError } from '../lib/errors/tenon-error.ts';
import { createDeadlines } from '../lib/time/deadlines.ts';
import { type ErrorObject, RpcError } from './errors.ts';
import { type Arrival, type InvalidFrame, readFrame, wasTooLarge, writeBatch, writeFrame } from './frame.ts';
import { type FrameRules, frameRules } from './frame-rules.ts';
import { Inbox, type InboxPorts, internalError } from './inbox.ts';
import { defaultLimits } from './limits.ts';
import type {
  ErrorMessage,
  Message,
  NotificationMessage,
  RequestId,
  RequestMessage,
  ResultMessage,
} from './message.ts';
import { withAuthorization } from './message-authorization.ts';
import { type OnSettled, Outbox, type OutboxPorts, type RequestOptions } from './outbox.ts';
import type { Peer, PeerOptions, PeerPorts } from './peer.ts';
import { createPeerCounts, type PeerCounts } from './peer-counts.ts';
import {
  answerTooLarge,
  batchRefused,
  closed,
  inputEnded,
  invalidText,
  notSent,
  unreadByPeer,
  unsent,
} from './peer-errors.ts';

export const createPeer = (ports: PeerPorts, options: PeerOptions = {}): Peer => new TransportPeer(ports, options);

type State =
  | { readonly is: 'open' }
  /** The other side still reads, and answers no more requests. */
  | { readonly is: 'input-ended'; readonly reason: TenonError }
  | { readonly is: 'closed'; readonly reason: TenonError };
const open: State = { is: 'open' };

/** Requests that are sent in one frame. */
interface OutgoingBatch {
  readonly frames: string[];
  readonly ids: RequestId[];
}

/**
 * Requests of one connection at once.
 * @limit client
 * @beyond the call fails
 * @code queue-full
 */
const mostPending = 10_000;

class TransportPeer implements Peer, OutboxPorts, InboxPorts {
  readonly counts: PeerCounts;
  readonly #ports: PeerPorts;
  readonly #answersInvalidText: boolean;
  readonly #awaitsValidAnswer: (method: string) => boolean;
  readonly #authorization: (() => string) | undefined;
  readonly #rules: FrameRules;
  readonly #outbox: Outbox;
  readonly #inbox: Inbox;
  #state: State = open;
  /** Set while the requests of a batch are made. */
  #batch: OutgoingBatch | undefined;

  constructor(ports: PeerPorts, options: PeerOptions) {
    const { deadlines = createDeadlines(), maxPending = mostPending, maxInFlight = 10_000 } = options;
    this.counts = options.counts ?? createPeerCounts();
    this.#ports = ports;
    this.#answersInvalidText = options.answersInvalidText ?? true;
    this.#awaitsValidAnswer = options.awaitsValidAnswer ?? never;
    this.#authorization = options.authorization;
    this.#rules = frameRules(options);
    this.#outbox = new Outbox(maxPending, deadlines, this);
    this.#inbox = new Inbox(maxInFlight, this);
  }

  request(method: string, params?: unknown, own: RequestOptions = {}): Promise<unknown> {
    if (this.#state.is !== 'open') return Promise.reject(notSent(this.#state.reason));
    return this.#outbox.request(method, params, own);
  }

  batch(send: () => void): void {
    const batch: OutgoingBatch = { frames: [], ids: [] };
    this.#batch = batch;
    try {
      send();
    } finally {
      this.#batch = undefined;
      if (batch.ids.length > 0) this.#sendBatch(batch);
    }
  }

  #sendBatch({ frames, ids }: OutgoingBatch): void {
    try {
      const frame = writeBatch(frames, this.#rules.limits);
      if (this.#ports.sendBatch === undefined) this.#ports.send(frame);
      else this.#ports.sendBatch(frame, ids);
    } catch (error) {
      for (const id of ids) this.#outbox.failUnsent(id, error as Error);
    }
  }

  notify(method: string, params?: unknown): void {
    if (this.#state.is === 'closed') throw this.#state.reason;
    this.#send(params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params });
  }

  answer(id: RequestId, result: unknown): void {
    this.#settle({ jsonrpc: '2.0', id, result });
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

  get pausedMs(): number {
    return this.#outbox.pausedMs;
  }

  receive(text: string): void {
    if (this.#state.is === 'closed') return;
    const frame = readFrame(text, this.#rules);
    if (frame.kind !== 'batch') this.#arrive(frame, false);
    else if (this.#ports.batches?.() === true)
      this.#inbox.collectBatch(() => frame.arrivals.forEach((arrival) => this.#arrive(arrival, true)));
    else this.#arrive(batchRefused(frame.arrivals, text), false);
  }

  unreadable(error: TenonError): void {
    this.#arrive(invalidText(error), false);
  }

  abandonAll(): void {
    if (this.#state.is === 'open') this.#outbox.abandonAll(closed(undefined));
  }

  inputEnded(): void {
    if (this.#state.is !== 'open') return;
    this.#state = { is: 'input-ended', reason: inputEnded() };
    this.#outbox.abandonAll(this.#state.reason);
  }

  fail(id: RequestId, error: Error): void {
    this.#outbox.fail(id, error);
  }

  isPending(id: RequestId): boolean {
    return this.#outbox.isPending(id);
  }

  pendingIds(matches: (method: string) => boolean): RequestId[] {
    return this.#outbox.pendingIds(matches);
  }

  onSettled(callback: OnSettled | undefined): void {
    this.#outbox.onSettled(callback);
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
    if (this.#batch === undefined) return this.#send(message);
    this.#batch.frames.push(this.#write(message));
    this.#batch.ids.push(message.id);
  }

  abandoned(id: RequestId, method: string, reason: TenonError): void {
    this.#ports.abandoned?.(id, method, reason);
  }

  dropped(why: 'late' | 'unknown'): void {
    this.counts[why]++;
  }

  /** The text of an answer. One that is too large is replaced by an error that says so: the other side may ask for less. */
  write(answer: ResultMessage | ErrorMessage): string {
    try {
      return writeFrame(answer, this.#rules.limits, this.#resultText(answer));
    } catch (error) {
      if (!wasTooLarge(error)) throw error;
      this.#ports.onWarning?.(error);
      return writeFrame({ jsonrpc: '2.0', id: (answer as ResultMessage).id, error: answerTooLarge }, unbounded);
    }
  }

  /** An answer is sent from anywhere in the owner's code, so a failure is reported, not thrown. */
  sendAnswer(frame: string): void {
    if (this.#state.is === 'closed') return;
    try {
      this.#ports.send(frame);
    } catch (error) {
      this.#ports.onWarning?.(unsent(error));
    }
  }

  get maxMessageChars(): number {
    return (this.#rules.limits ?? defaultLimits).maxMessageChars;
  }

  hasNullId(): boolean {
    return this.#ports.nullId?.() === true;
  }

  /** The message itself is passed on without the token: what records it cannot show it. */
  #send(message: Message): void {
    this.#ports.send(this.#write(message), message);
  }

  #write(message: Message): string {
    const token = this.#authorization?.();
    return writeFrame(token === undefined ? message : withAuthorization(message, token), this.#rules.limits);
  }

  /** A getter of the result may throw. It throws again in JSON.stringify, where the error is reported. */
  #resultText(answer: ResultMessage | ErrorMessage): string | undefined {
    try {
      return 'result' in answer ? this.#ports.resultText?.(answer.result) : undefined;
    } catch {
      return undefined;
    }
  }

  #settle(answer: ResultMessage | ErrorMessage): void {
    const problem = this.#inbox.settle(answer);
    if (problem !== undefined) this.#ports.onWarning?.(problem);
  }

  /** The connection may be closed in the middle of a batch. */
  #arrive(arrival: Arrival, batch: boolean): void {
    if (this.#state.is === 'closed') return;
    switch (arrival.kind) {
      case 'request':
        return this.#arriveRequest(arrival.message, batch, arrival.authorization);
      case 'notification':
        return this.#arriveNotification(arrival.message, arrival.authorization);
      case 'result':
        return this.#outbox.resolve(arrival.message.id, arrival.message.result);
      case 'error':
        return this.#arriveError(arrival.message);
      case 'invalid':
        return this.#arriveInvalid(arrival);
    }
  }

  /** An invalid message that answers a request of this side gets no reply: that would be an answer to an answer. */
  #arriveInvalid({ error, reply, answered }: InvalidFrame): void {
    this.counts.invalid++;
    // What is over a limit has no other answer.
    const mayFollow = error.code === 'invalid-message' ? this.#awaitsValidAnswer : never;
    const settled = answered.filter((id) => this.#outbox.rejectUnreadable(id, error, mayFollow));
    const expectsReply = reply?.id === undefined ? this.#answersInvalidText : !settled.includes(reply.id);
    if (reply !== undefined && expectsReply) this.#inbox.reply(reply.id, reply.error);
    this.#ports.onWarning?.(error);
  }

  #arriveRequest(message: RequestMessage, batch: boolean, authorization: string | undefined): void {
    const refusal = this.#inbox.admit(message.id);
    if (refusal !== undefined) {
      this.counts.invalid++;
      return this.#ports.onWarning?.(refusal);
    }
    try {
      this.#ports.request(message, batch, authorization);
    } catch (cause) {
      this.#settle({ jsonrpc: '2.0', id: message.id, error: internalError });
      this.#reportThrown('request', cause);
    }
  }

  /** An owner that throws must not break the rest of a batch. */
  #arriveNotification(message: NotificationMessage, authorization: string | undefined): void {
    try {
      this.#ports.notification(message, authorization);
    } catch (cause) {
      this.#reportThrown('notification', cause);
    }
  }

  #arriveError({ id, error }: ErrorMessage): void {
    if (id !== undefined && id !== null) return this.#outbox.reject(id, RpcError.answered(error));
    this.counts.unknown++;
    this.#ports.onWarning?.(unreadByPeer(error));
  }

  #reportThrown(kind: string, cause: unknown): void {
    this.#ports.onWarning?.(new TenonError('callback-failed', `The handler of a ${kind} threw.`, { cause }));
  }
}

const never = (): boolean => false;

/** The answer repeats the other side's id, however long that is. */
const unbounded = { ...defaultLimits, maxMessageChars: Number.POSITIVE_INFINITY };
