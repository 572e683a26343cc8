/** Validates the answers to requests that a handler returned, when the call continues. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import type { Fields } from '../../lib/values/is.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { InputRequest } from '../../protocol/neutral.ts';
import { readWhole } from './protocol-form.ts';
import { readAnswer } from './protocol-request.ts';

/**
 * Each answer is validated by its request; answers without a request are left out. A request in the form of the protocol
 * (`isForwarded`) gets its answer as it is: also the error of a client that refuses it.
 */
export async function readReturned(
  requests: Readonly<Record<string, InputRequest>> = {},
  responses: Readonly<Fields>,
  isForwarded = false,
): Promise<Fields | RpcError> {
  const answers: Fields = {};
  for (const [key, request] of Object.entries(requests)) {
    if (!Object.hasOwn(responses, key)) continue;
    const answer = responses[key];
    if (answer instanceof Error) {
      if (!isForwarded) return rpcError('internal-error', answer.message, undefined, answer);
      answers[key] = answer;
      continue;
    }
    const read = isForwarded ? readWhole(request.method, answer) : await readAnswer(request, answer);
    if (!read.ok) return malformed(key, read.problem);
    answers[key] = read.value;
  }
  return answers;
}

export const malformed = (key: string, problem: string): RpcError =>
  rpcError('invalid-params', `The answer to ${JSON.stringify(key)} is not valid: ${problem}`);
