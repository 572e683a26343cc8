/** The server's questions that wait for an answer in a session: only so many at once, each answered or taken back once. */
import type { Deadline } from '../../jsonrpc/deadlines.ts';
import type { RequestId } from '../../jsonrpc/message.ts';
import type { Peer } from '../../jsonrpc/peer.ts';
import { rpcError, type WireErrorName } from '../../protocol/errors.ts';
import type { Incoming } from '../../protocol/neutral.ts';
import { type TellProgress, tellProgress } from '../../protocol/progress.ts';
import type { Revision } from '../../protocol/revision.ts';
import { type AnswerTime, maxQuestions, tooLate } from './answering.ts';
import { type Answers, answer, answerFailure } from './handlers.ts';

interface Waiting {
  readonly own: AbortController;
  readonly late: Deadline;
  readonly revision: Revision;
  readonly method: string;
  /** The calls that it may have been put for, as long as they wait. */
  readonly calls: Set<RequestId>;
  /** Whether time stands still for it. */
  isPausing: boolean;
}

export interface QuestionPorts {
  fault(error: Error): void;
}

/** Roots are of the whole session, and no user waits before them: they are told also when the call is over. */
const outlivesCalls = (method: string): boolean => method === 'roots/list';

/** Requests in whose course a server has nothing to ask a user. */
const quiet: ReadonlySet<string> = new Set([
  'completion/complete',
  'initialize',
  'logging/setLevel',
  'ping',
  'resources/subscribe',
  'resources/unsubscribe',
]);
const mayAsk = (method: string): boolean => !quiet.has(method) && !method.endsWith('/list');

const overText = 'The call that this was asked for is over';
const tooManyText = `This client answers at most ${maxQuestions} questions at once`;

/**
 * A question belongs to a call, but does not always say to which: then to one of those that wait when it comes. While it
 * is answered no call of this client is held to its time, unless one that it may belong to was given up: then perhaps
 * nobody waits for it. When all that it can belong to are over, so is the question. An answer has a time of its own.
 */
export class Questions {
  readonly #peer: Peer;
  readonly #answers: Answers;
  readonly #time: AnswerTime;
  readonly #ports: QuestionPorts;
  readonly #waiting = new Map<RequestId, Waiting>();

  constructor(peer: Peer, answers: Answers, time: AnswerTime, ports: QuestionPorts) {
    this.#peer = peer;
    this.#answers = answers;
    this.#time = time;
    this.#ports = ports;
  }

  /** `call` is the one that it came in the response to, where that is known. */
  put(revision: Revision, id: RequestId, question: Incoming, call: RequestId | undefined): void {
    const peer = this.#peer;
    const { method } = question;
    const isLate = call !== undefined && !peer.isPending(call);
    if (isLate && !outlivesCalls(method)) return this.#refuse(revision, id, 'internal-error', overText);
    if (this.#waiting.size >= maxQuestions) return this.#refuse(revision, id, 'overloaded', tooManyText);
    const { deadlines, answerTimeoutMs } = this.#time;
    const own = new AbortController();
    const late = deadlines.add(answerTimeoutMs, () => this.#late(revision, id, method));
    const calls = new Set(call === undefined ? peer.pendingIds(mayAsk) : isLate ? [] : [call]);
    const isPausing = calls.size > 0;
    this.#waiting.set(id, { own, late, revision, method, calls, isPausing });
    peer.onSettled((ended, isGivenUp) => this.#callOver(ended, isGivenUp));
    if (isPausing) peer.pause();
    void this.#respond(revision, id, question, own);
  }

  cancel(id: RequestId): void {
    const left = this.#waiting.get(id);
    if (left === undefined) return;
    this.#leave(id, left);
    this.#peer.forget(id);
    left.own.abort('cancelled by the server');
  }

  end(): void {
    for (const [id, left] of this.#waiting) {
      this.#leave(id, left);
      left.own.abort('the connection ended');
    }
  }

  /** Another question can have the id of one that was taken back. */
  #waits(id: RequestId, own: AbortController): boolean {
    return this.#waiting.get(id)?.own === own;
  }

  /** Nobody waits for it any more. */
  #leave(id: RequestId, left: Waiting): void {
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#peer.onSettled(undefined);
    this.#time.deadlines.cancel(left.late);
    this.#letTimeRun(left);
  }

  #letTimeRun(left: Waiting): void {
    if (!left.isPausing) return;
    left.isPausing = false;
    this.#peer.resume();
  }

  #callOver(call: RequestId, isGivenUp: boolean): void {
    for (const [id, left] of this.#waiting) {
      if (!left.calls.delete(call)) continue;
      // The others could not run out of time for a question that nobody may wait for, nor could it end with them.
      if (isGivenUp || left.calls.size === 0) this.#letTimeRun(left);
      if (left.calls.size > 0) continue;
      // A server that is told of a call given up hears that first, and not that its question failed.
      if (!outlivesCalls(left.method)) queueMicrotask(() => this.#orphaned(id, left));
    }
  }

  #orphaned(id: RequestId, left: Waiting): void {
    if (!this.#waits(id, left.own)) return;
    this.#refuse(left.revision, id, 'internal-error', overText);
    this.#leave(id, left);
    left.own.abort('the call is over');
  }

  #refuse(revision: Revision, id: RequestId, reason: WireErrorName, text: string): void {
    this.#peer.refuse(id, revision.wire.writeError(revision, rpcError(reason, text)));
  }

  async #respond(revision: Revision, id: RequestId, question: Incoming, own: AbortController): Promise<void> {
    const peer = this.#peer;
    try {
      const result = await answer(
        this.#answers,
        question,
        own.signal,
        teller(peer, revision, question, () => this.#waits(id, own)),
      );
      const written = revision.wire.writeResult(revision, 'server', question.method, { kind: 'done', result });
      if (!written.ok) throw new Error(await written.refusal.explain());
      if (this.#waits(id, own)) peer.answer(id, written.value);
    } catch (error) {
      const failure = answerFailure(error);
      // What an answer says of having been given up is no fault.
      if (failure !== error && !own.signal.aborted) this.#ports.fault(error as Error);
      if (this.#waits(id, own)) peer.refuse(id, revision.wire.writeError(revision, failure));
    } finally {
      const left = this.#waiting.get(id);
      if (left?.own === own) this.#leave(id, left);
    }
  }

  /** The time for an answer has passed. */
  #late(revision: Revision, id: RequestId, method: string): void {
    const left = this.#waiting.get(id);
    if (left === undefined) return;
    const error = tooLate(method, this.#time.answerTimeoutMs);
    this.#refuse(revision, id, 'internal-error', 'The client did not answer in time');
    this.#leave(id, left);
    left.own.abort(error);
    this.#ports.fault(error);
  }
}

/** Tells nothing once the question is answered or taken back. */
const teller = (peer: Peer, revision: Revision, { meta }: Incoming, isWaiting: () => boolean): TellProgress =>
  tellProgress(meta.progressToken, (news) => {
    if (!isWaiting()) return;
    const written = revision.wire.writeNotification(revision, 'client', news);
    if (written.ok) peer.notify(news.method, written.value);
  });
