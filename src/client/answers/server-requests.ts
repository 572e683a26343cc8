/** Server requests in a session: limited in number, each answered or cancelled once. */
import type { Deadline } from '../../jsonrpc/deadlines.ts';
import { TenonError } from '../../jsonrpc/errors.ts';
import type { RequestId } from '../../jsonrpc/message.ts';
import type { Peer } from '../../jsonrpc/peer.ts';
import { cancelledBy } from '../../protocol/cancellation.ts';
import { type RpcErrorReason, rpcError } from '../../protocol/errors.ts';
import type { Incoming } from '../../protocol/neutral.ts';
import { createProgressReporter, type ReportProgress } from '../../protocol/progress.ts';
import type { Revision } from '../../protocol/revision.ts';
import { type AnswerTiming, answerTimedOut, maxServerRequests } from './answering.ts';
import { answer, answerFailure, type ClientHandlers, handlerFailed } from './handlers.ts';

interface PendingRequest {
  readonly controller: AbortController;
  readonly deadline: Deadline;
  readonly revision: Revision;
  readonly method: string;
  /** The pending calls that it may belong to. */
  readonly calls: Set<RequestId>;
  /** Whether the time limits of calls are paused for it. */
  pausesCalls: boolean;
}

export interface ServerRequestsPorts {
  warn(error: Error): void;
}

/** Roots belong to the whole session and need no user: they are answered even after the call is finished. */
const outlivesCalls = (method: string): boolean => method === 'roots/list';

/** Requests during which a server has no reason to send requests to the user. */
const withoutServerRequests: ReadonlySet<string> = new Set([
  'completion/complete',
  'initialize',
  'logging/setLevel',
  'ping',
  'resources/subscribe',
  'resources/unsubscribe',
  'tasks/cancel',
  'tasks/get',
]);
const mayCauseRequests = (method: string): boolean => !withoutServerRequests.has(method) && !method.endsWith('/list');

const callFinishedText = 'The call that this request belongs to is finished';
const tooManyText = `This client answers at most ${maxServerRequests} requests at once`;

/**
 * A server request belongs to a call, but may not name it: then it may belong to any pending call. While it is answered,
 * the time limits of calls are paused, unless a call that it may belong to was cancelled: then the server may not wait for
 * the answer. When all calls that it may belong to are finished, the request is cancelled.
 */
export class ServerRequests {
  readonly #peer: Peer;
  readonly #answers: ClientHandlers;
  readonly #timing: AnswerTiming;
  readonly #ports: ServerRequestsPorts;
  readonly #pending = new Map<RequestId, PendingRequest>();

  constructor(peer: Peer, answers: ClientHandlers, time: AnswerTiming, ports: ServerRequestsPorts) {
    this.#peer = peer;
    this.#answers = answers;
    this.#timing = time;
    this.#ports = ports;
  }

  /** `call` is the call in whose response it arrived, if known. */
  receive(revision: Revision, id: RequestId, request: Incoming, call: RequestId | undefined): void {
    const peer = this.#peer;
    const { method } = request;
    const isLate = call !== undefined && !peer.isPending(call);
    if (isLate && !outlivesCalls(method)) return this.#refuse(revision, id, 'internal-error', callFinishedText);
    if (this.#pending.size >= maxServerRequests) return this.#refuse(revision, id, 'overloaded', tooManyText);
    const { deadlines, inputMs } = this.#timing;
    const controller = new AbortController();
    const deadline = deadlines.add(inputMs, () => this.#timedOut(revision, id, method));
    const calls = new Set(call === undefined ? peer.pendingIds(mayCauseRequests) : isLate ? [] : [call]);
    const pausesCalls = calls.size > 0;
    this.#pending.set(id, { controller, deadline, revision, method, calls, pausesCalls });
    peer.onSettled((ended, isCancelled) => this.#callFinished(ended, isCancelled));
    if (pausesCalls) peer.pause();
    void this.#respond(revision, id, request, controller);
  }

  /** `reason` is what the server sent. */
  cancel(id: RequestId, reason: unknown): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#remove(id, pending);
    this.#peer.forget(id);
    pending.controller.abort(cancelledBy('server', reason));
  }

  end(): void {
    for (const [id, pending] of this.#pending) {
      this.#remove(id, pending);
      pending.controller.abort('the connection closed');
    }
  }

  /** A new request can have the id of a cancelled one. */
  #isPending(id: RequestId, controller: AbortController): boolean {
    return this.#pending.get(id)?.controller === controller;
  }

  /** Removes a request that no longer waits for an answer. */
  #remove(id: RequestId, pending: PendingRequest): void {
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#peer.onSettled(undefined);
    this.#timing.deadlines.cancel(pending.deadline);
    this.#resumeCalls(pending);
  }

