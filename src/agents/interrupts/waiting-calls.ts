/** Calls in sessions that wait for an answer in the memory of this process. */
import type { ClientHandlers, ElicitFormRequest, ElicitUrlRequest } from '../../client/answers/handlers.ts';
import type { HostRound } from '../../host/round.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { isRecord } from '../../lib/values/is.ts';

/**
 * Calls of one toolkit that wait for an answer.
 * @limit agents
 * @beyond the elicitation is cancelled
 */
export const maxWaitingAnswers = 64;

/** What a call came to first: its round, or a question of its server. */
export type FirstOutcome =
  | HostRound
  | { readonly resultType: 'waiting'; readonly token: string; readonly requests: Readonly<Record<string, object>> };

type Answer = { readonly action: 'accept' | 'decline' | 'cancel'; readonly content?: Record<string, never> };

interface WaitingCall {
  answer(given: Answer): void;
  /** What comes after the answer. */
  next(): Promise<FirstOutcome>;
}

/** The key of the one request of a call in a session. */
export const requestKey = 'request';

export interface WaitingCalls {
  /** Runs a call whose elicitations become outcomes. */
  run(send: (answers: ClientHandlers) => Promise<HostRound>): Promise<FirstOutcome>;
  /** Answers a call that waits, and resolves with what comes next; `undefined` if it does not wait any more. */
  resume(token: string, answers: Readonly<Record<string, object>>): Promise<FirstOutcome> | undefined;
}

export function createWaitingCalls(): WaitingCalls {
  const waiting = new Map<string, WaitingCall>();

  async function run(send: (answers: ClientHandlers) => Promise<HostRound>): Promise<FirstOutcome> {
    let report: (outcome: FirstOutcome) => void = () => {};
    const question = (): Promise<FirstOutcome> => new Promise((resolve) => (report = resolve));
    let asked = question();
    const ask = (params: object, signal: AbortSignal): Promise<Answer> =>
      new Promise((resolve, reject) => {
        if (waiting.size >= maxWaitingAnswers) return resolve({ action: 'cancel' });
        const token = crypto.randomUUID();
        const reportNow = report;
        asked = question();
        waiting.set(token, { answer: resolve, next: () => Promise.race([sent, asked]) });
        signal.addEventListener('abort', () => {
          waiting.delete(token);
          reject(signal.reason as Error);
        });
        reportNow({
          resultType: 'waiting',
          token,
          requests: { [requestKey]: { method: 'elicitation/create', params } },
        });
      });
    const sent = send({
      elicitForm: (request: ElicitFormRequest, { signal }) => ask({ mode: 'form', ...request }, signal),
      elicitUrl: (request: ElicitUrlRequest, { signal }) => ask({ mode: 'url', ...request }, signal),
    });
    // It may fail while no caller waits for it; the next resume reports it.
    sent.catch(() => {});
    return Promise.race([sent, asked]);
  }

  return {
    run,
    resume(token, answers) {
      const call = waiting.get(token);
      if (call === undefined) return undefined;
      const answer: unknown = answers[requestKey];
      if (!isRecord(answer) || !['accept', 'decline', 'cancel'].includes(String(answer.action)))
        throw new TenonError(
          'invalid-argument',
          `resume(): answers.${requestKey} is not an answer to an elicitation.`,
          {
            hint: "Pass { answers: { request: { action: 'accept', content: { … } } } }, or the action 'decline' or 'cancel'.",
          },
        );
      waiting.delete(token);
      const next = call.next();
      call.answer(answer as unknown as Answer);
      return next;
    },
  };
}
