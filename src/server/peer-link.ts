/** The link of a connection that is spoken by a peer: outcomes, news and questions written in the words of a revision. */
import { RpcError, TenonError } from '../jsonrpc/errors.ts';
import type { Peer } from '../jsonrpc/peer.ts';
import { namedError } from '../protocol/error-names.ts';
import { isRecord } from '../protocol/model/primitives.ts';
import type { Question, Refusal } from '../protocol/neutral.ts';
import { createProgress, type Progress } from '../protocol/progress.ts';
import type { Revision } from '../protocol/revision.ts';
import type { Calls } from './calls.ts';
import type { Link } from './link.ts';
import type { Serving } from './serving.ts';

export interface LinkOptions {
  readonly principal?: string;
  readonly answerTimeoutMs?: number;
}

export function createLink(
  peer: Peer,
  calls: Calls,
  { registry }: Serving,
  { principal, answerTimeoutMs = 10 * 60_000 }: LinkOptions,
  fault: (error: Error) => void,
): Link {
  const unsent = async (refusal: Refusal): Promise<void> =>
    fault(new TenonError('invalid-outgoing', await refusal.explain()));
  // Made when a question wants to hear: most connections never have one.
  let progress: Progress | undefined;
  return {
    principal,
    settle({ id, method }, revision, outcome) {
      if (outcome instanceof RpcError) return peer.refuse(id, revision.wire.writeError(revision, outcome));
      const written = revision.wire.writeResult(revision, 'client', method, outcome, registry().info);
      if (written.ok) return peer.answer(id, written.value);
      peer.refuse(id, revision.wire.writeError(revision, RpcError.from(undefined)));
      void unsent(written.refusal);
    },
    notify(revision, news) {
      const written = revision.wire.writeNotification(revision, 'server', news);
      if (!written.ok) return void unsent(written.refusal);
      try {
        peer.notify(news.method, written.value);
      } catch (error) {
        fault(error as Error);
      }
    },
    put(revision, question, signal, hear) {
      const send = (asked: Question): Promise<unknown> => put(peer, revision, asked, answerTimeoutMs, signal);
      if (hear === undefined) return send(question);
      progress ??= createProgress(peer.counts);
      return progress.during(hear, (token) => send(withToken(question, token)));
    },
    told(news) {
      progress ??= createProgress(peer.counts);
      progress.told(news);
    },
    begin: (id, counts) => calls.begin(id, counts),
    end: (id, call) => calls.end(id, call),
  };
}

async function put(
  peer: Peer,
  revision: Revision,
  question: Question,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<unknown> {
  const written = revision.wire.writeRequest(revision, 'server', question);
  if (!written.ok) throw new TenonError('invalid-outgoing', await written.refusal.explain());
  const result = await peer.request(question.method, written.value, { timeoutMs, signal }).catch((error) => {
    throw namedError(revision.errorNumbers, error);
  });
  const read = revision.wire.readResult(revision, 'server', question.method, result);
  if (!read.ok) throw new TenonError('invalid-result', await read.refusal.explain());
  if (read.value.kind !== 'done') throw new TenonError('invalid-result', `${question.method} was answered by a task.`);
  return read.value.result;
}

const withToken = ({ method, params = {} }: Question, progressToken: string): Question => ({
  method,
  params: { ...params, _meta: { ...(isRecord(params._meta) ? params._meta : {}), progressToken } },
});