  #resumeCalls(pending: PendingRequest): void {
    if (!pending.pausesCalls) return;
    pending.pausesCalls = false;
    this.#peer.resume();
  }

  #callFinished(call: RequestId, isCancelled: boolean): void {
    for (const [id, pending] of this.#pending) {
      if (!pending.calls.delete(call)) continue;
      // Otherwise the other calls could never time out, and the request would not end with them.
      if (isCancelled || pending.calls.size === 0) this.#resumeCalls(pending);
      if (pending.calls.size > 0) continue;
      // The server receives the cancellation of the call before this error.
      if (!outlivesCalls(pending.method)) queueMicrotask(() => this.#refuseOrphaned(id, pending));
    }
  }

  #refuseOrphaned(id: RequestId, pending: PendingRequest): void {
    if (!this.#isPending(id, pending.controller)) return;
    this.#refuse(pending.revision, id, 'internal-error', callFinishedText);
    this.#remove(id, pending);
    pending.controller.abort('the call is finished');
  }

  #refuse(revision: Revision, id: RequestId, reason: RpcErrorReason, text: string): void {
    this.#peer.refuse(id, revision.wire.writeError(revision, rpcError(reason, text)));
  }

  async #respond(revision: Revision, id: RequestId, request: Incoming, controller: AbortController): Promise<void> {
    const peer = this.#peer;
    try {
      const result = await answer(this.#answers, request, {
        signal: controller.signal,
        reportProgress: progressSender(peer, revision, request, () => this.#isPending(id, controller)),
      });
      const written = revision.wire.writeResult(revision, 'server', request.method, { resultType: 'complete', result });
      if (!written.ok) throw new TenonError('invalid-outgoing-message', (await written.refusal.explain()).text);
      if (this.#isPending(id, controller)) peer.answer(id, written.value);
    } catch (error) {
      const failure = answerFailure(error);
      // An error after the cancellation is not reported.
      if (failure !== error && !controller.signal.aborted) this.#ports.warn(handlerFailed(error, request.method));
      if (this.#isPending(id, controller)) peer.refuse(id, revision.wire.writeError(revision, failure));
    } finally {
      const pending = this.#pending.get(id);
      if (pending?.controller === controller) this.#remove(id, pending);
    }
  }

  /** The time for an answer has passed. */
  #timedOut(revision: Revision, id: RequestId, method: string): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    const error = answerTimedOut(method, this.#timing.inputMs);
    this.#refuse(revision, id, 'internal-error', 'The client did not answer in time');
    this.#remove(id, pending);
    pending.controller.abort(error);
    this.#ports.warn(error);
  }
}

/** Sends nothing after the request was answered or cancelled. */
const progressSender = (peer: Peer, revision: Revision, { meta }: Incoming, isWaiting: () => boolean): ReportProgress =>
  createProgressReporter(meta.progressToken, (notification) => {
    if (!isWaiting()) return;
    const written = revision.wire.writeNotification(revision, 'client', notification);
    if (written.ok) peer.notify(notification.method, written.value);
  });
