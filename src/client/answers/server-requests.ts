/** Server requests in a session: limited in number, each answered or cancelled once. */

import type { RequestId } from '../../jsonrpc/message.ts';
import type { Peer } from '../../jsonrpc/peer.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Deadline } from '../../lib/time/deadlines.ts';
import { cancelledBy } from '../../protocol/cancellation.ts';
import { type RpcErrorReason, rpcError } from '../../protocol/errors.ts';
import type { Incoming } from '../../protocol/neutral.ts';
import type { Revision } from '../../protocol/revision.ts';
import { type AnswerTiming, answerTimedOut, callFinishedText, maxServerRequests } from './answering.ts';
import { answer, answerFailure, type ClientHandlers, handlerFailed } from './handlers.ts';
import { type OwnedRequest, OwningCalls } from './owning-calls.ts';
import { progressSender } from './progress-sender.ts';
import type { RunningTasks } from './tasks/running-tasks.ts';
import { TaskRequests } from './tasks/task-requests.ts';

interface PendingRequest {
  readonly controller: AbortController;
  readonly deadline: Deadline;
  readonly owned: OwnedRequest;
}

export interface ServerRequestsPorts {
  /** The requests that run as tasks; absent if the client runs none. */
  readonly runningTasks: RunningTasks | undefined;
  /** The handlers that calls brought along; the others have those of the client. */
  readonly callAnswers: ReadonlyMap<RequestId, ClientHandlers>;
  warn(error: Error): void;
}

/** Roots belong to the whole session and need no user: they are answered even after the call is finished. */
const outlivesCalls = (method: string): boolean => method === 'roots/list';

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
  readonly #calls: OwningCalls;
  readonly #tasks: TaskRequests | undefined;

  constructor(peer: Peer, answers: ClientHandlers, time: AnswerTiming, ports: ServerRequestsPorts) {
    this.#peer = peer;
    this.#calls = new OwningCalls(peer);
    this.#answers = answers;
    this.#timing = time;
    this.#ports = ports;
    this.#tasks =
      ports.runningTasks &&
      new TaskRequests(ports.runningTasks, {
        peer,
        calls: this.#calls,
        handlers: answers,
        handlersFor: (owned) => this.#handlersFor(owned),
        warn: (error) => ports.warn(error),
      });
  }

  /** `call` is the call in whose response it arrived, if known. */
  receive(revision: Revision, id: RequestId, request: Incoming, call: RequestId | undefined): void {
    const { method } = request;
    if (this.#tasks?.takes(revision, request)) return this.#tasks.receive(revision, id, request, call);
    const isLate = this.#calls.isOver(call) && !outlivesCalls(method);
    if (isLate) return this.#refuse(revision, id, 'internal-error', callFinishedText);
    if (this.#pending.size >= maxServerRequests) return this.#refuse(revision, id, 'overloaded', tooManyText);
    const { deadlines, inputMs } = this.#timing;
    const controller = new AbortController();
    const deadline = deadlines.add(inputMs, () => this.#timedOut(revision, id, method));
    const owned = this.#calls.add(call, () => {
      // The server receives the cancellation of the call before this error.
      if (!outlivesCalls(method)) queueMicrotask(() => this.#refuseOrphaned(revision, id, controller));
    });
    this.#pending.set(id, { controller, deadline, owned });
    void this.#respond(revision, id, request, controller, this.#handlersFor(owned));
  }

  /** The handlers of the call that the request belongs to. If it may belong to several, the handlers of the client. */
  #handlersFor({ calls }: OwnedRequest): ClientHandlers {
    const [call] = calls;
    return (call !== undefined && calls.size === 1 ? this.#ports.callAnswers.get(call) : undefined) ?? this.#answers;
  }

  /** `reason` is the reason that the server sent. */
  cancel(id: RequestId, reason: unknown): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) {
      if (this.#tasks?.cancel(id)) this.#peer.forget(id);
      return;
    }
    this.#remove(id, pending);
    this.#peer.forget(id);
    pending.controller.abort(cancelledBy('server', reason));
  }

  end(): void {
    this.#tasks?.end();
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
    this.#timing.deadlines.cancel(pending.deadline);
    this.#calls.remove(pending.owned);
  }

  #refuseOrphaned(revision: Revision, id: RequestId, controller: AbortController): void {
    const pending = this.#pending.get(id);
    if (pending?.controller !== controller) return;
    this.#refuse(revision, id, 'internal-error', callFinishedText);
    this.#remove(id, pending);
    controller.abort('the call is finished');
  }

  #refuse(revision: Revision, id: RequestId, reason: RpcErrorReason, text: string): void {
    this.#peer.refuse(id, revision.wire.writeError(revision, rpcError(reason, text)));
  }

  async #respond(
    revision: Revision,
    id: RequestId,
    request: Incoming,
    controller: AbortController,
    handlers: ClientHandlers,
  ): Promise<void> {
    const peer = this.#peer;
    try {
      const result = await answer(handlers, request, {
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
