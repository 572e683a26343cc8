/** Answers to requests that a handler returned, read by those requests when the call comes again. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { Fields, Question } from '../../protocol/neutral.ts';
import { readAnswer } from './protocol-request.ts';

/** Each is read by its request; what was not asked is left out. */
export async function readReturned(
  requests: Readonly<Record<string, Question>> = {},
  given: Readonly<Fields>,
): Promise<Fields | RpcError> {
  const answers: Fields = {};
  for (const [key, request] of Object.entries(requests)) {
    if (!Object.hasOwn(given, key)) continue;
    const answer = given[key];
    if (answer instanceof Error) return rpcError('internal-error', answer.message, undefined, answer);
    const read = await readAnswer(request, answer);
    if (!read.ok) return malformed(key, read.problem);
    answers[key] = read.value;
  }
  return answers;
}

export const malformed = (key: string, problem: string): RpcError =>
  rpcError('invalid-params', `The answer to ${JSON.stringify(key)} is not valid: ${problem}`);
