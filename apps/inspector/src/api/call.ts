/** Calls of the backend, and what to show of one that failed. */
import type { ApiCallName, ApiCalls, ApiError } from '../../../../src/inspector/api.ts';
import { port } from './port.ts';

/** A call that failed. `error` is what to show. */
export class CallFailure extends Error {
  readonly error: ApiError;

  constructor(error: ApiError) {
    super(error.message);
    this.name = 'CallFailure';
    this.error = error;
  }
}

/** Whether the key is not valid any more: the process was restarted. */
export const isLocked = (error: ApiError): boolean => error.code === 'wrong-key' || error.code === 'wrong-token';

export async function call<Name extends ApiCallName>(
  name: Name,
  request: ApiCalls[Name]['request'],
): Promise<ApiCalls[Name]['result']> {
  const answer = await port().send(name, request);
  if (!answer.ok) throw new CallFailure(answer.error);
  return answer.result as ApiCalls[Name]['result'];
}

/** What to show of anything that was thrown. */
export function errorOf(thrown: unknown): ApiError {
  if (thrown instanceof CallFailure) return thrown.error;
  return { code: 'page-error', message: thrown instanceof Error ? thrown.message : String(thrown) };
}
