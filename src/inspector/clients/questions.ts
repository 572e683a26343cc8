/** Questions that wait for an answer of the page: elicitation, sampling, and pages to sign in at. */
import type { ClientHandlers, ElicitFormRequest, HandlerContext } from '../../client/answers/handlers.ts';
import { RpcError } from '../../jsonrpc/errors.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { rpcError } from '../../protocol/errors.ts';
import { formProblem, withFormDefaults } from '../../protocol/form.ts';
import { isSampled } from '../../protocol/generated/result-kinds.ts';
import type { CreateMessageResult, ElicitResult } from '../../protocol/generated/types/records.ts';
import type { Answer, Question } from '../api/questions.ts';
import { InspectorError } from '../api-error.ts';
import type { EventLog } from '../event-log.ts';

/**
 * How long a question waits for its answer. The option `timeouts.inputMs` of a client is the same.
 * @limit inspector
 * @beyond the request is refused
 * @code server-request-failed
 */
export const questionMs = 10 * 60_000;

/**
 * Questions that wait.
 * @limit inspector
 * @beyond the request is refused
 * @code too-many-questions
 */
const maxQuestions = 100;

/**
 * Characters of the questions that wait.
 * @limit inspector
 * @beyond the request is refused
 * @code too-many-questions
 */
const maxQuestionChars = 8 * 1024 * 1024;

type NewQuestion = Question extends infer Q
  ? Q extends Question
    ? Omit<Q, 'id' | 'client' | 'runs' | 'askedAt' | 'expiresAt'>
    : never
  : never;

/** Who is asked: a client, for one of these runs. */
interface Asked {
  readonly client: string;
  readonly runs: readonly string[];
}

interface Waiting {
  readonly question: Question;
  readonly chars: number;
  readonly resolve: (answer: Answer) => void;
}

export class Questions {
  readonly #waiting = new Map<string, Waiting>();
  readonly #log: EventLog;
  readonly #now: () => number;

  constructor(log: EventLog, now: () => number) {
    this.#log = log;
    this.#now = now;
  }

  get all(): readonly Question[] {
    return [...this.#waiting.values()].map(({ question }) => question);
  }

  get #chars(): number {
    let chars = 0;
    for (const waiting of this.#waiting.values()) chars += waiting.chars;
    return chars;
  }

  /** Waits for the answer of the page. Rejects when `signal` is aborted: the answer is no longer needed. */
  ask(asked: Asked, added: NewQuestion, signal: AbortSignal): Promise<Answer> {
    if (this.#waiting.size >= maxQuestions)
      throw new TenonError('too-many-questions', `More than ${maxQuestions} questions wait in the inspector.`);
    const askedAt = this.#now();
    // Random, so that a late answer never answers another question.
    const id = `q-${crypto.randomUUID()}`;
    const question = { id, ...asked, askedAt, expiresAt: askedAt + questionMs, ...added } as Question;
    const chars = JSON.stringify(question).length;
    if (chars + this.#chars > maxQuestionChars)
      throw new TenonError('too-many-questions', 'The questions that wait in the inspector are too long together.');
    return new Promise((resolve, reject) => {
      const withdraw = (): void => {
        if (!this.#waiting.delete(id)) return;
        const reason = this.#now() >= question.expiresAt ? 'expired' : 'withdrawn';
        this.#log.publish({ type: 'question-closed', question: id, reason });
        reject(signal.reason as Error);
      };
      const answered = (answer: Answer): void => {
        signal.removeEventListener('abort', withdraw);
        resolve(answer);
      };
      this.#waiting.set(id, { question, chars, resolve: answered });
      this.#log.publish({ type: 'question', question });
      signal.addEventListener('abort', withdraw, { once: true });
      if (signal.aborted) withdraw();
    });
  }

  /** Throws `not-found`, and `invalid-request` for an answer that does not fit: then the question still waits. */
  answer(id: string, answer: Answer): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) throw new InspectorError('not-found', 'The question was answered or withdrawn.');
    const problem = problemOf(waiting.question, answer);
    if (problem !== undefined) throw new InspectorError('invalid-request', problem);
    this.#waiting.delete(id);
    this.#log.publish({ type: 'question-closed', question: id, reason: 'answered' });
    waiting.resolve(answer);
  }

  /** Handlers that pass every request of a server to the page. `runs` are those that it may belong to when it comes. */
  handlersFor(
    client: string,
    runs: () => readonly string[],
  ): Required<Pick<ClientHandlers, 'elicitForm' | 'elicitUrl' | 'sample'>> {
    const ask = (question: NewQuestion, { signal }: HandlerContext): Promise<Answer> =>
      this.ask({ client, runs: runs() }, question, signal);
    return {
      elicitForm: async (request, context) => (await ask({ kind: 'form', request }, context)) as ElicitResult,
      elicitUrl: async (request, context) => (await ask({ kind: 'url', request }, context)) as ElicitResult,
      sample: async (request, context) => sampled(await ask({ kind: 'sampling', request }, context)),
    };
  }
}

function sampled(answer: Answer): CreateMessageResult {
  if (answer.action === 'sample') return answer.message;
  const { code, message = 'The user refused' } = answer.action === 'refuse' ? answer : {};
  throw code === undefined ? rpcError('user-rejected', message) : new RpcError(code, message);
}

/** What is wrong with an answer. */
function problemOf(question: Question, answer: Answer): string | undefined {
  const { action } = answer;
  switch (question.kind) {
    case 'form':
      if (action === 'decline' || action === 'cancel') return undefined;
      return action === 'accept' ? problemOfForm(question.request, answer) : notFor('a form', action);
    case 'url':
      return ['accept', 'decline', 'cancel'].includes(action) ? undefined : notFor('a URL', action);
    case 'sampling':
      if (action === 'refuse') return undefined;
      if (action !== 'sample') return notFor('sampling', action);
      return isSampled(answer.message) ? undefined : 'The message needs role, content and model.';
    case 'sign-in':
      return action === 'cancel' ? undefined : notFor('a sign-in', action);
  }
}

function problemOfForm({ requestedSchema }: ElicitFormRequest, answer: Answer): string | undefined {
  const content = 'content' in answer ? answer.content : {};
  return formProblem(requestedSchema, withFormDefaults(requestedSchema, content as never));
}

const notFor = (kind: string, action: string): string =>
  `The action ${JSON.stringify(action)} does not answer ${kind}.`;
