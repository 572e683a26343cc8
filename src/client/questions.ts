/** The server's questions that wait for an answer in a session: only so many at once, each answered or taken back once. */
import type { RequestId } from '../jsonrpc/message.ts';
import type { Peer } from '../jsonrpc/peer.ts';
import { rpcError } from '../protocol/errors.ts';
import type { Incoming } from '../protocol/neutral.ts';
import { type TellProgress, tellProgress } from '../protocol/progress.ts';
import type { Revision } from '../protocol/revision.ts';
import { maxQuestions } from './answering.ts';
import { type Answers, answer, answerFailure } from './answers.ts';

export interface Questions {
  put(revision: Revision, id: RequestId, question: Incoming): void;
  cancel(id: RequestId): void;
  end(): void;
}

export function createQuestions(peer: Peer, answers: Answers, fault: (error: Error) => void): Questions {
  const waiting = new Map<RequestId, AbortController>();
  /** Another question can have the id of one that was taken back. */
  const waits = (id: RequestId, own: AbortController): boolean => waiting.get(id) === own;

  async function respond(revision: Revision, id: RequestId, question: Incoming, own: AbortController): Promise<void> {
    try {
      const result = await answer(answers, question, own.signal, teller(revision, id, question, own));
      const written = revision.wire.writeResult(revision, 'server', question.method, { kind: 'done', result });
      if (!written.ok) throw new Error(await written.refusal.explain());
      if (waits(id, own)) peer.answer(id, written.value);
    } catch (error) {
      const failure = answerFailure(error);
      if (failure !== error) fault(error as Error);
      if (waits(id, own)) peer.refuse(id, revision.wire.writeError(revision, failure));
    } finally {
      if (waits(id, own)) waiting.delete(id);
    }
  }

  /** Tells nothing once the question is answered or taken back. */
  const teller = (revision: Revision, id: RequestId, { meta }: Incoming, own: AbortController): TellProgress =>
    tellProgress(meta.progressToken, (news) => {
      if (!waits(id, own)) return;
      const written = revision.wire.writeNotification(revision, 'client', news);
      if (written.ok) peer.notify(news.method, written.value);
    });

  return {
    put(revision, id, question) {
      if (waiting.size >= maxQuestions) {
        const text = `This client answers at most ${maxQuestions} questions at once`;
        return peer.refuse(id, revision.wire.writeError(revision, rpcError('overloaded', text)));
      }
      const own = new AbortController();
      waiting.set(id, own);
      void respond(revision, id, question, own);
    },
    cancel(id) {
      const own = waiting.get(id);
      if (own === undefined) return;
      waiting.delete(id);
      peer.forget(id);
      own.abort('cancelled by the server');
    },
    end() {
      const left = [...waiting.values()];
      waiting.clear();
      for (const own of left) own.abort('the connection ended');
    },
  };
}
