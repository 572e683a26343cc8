/** The commands whose calls a keeper can hold. */
import type { ClientHandlers, HandlerContext } from '../../client/answers/handlers.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Fields } from '../../lib/values/is.ts';
import { rpcError } from '../../protocol/errors.ts';
import { answerMs } from '../answers/pending-calls.ts';
import { type Answer, signInMethod } from '../answers/question.ts';

import { perform, typedRequests } from '../answers/typed-request.ts';
import type { Question } from '../io/command.ts';
import type { Given } from '../io/given.ts';
import { withClient } from '../target/open-client.ts';
import type { SignInPage } from '../target/pending-sign-in.ts';

/** Runs a command whose server may ask: `ask` resolves with the answer of a user. */
export type HeldWork = (
  given: Given,
  ask: (request: Omit<Question, 'key'>, signal: AbortSignal) => Promise<Answer>,
) => Promise<Fields>;

const request =
  (name: string): HeldWork =>
  (given, ask) =>
    withClient(
      given,
      async (client) => {
        const typed = await typedRequests[name]?.(client, given);
        return typed === undefined ? {} : perform(client, typed, { signal: given.io.signal });
      },
      { handlers: askingHandlers(ask), timeouts: { inputMs: answerMs } },
    );

/** The browser answers: the question stays open until the user has signed in or refuses. */
const login: HeldWork = async (given, ask) => {
  const { signIn } = await import('../answers/sign-in.ts');
  const stop = new AbortController();
  const signal = AbortSignal.any([given.io.signal, stop.signal]);
  const onPage = (page: SignInPage): void => {
    ask({ method: signInMethod, params: { ...page } }, signal).then(
      () => stop.abort(new TenonError('cancelled', 'The sign-in was cancelled.')),
      () => {},
    );
  };
  return signIn({ ...given, io: { ...given.io, signal } }, false, onPage).catch((error: unknown) => {
    throw stop.signal.aborted ? stop.signal.reason : error;
  });
};

export const heldCommands: Readonly<Record<string, HeldWork>> = {
  call: request('call'),
  read: request('read'),
  get: request('get'),
  tasks: request('tasks'),
  login,
};

/** The handlers of a client whose user answers by `tenon answer`. */
function askingHandlers(ask: Parameters<HeldWork>[1]): ClientHandlers {
  const answered = async (method: string, request: object, { signal }: HandlerContext): Promise<Fields> => {
    const answer = await ask({ method, params: { ...request } }, signal);
    if ('result' in answer) return answer.result;
    throw rpcError('user-rejected', answer.refusal);
  };
  const elicit = (request: object, context: HandlerContext): Promise<never> =>
    answered('elicitation/create', request, context) as Promise<never>;
  return {
    elicitForm: elicit,
    elicitUrl: elicit,
    sample: (request, context) => answered('sampling/createMessage', request, context) as Promise<never>,
    samplingTools: true,
  };
}
