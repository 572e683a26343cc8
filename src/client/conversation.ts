/** Requests to a server at one revision: written and read by its wire, questions answered, whichever lifecycle it has. */
import { RpcError, TenonError } from '../jsonrpc/errors.ts';
import type { RequestOptions } from '../jsonrpc/outbox.ts';
import type { Peer } from '../jsonrpc/peer.ts';
import { errorName } from '../protocol/errors.ts';
import type { Done, Fields, Introduction, Outcome, Question, Round } from '../protocol/neutral.ts';
import type { Revision } from '../protocol/revision.ts';

export interface Conversation {
  readonly revision: Revision;
  call(method: string, params?: Fields, options?: RequestOptions): Promise<Done>;
  notify(method: string, params?: Fields): void;
}

export interface ConversationPorts {
  /** Who asks, where every request says so. */
  readonly introduction?: (() => Introduction) | undefined;
  /** Answers a question that came in a result. */
  readonly answer: (question: Question, signal: AbortSignal) => Promise<Fields>;
  /** How often one call may be asked back. */
  readonly maxRounds: number;
  /** Aborted when the connection ends: nobody waits for answers any more. */
  readonly over?: AbortSignal;
}

const signalsOf = ({ over }: ConversationPorts, options?: RequestOptions): AbortSignal[] =>
  [over, options?.signal].filter((signal) => signal !== undefined);

/** How many questions one result may put: each of them can open a form before the user. */
const maxQuestions = 100;

function checkCount(method: string, count: number): void {
  if (count <= maxQuestions) return;
  const text = `${method} was answered by ${count} questions at once, over the limit of ${maxQuestions}.`;
  throw new TenonError('invalid-result', text, { details: { count, limit: maxQuestions } });
}

const cancelled = (method: string, cause: unknown): TenonError =>
  new TenonError('cancelled', `${method} was given up while a question waited for its answer.`, { cause });

export function createConversation(peer: Peer, revision: Revision, ports: ConversationPorts): Conversation {
  async function send(
    method: string,
    params: Fields | undefined,
    round: Round | undefined,
    options?: RequestOptions,
  ): Promise<Outcome> {
    const introduction = ports.introduction?.();
    const call = { method, ...(params && { params }), ...(introduction && { introduction }), ...(round && { round }) };
    const written = revision.wire.writeRequest(revision, 'client', call);
    if (!written.ok) throw await unwritable(revision, method, written.refusal.reason, written.refusal.explain());
    const result = await peer.request(method, written.value, options).catch((error) => {
      throw named(revision, error);
    });
    const read = revision.wire.readResult(revision, 'client', method, result);
    if (!read.ok) throw new TenonError('invalid-result', await read.refusal.explain());
    return read.value;
  }

  /** Answers all questions, or gives all of them up when one fails or the call is given up. */
  async function answerAll(questions: Readonly<Record<string, Question>>, signals: AbortSignal[]): Promise<Fields> {
    for (const signal of signals) signal.throwIfAborted();
    const patience = new AbortController();
    const end = new AbortController();
    const givenUp = new Promise<never>((_, reject) => {
      patience.signal.addEventListener('abort', () => reject(patience.signal.reason), { signal: end.signal });
    });
    for (const signal of signals)
      signal.addEventListener('abort', () => patience.abort(signal.reason), { signal: end.signal });
    const answers = Object.entries(questions).map(
      async ([key, question]) => [key, await ports.answer(question, patience.signal)] as const,
    );
    try {
      return Object.fromEntries(await Promise.race([Promise.all(answers), givenUp]));
    } catch (error) {
      patience.abort(error);
      throw error;
    } finally {
      // The connection outlives its calls: what listens to its end must not stay with it.
      end.abort();
    }
  }

  return {
    revision,
    async call(method, params, options) {
      let round: Round | undefined;
      for (let rounds = 0; ; rounds++) {
        const outcome = await send(method, params, round, options);
        if (outcome.kind === 'done') return outcome;
        if (outcome.kind === 'task')
          throw new TenonError('invalid-result', `${method} was answered by a task, which nobody asked for.`);
        if (rounds >= ports.maxRounds)
          throw new TenonError('too-many-rounds', `${method} was asked back more than ${ports.maxRounds} times.`);
        checkCount(method, Object.keys(outcome.questions).length);
        const answers = await answerAll(outcome.questions, signalsOf(ports, options)).catch((error) => {
          throw options?.signal?.aborted ? cancelled(method, error) : error;
        });
        // The state goes back as it came; a question without one has nothing to go back.
        round = { answers, state: outcome.state };
      }
    },
    notify(method, params) {
      const written = revision.wire.writeNotification(revision, 'client', { method, params });
      if (!written.ok) throw new TenonError('invalid-outgoing', written.refusal.message);
      peer.notify(method, written.value);
    },
  };
}

async function unwritable(
  revision: Revision,
  method: string,
  reason: string,
  explained: Promise<string>,
): Promise<TenonError> {
  if (reason !== 'method-not-found') return new TenonError('invalid-outgoing', await explained);
  return new TenonError('capability-not-supported', `${method} does not exist in revision ${revision.id}.`, {
    details: { method, revision: revision.id },
  });
}

/** A peer's error with the name its number has in this revision. */
function named(revision: Revision, error: unknown): unknown {
  if (!(error instanceof RpcError)) return error;
  return new RpcError(error.code, error.message, error.data, errorName(revision.errorNumbers, error.code), error);
}
