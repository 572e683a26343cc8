/** The server's questions that wait for an answer in a session: only so many at once, each answered or taken back once. */
import type { Deadline } from '../jsonrpc/deadlines.ts';
import type { RequestId } from '../jsonrpc/message.ts';
import type { Peer } from '../jsonrpc/peer.ts';
import { rpcError } from '../protocol/errors.ts';
import type { Incoming } from '../protocol/neutral.ts';
import { type TellProgress, tellProgress } from '../protocol/progress.ts';
import type { Revision } from '../protocol/revision.ts';
import { type AnswerTime, maxQuestions, tooLate } from './answering.ts';
import { type Answers, answer, answerFailure } from './answers.ts';

export interface Questions {
  put(revision: Revision, id: RequestId, question: Incoming): void;
  cancel(id: RequestId): void;
  end(): void;
}

interface Waiting {
  readonly own: AbortController;
  readonly late: Deadline;
}

/**
 * A question belongs to a call, but does not say to which: while it is answered no call of this client is held to its
 * time. An answer has a time of its own.
 */
export function createQuestions(
  peer: Peer,
  answers: Answers,
  { deadlines, answerTimeoutMs }: AnswerTime,
  fault: (error: Error) => void,
): Questions {
  const waiting = new Map<RequestId, Waiting>();
  /** Another question can have the id of one that was taken back. */
  const waits = (id: RequestId, own: AbortController): boolean => waiting.get(id)?.own === own;

  /** Nobody waits for it any more. */
  function leave(id: RequestId, { late }: Waiting): void {
    waiting.delete(id);
    deadlines.cancel(late);
    peer.resume();
  }

  async function respond(revision: Revision, id: RequestId, question: Incoming, own: AbortController): Promise<void> {
    try {
      const result = await answer(
        answers,
        question,
        own.signal,
        teller(peer, revision, question, () => waits(id, own)),
      );
      const written = revision.wire.writeResult(revision, 'server', question.method, { kind: 'done', result });
      if (!written.ok) throw new Error(await written.refusal.explain());
      if (waits(id, own)) peer.answer(id, written.value);
    } catch (error) {
      const failure = answerFailure(error);
      if (failure !== error) fault(error as Error);
      if (waits(id, own)) peer.refuse(id, revision.wire.writeError(revision, failure));
    } finally {
      const left = waiting.get(id);
      if (left?.own === own) leave(id, left);
    }
  }

  /** The time for an answer has passed. */
  function refuse(revision: Revision, id: RequestId, { method }: Incoming): void {
    const left = waiting.get(id);
    if (left === undefined) return;
    const error = tooLate(method, answerTimeoutMs);
    peer.refuse(
      id,
      revision.wire.writeError(revision, rpcError('internal-error', 'The client did not answer in time')),
    );
    leave(id, left);
    left.own.abort(error);
    fault(error);
  }

  return {
    put(revision, id, question) {
      if (waiting.size >= maxQuestions) {
        const text = `This client answers at most ${maxQuestions} questions at once`;
        return peer.refuse(id, revision.wire.writeError(revision, rpcError('overloaded', text)));
      }
      const own = new AbortController();
      const late = deadlines.add(answerTimeoutMs, () => refuse(revision, id, question));
      waiting.set(id, { own, late });
      peer.pause();
      void respond(revision, id, question, own);
    },
    cancel(id) {
      const left = waiting.get(id);
      if (left === undefined) return;
      leave(id, left);
      peer.forget(id);
      left.own.abort('cancelled by the server');
    },
    end() {
      for (const [id, left] of waiting) {
        leave(id, left);
        left.own.abort('the connection ended');
      }
    },
  };
}

/** Tells nothing once the question is answered or taken back. */
const teller = (peer: Peer, revision: Revision, { meta }: Incoming, isWaiting: () => boolean): TellProgress =>
  tellProgress(meta.progressToken, (news) => {
    if (!isWaiting()) return;
    const written = revision.wire.writeNotification(revision, 'client', news);
    if (written.ok) peer.notify(news.method, written.value);
  });
