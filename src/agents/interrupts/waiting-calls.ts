/** Calls in sessions that wait for an answer in the memory of this process. */
import type { ClientHandlers, ElicitFormRequest, ElicitUrlRequest } from '../../client/answers/handlers.ts';
import type { HostRound } from '../../host/round.ts';
import type { ElicitRequestParams, InputRequest } from '../../protocol/generated/types/records.ts';
import { SlotShares } from '../../server/ports/slot-shares.ts';
import { isElicited, misfit } from './check-answer.ts';
import { interruptTtlMs } from './sealed-interrupt.ts';

/**
 * Questions of one toolkit that wait for an answer, each as long as its interrupt can be resumed. No server has more than it leaves to the others.
 * @limit agents
 * @beyond the elicitation is cancelled
 */
export const maxWaitingAnswers = 64;

/** What a call came to first: its round, or a question of its server. */
export type FirstOutcome =
  | HostRound
  | {
      readonly resultType: 'waiting';
      readonly token: string;
      readonly requests: Readonly<Record<string, InputRequest>>;
    };

type Answer = { readonly action: 'accept' | 'decline' | 'cancel'; readonly content?: Record<string, never> };

interface WaitingCall {
  readonly server: string;
  /** When its question came. */
  readonly since: number;
  answer(given: Answer): void;
  /** What comes after the answer. */
  next(): Promise<FirstOutcome>;
}

/** The key of the one request of a call in a session. */
export const requestKey = 'request';

export interface WaitingCalls {
  /** Runs a call of a server whose elicitations become outcomes. */
  run(server: string, send: (answers: ClientHandlers) => Promise<HostRound>): Promise<FirstOutcome>;
  /** Answers a call that waits, and resolves with what comes next; `undefined` if it does not wait any more. */
  resume(token: string, answers: Readonly<Record<string, object>>): Promise<FirstOutcome> | undefined;
}

export function createWaitingCalls(): WaitingCalls {
  const waiting = new Map<string, WaitingCall>();
  const shares = new SlotShares(maxWaitingAnswers, false);

  /** The call that waits, which does so no more. */
  function take(token: string): WaitingCall | undefined {
    const found = waiting.get(token);
    if (waiting.delete(token)) shares.release(found?.server);
    return found;
  }

  /** Their interrupts cannot be resumed any more. */
  function endExpired(): void {
    for (const [token, { since }] of waiting)
      if (Date.now() - since > interruptTtlMs) take(token)?.answer({ action: 'cancel' });
  }

  function run(server: string, send: (answers: ClientHandlers) => Promise<HostRound>): Promise<FirstOutcome> {
    /** A server may ask several things at once: those that no caller has got yet. */
    const unreported = new Map<string, FirstOutcome>();
    let report: (() => void) | undefined;
    const nextQuestion = (): Promise<FirstOutcome> =>
      new Promise((resolve) => {
        report = () => {
          const [first] = unreported;
          if (first === undefined) return;
          unreported.delete(first[0]);
          report = undefined;
          resolve(first[1]);
        };
        report();
      });
    const next = (): Promise<FirstOutcome> => Promise.race([sent, nextQuestion()]);
    const ask = (params: ElicitRequestParams, signal: AbortSignal): Promise<Answer> =>
      new Promise((resolve, reject) => {
        endExpired();
        if (!shares.take(server)) return resolve({ action: 'cancel' });
        const token = crypto.randomUUID();
        waiting.set(token, { server, since: Date.now(), answer: resolve, next });
        signal.addEventListener('abort', () => {
          take(token);
          unreported.delete(token);
          reject(signal.reason as Error);
        });
        const requests = { [requestKey]: { method: 'elicitation/create', params } as const };
        unreported.set(token, { resultType: 'waiting', token, requests });
        report?.();
      });
    const sent = send({
      elicitForm: (request: ElicitFormRequest, { signal }) => ask({ mode: 'form', ...request }, signal),
      elicitUrl: (request: ElicitUrlRequest, { signal }) => ask({ mode: 'url', ...request }, signal),
    });
    // It may fail while no caller waits for it; the next resume reports it.
    sent.catch(() => {});
    return next();
  }

  return {
    run,
    resume(token, answers) {
      const call = waiting.get(token);
      if (call === undefined) return undefined;
      const answer: unknown = answers[requestKey];
      // A program may have passed an interrupt without its requests.
      if (!isElicited(answer)) throw misfit(`answers.${requestKey} is not an answer to an elicitation.`, 'elicitation');
      take(token);
      const next = call.next();
      call.answer(answer as unknown as Answer);
      return next;
    },
  };
}
