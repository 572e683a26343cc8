/** Answers the questions of one round together: all of them, or none. */
import { TenonError } from '../jsonrpc/errors.ts';
import type { Fields, Question } from '../protocol/neutral.ts';

/** How many questions a server may put at once: each of them can open a form before the user. */
export const maxQuestions = 100;

export type Questions = Readonly<Record<string, Question>>;

function checkCount(method: string, count: number): void {
  if (count <= maxQuestions) return;
  const text = `${method} was answered by ${count} questions at once, over the limit of ${maxQuestions}.`;
  throw new TenonError('invalid-result', text, { details: { count, limit: maxQuestions } });
}

/** Answers all questions, or gives all of them up when one fails or the call is given up. */
export async function answerAll(
  answer: (question: Question, signal: AbortSignal) => Promise<Fields>,
  method: string,
  questions: Questions,
  signals: readonly AbortSignal[],
): Promise<Fields> {
  checkCount(method, Object.keys(questions).length);
  for (const signal of signals) signal.throwIfAborted();
  const patience = new AbortController();
  const end = new AbortController();
  const givenUp = new Promise<never>((_, reject) => {
    patience.signal.addEventListener('abort', () => reject(patience.signal.reason), { signal: end.signal });
  });
  for (const signal of signals)
    signal.addEventListener('abort', () => patience.abort(signal.reason), { signal: end.signal });
  const answers = Object.entries(questions).map(
    async ([key, question]) => [key, await answer(question, patience.signal)] as const,
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
