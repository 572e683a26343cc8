/** Puts the questions of one call to the client of a session, one by one or several at once. */
import { RpcError, TenonError } from '../../jsonrpc/errors.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { Fields, Question } from '../../protocol/neutral.ts';
import type { FailedCall, Terms } from '../ports/call-limits.ts';
import type { Suspension } from '../ports/call-outcome.ts';
import type { Caller } from '../ports/caller.ts';
import type { Link } from '../ports/link.ts';
import { tooManyRounds } from './input-required.ts';
import { unanswered } from './request-errors.ts';
import type { Put } from './server-requests.ts';

/** Questions of one call to the client. Those that wait at the same time are one round. */
export function createPut(terms: Terms, link: Link, call: FailedCall, { revision }: Caller): Put {
  let rounds = 0;
  let waiting = 0;
  return async (question, signal, hear) => {
    if (waiting === 0) rounds += 1;
    if (rounds > terms.maxRounds) throw tooManyRounds(terms, call);
    waiting += 1;
    try {
      return await link.put(revision, question, signal, hear);
    } catch (error) {
      throw failedToAsk(error, question);
    } finally {
      waiting -= 1;
    }
  };
}

/** What is no answer at all ends the call, as it does where answers come with the call; a refusal the handler hears. */
function failedToAsk(error: unknown, { method }: Question): Error {
  const code = error instanceof TenonError ? error.code : undefined;
  if (code === 'invalid-result') return rpcError('invalid-params', `The answer to ${method} is malformed`);
  return code === 'invalid-outgoing' ? (error as TenonError) : unanswered(error);
}

/** The answers by key. A question that was not answered has its error for an answer; the handler meets it again there. */
export async function putAll(
  questions: Suspension['questions'],
  put: (question: Question) => Promise<unknown>,
): Promise<Fields> {
  const heard = async (question: Question): Promise<unknown> => {
    try {
      return await put(question);
    } catch (error) {
      if (error instanceof RpcError) throw error;
      return error;
    }
  };
  const answers = Object.entries(questions).map(async ([key, question]) => [key, await heard(question)] as const);
  return Object.fromEntries(await Promise.all(answers));
}
