/** Answers the questions of one round together: all of them, or none, and not without end. */
import { listenForAbort, stopListening } from '../../jsonrpc/abort-listeners.ts';
import type { Deadlines } from '../../jsonrpc/deadlines.ts';
import { TenonError } from '../../jsonrpc/errors.ts';
import type { Fields, Question } from '../../protocol/neutral.ts';

/** How many questions a server may put at once: each of them can open a form before the user. */
export const maxQuestions = 100;

export type Questions = Readonly<Record<string, Question>>;

/** How long answers may take, and whose time that is. */
export interface AnswerTime {
  readonly deadlines: Deadlines;
  readonly answerTimeoutMs: number;
}

export interface Answering extends AnswerTime {
  /** Answers a question that came in a result, under the key it came with. */
  answer(question: Question, signal: AbortSignal, key: string): Promise<Fields>;
}

function checkCount(method: string, count: number): void {
  if (count <= maxQuestions) return;
  const text = `${method} was answered by ${count} questions at once, over the limit of ${maxQuestions}.`;
  throw new TenonError('invalid-result', text, { details: { count, limit: maxQuestions } });
}

/** Answers all questions, or gives all of them up when one fails, the call is given up, or it takes too long. */
export async function answerAll(
  answering: Answering,
  method: string,
  questions: Questions,
  signals: readonly AbortSignal[],
): Promise<Fields> {
  const { deadlines, answerTimeoutMs } = answering;
  checkCount(method, Object.keys(questions).length);
  for (const signal of signals) signal.throwIfAborted();
  // A signal for each: what the answers put on them does not add up.
  const waiting = Object.entries(questions).map(([key, question]) => ({ key, question, own: new AbortController() }));
  let giveUp = (_reason: unknown): void => {};
  const givenUp = new Promise<never>((_, reject) => {
    giveUp = (reason) => {
      reject(reason);
      for (const { own } of waiting) own.abort(reason);
    };
  });
  const late = deadlines.add(answerTimeoutMs, () => giveUp(tooLate(method, answerTimeoutMs)));
  const listening = signals.map((signal) => ({ signal, run: () => giveUp(signal.reason) }));
  for (const { signal, run } of listening) listenForAbort(signal, run);
  try {
    const answers = waiting.map(async ({ key, question, own }) => [
      key,
      await answering.answer(question, own.signal, key),
    ]);
    return Object.fromEntries(await Promise.race([Promise.all(answers), givenUp]));
  } catch (error) {
    giveUp(error);
    throw error;
  } finally {
    // The connection outlives its calls: what listens to its end must not stay with it.
    for (const { signal, run } of listening) stopListening(signal, run);
    deadlines.cancel(late);
  }
}

/** What is said of a question whose answer did not come. */
export const tooLate = (method: string, answerTimeoutMs: number): TenonError =>
  new TenonError('unanswered', `${method} asked something that was not answered within ${answerTimeoutMs} ms.`, {
    hint: 'Answer sooner, or raise the option "answerTimeoutMs".',
    details: { method, answerTimeoutMs },
  });
