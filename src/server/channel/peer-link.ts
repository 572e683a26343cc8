/** The link of a connection that is spoken by a peer: outcomes, news and questions written in the words of a revision. */
import { RpcError, TenonError } from '../../jsonrpc/errors.ts';
import type { RequestMessage } from '../../jsonrpc/message.ts';
import type { RequestOptions } from '../../jsonrpc/outbox.ts';
import type { Peer } from '../../jsonrpc/peer.ts';
import { namedError } from '../../protocol/error-names.ts';
import { isRecord } from '../../protocol/model/primitives.ts';
import type { Outcome, Question, Refusal } from '../../protocol/neutral.ts';
import { Progress } from '../../protocol/progress.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { Serving } from '../kernel/serving.ts';
import type { FailedCall } from '../ports/call-limits.ts';
import type { Calls } from '../ports/calls-in-flight.ts';
import type { Link } from '../ports/link.ts';
import type { Transport } from '../ports/request-details.ts';
import { calledBy } from '../ports/target.ts';
import type { Faults } from './connection-warnings.ts';

export interface LinkOptions {
  readonly principal?: string;
  readonly transport?: Transport;
  readonly answerTimeoutMs?: number;
}

export function createLink(
  peer: Peer,
  calls: Calls,
  { registry }: Serving,
  { principal, transport, answerTimeoutMs = 10 * 60_000 }: LinkOptions,
  faults: Faults,
): Link {
  const unsent = (refusal: Refusal, call: FailedCall): Promise<void> =>
    refusal.explain().then(
      (text) => faults.tell(new TenonError('invalid-outgoing', text), call),
      (cause: unknown) => faults.tell(new TenonError('invalid-outgoing', refusal.message, { cause }), call),
    );
  const refuse = (id: RequestMessage['id'], revision: Revision, error: RpcError): void =>
    peer.refuse(id, revision.wire.writeError(revision, error));
  /** Sends an outcome, or says what keeps it from being written. */
  function send({ id, method }: RequestMessage, revision: Revision, outcome: Outcome | RpcError): Refusal | undefined {
    if (outcome instanceof RpcError) {
      refuse(id, revision, outcome);
      return undefined;
    }
    try {
      const written = revision.wire.writeResult(revision, 'client', method, outcome, registry().info);
      if (!written.ok) {
        refuse(id, revision, RpcError.from(undefined));
        return written.refusal;
      }
      peer.answer(id, written.value);
    } catch (cause) {
      // What a result is made of can fail when it is looked at.
      refuse(id, revision, RpcError.from(undefined));
      faults.tell(new TenonError('invalid-outgoing', `The result of ${method} cannot be written as JSON.`, { cause }));
    }
    return undefined;
  }
  // Made when a question wants to hear: most connections never have one.
  let progress: Progress | undefined;
  return {
    principal,
    transport,
    settle(message, revision, outcome) {
      faults.answering = message;
      const refusal = send(message, revision, outcome);
      faults.answering = undefined;
      if (refusal !== undefined) void unsent(refusal, calledBy(message));
    },
    notify(revision, news) {
      const written = revision.wire.writeNotification(revision, 'server', news);
      if (!written.ok) return void unsent(written.refusal, calledBy(news));
      try {
        peer.notify(news.method, written.value);
      } catch (error) {
        faults.tell(error as Error, calledBy(news));
      }
    },
    put(revision, question, signal, hear) {
      const askOf = (asked: Question): Promise<unknown> =>
        ask((...given) => peer.request(...given), revision, asked, { timeoutMs: answerTimeoutMs, signal });
      if (hear === undefined) return askOf(question);
      progress ??= new Progress(peer.counts);
      return progress.during(hear, (token) => askOf(withToken(question, token)));
    },
    told(news) {
      progress ??= new Progress(peer.counts);
      progress.told(news);
    },
    begin: (id, counts) => calls.begin(id, counts),
    end: (id, call) => calls.end(id, call),
  };
}

/** Asks the client in the words of a revision, and gives what it answered in neutral form. */
export async function ask(
  request: (method: string, params: unknown, options: RequestOptions) => Promise<unknown>,
  revision: Revision,
  question: Question,
  options: RequestOptions,
): Promise<unknown> {
  const written = revision.wire.writeRequest(revision, 'server', question);
  if (!written.ok) throw new TenonError('invalid-outgoing', await written.refusal.explain());
  const result = await request(question.method, written.value, options).catch((error) => {
    throw namedError(revision.errorNumbers, error);
  });
  const read = revision.wire.readResult(revision, 'server', question.method, result);
  if (!read.ok) throw new TenonError('invalid-result', await read.refusal.explain());
  if (read.value.kind !== 'done') throw new TenonError('invalid-result', `${question.method} was answered by a task.`);
  return read.value.result;
}

export const withToken = ({ method, params = {} }: Question, progressToken: string | number): Question => ({
  method,
  params: { ...params, _meta: { ...(isRecord(params._meta) ? params._meta : {}), progressToken } },
});
