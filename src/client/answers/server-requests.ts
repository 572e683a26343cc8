/** The server's questions that wait for an answer in a session: only so many at once, each answered or taken back once. */
import type { Deadline } from '../../jsonrpc/deadlines.ts';
import type { RequestId } from '../../jsonrpc/message.ts';
import type { Peer } from '../../jsonrpc/peer.ts';
import { rpcError, type WireErrorName } from '../../protocol/errors.ts';
import type { Incoming } from '../../protocol/neutral.ts';
import { type TellProgress, tellProgress } from '../../protocol/progress.ts';
import type { Revision } from '../../protocol/revision.ts';
import { type AnswerTiming, answerTimedOut, maxServerRequests } from './answering.ts';
import { type Answers, answer, answerFailure } from './handlers.ts';

interface PendingRequest {
  readonly controller: AbortController;
  readonly deadline: Deadline;
  readonly revision: Revision;
  readonly method: string;
  /** The calls that it may have been put for, as long as they wait. */
  readonly calls: Set<RequestId>;
  /** Whether time stands still for it. */
  pausesCalls: boolean;
}

export interface ServerRequestsPorts {
  fault(error: Error): void;
}

/** Roots are of the whole session, and no user waits before them: they are told also when the call is over. */
const outlivesCalls = (method: string): boolean => method === 'roots/list';

/** Requests in whose course a server has nothing to ask a user. */
const neverAsk: ReadonlySet<string> = new Set([
  'completion/complete',
  'initialize',
  'logging/setLevel',
  'ping',
  'resources/subscribe',
  'resources/unsubscribe',
]);
const mayAsk = (method: string): boolean => !neverAsk.has(method) && !method.endsWith('/list');

const callFinishedText = 'The call that this was asked for is over';
const tooManyText = `This client answers at most ${maxServerRequests} questions at once`;

/**
 * A question belongs to a call, but does not always say to which: then to one of those that wait when it comes. While it
 * is answered no call of this client is held to its time, unless one that it may belong to was given up: then perhaps
 * nobody waits for it. When all that it can belong to are over, so is the question. An answer has a time of its own.
 */
export class ServerRequests {
  readonly #peer: Peer;
  readonly #answers: Answers;
  readonly #timing: AnswerTiming;
  readonly #ports: ServerRequestsPorts;
  readonly #pending = new Map<RequestId, PendingRequest>();

  constructor(peer: Peer, answers: Answers, time: AnswerTiming, ports: ServerRequestsPorts) {
    this.#peer = peer;
    this.#answers = answers;
    this.#timing = time;
    this.#ports = ports;
  }

  /** `call` is the one that it came in the response to, where that is known. */
  receive(revision: Revision, id: RequestId, request: Incoming, call: RequestId | undefined): void {
    const peer = this.#peer;
    const { method } = request;
    const isLate = call !== undefined && !peer.waits(call);
    if (isLate && !outlivesCalls(method)) return this.#refuse(revision, id, 'internal-error', callFinishedText);
    if (this.#pending.size >= maxServerRequests) return this.#refuse(revision, id, 'overloaded', tooManyText);
    const { deadlines, answerTimeoutMs } = this.#timing;
    const controller = new AbortController();
    const deadline = deadlines.add(answerTimeoutMs, () => this.#timedOut(revision, id, method));
    const calls = new Set(call === undefined ? peer.waiting(mayAsk) : isLate ? [] : [call]);
    const pausesCalls = calls.size > 0;
    this.#pending.set(id, { controller, deadline, revision, method, calls, pausesCalls });
    peer.watch((ended, isGivenUp) => this.#callFinished(ended, isGivenUp));
    if (pausesCalls) peer.pause();
    void this.#respond(revision, id, request, controller);
  }

  cancel(id: RequestId): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#remove(id, pending);
    this.#peer.forget(id);
    pending.controller.abort('cancelled by the server');
  }

  end(): void {
    for (const [id, pending] of this.#pending) {
      this.#remove(id, pending);
      pending.controller.abort('the connection ended');
    }
  }

  /** Another question can have the id of one that was taken back. */
  #isPending(id: RequestId, controller: AbortController): boolean {
    return this.#pending.get(id)?.controller === controller;
  }

  /** Nobody waits for it any more. */
  #remove(id: RequestId, pending: PendingRequest): void {
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#peer.watch(undefined);
    this.#timing.deadlines.cancel(pending.deadline);
    this.#resumeCalls(pending);
  }

  #resumeCalls(pending: PendingRequest): void {
    if (!pending.pausesCalls) return;
    pending.pausesCalls = false;
    this.#peer.resume();
  }

  #callFinished(call: RequestId, isGivenUp: boolean): void {
    for (const [id, pending] of this.#pending) {
      if (!pending.calls.delete(call)) continue;
      // The others could not run out of time for a question that nobody may wait for, nor could it end with them.
      if (isGivenUp || pending.calls.size === 0) this.#resumeCalls(pending);
      if (pending.calls.size > 0) continue;
      // A server that is told of a call given up hears that first, and not that its question failed.
      if (!outlivesCalls(pending.method)) queueMicrotask(() => this.#refuseOrphaned(id, pending));
    }
  }

  #refuseOrphaned(id: RequestId, pending: PendingRequest): void {
    if (!this.#isPending(id, pending.controller)) return;
    this.#refuse(pending.revision, id, 'internal-error', callFinishedText);
    this.#remove(id, pending);
    pending.controller.abort('the call is over');
  }

  #refuse(revision: Revision, id: RequestId, reason: WireErrorName, text: string): void {
    this.#peer.refuse(id, revision.wire.writeError(revision, rpcError(reason, text)));
  }

  async #respond(revision: Revision, id: RequestId, request: Incoming, controller: AbortController): Promise<void> {
    const peer = this.#peer;
    try {
      const result = await answer(
        this.#answers,
        request,
        controller.signal,
        progressSender(peer, revision, request, () => this.#isPending(id, controller)),
      );
      const written = revision.wire.writeResult(revision, 'server', request.method, { kind: 'done', result });
      if (!written.ok) throw new Error(await written.refusal.explain());
      if (this.#isPending(id, controller)) peer.answer(id, written.value);
    } catch (error) {
      const failure = answerFailure(error);
      // What an answer says of having been given up is no fault.
      if (failure !== error && !controller.signal.aborted) this.#ports.fault(error as Error);
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
    const error = answerTimedOut(method, this.#timing.answerTimeoutMs);
    this.#refuse(revision, id, 'internal-error', 'The client did not answer in time');
    this.#remove(id, pending);
    pending.controller.abort(error);
    this.#ports.fault(error);
  }
}

/** Tells nothing once the question is answered or taken back. */
const progressSender = (peer: Peer, revision: Revision, { meta }: Incoming, isWaiting: () => boolean): TellProgress =>
  tellProgress(meta.progressToken, (notification) => {
    if (!isWaiting()) return;
    const written = revision.wire.writeNotification(revision, 'client', notification);
    if (written.ok) peer.notify(notification.method, written.value);
  });
