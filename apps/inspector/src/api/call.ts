/** Calls of the backend: `POST /api/NAME` with the key of this tab. */
import type { ApiAnswer, ApiCallName, ApiCalls, ApiError } from '../../../../src/inspector/api.ts';
import { tabKey } from './key.ts';

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
  const response = await post(name, request);
  const answer = await readAnswer<ApiCalls[Name]['result']>(response);
  if (!answer.ok) throw new CallFailure(answer.error);
  return answer.result;
}

/** Sends a request with the key of this tab. */
export async function post(name: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const key = tabKey();
  const headers = { 'content-type': 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) };
  try {
    const init: RequestInit = { method: 'POST', headers, body: JSON.stringify(body), ...(signal && { signal }) };
    return await fetch(`/api/${name}`, init);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new CallFailure({
      code: 'backend-unreachable',
      message: 'The inspector does not answer.',
      hint: 'Check whether its process still runs. This page connects again by itself.',
    });
  }
}

async function readAnswer<Result>(response: Response): Promise<ApiAnswer<Result>> {
  try {
    return (await response.json()) as ApiAnswer<Result>;
  } catch {
    const message = `The inspector answered with status ${response.status} and no JSON.`;
    return { ok: false, error: { code: 'invalid-answer', message } };
  }
}

/** What to show of anything that was thrown. */
export function errorOf(thrown: unknown): ApiError {
  if (thrown instanceof CallFailure) return thrown.error;
  return { code: 'page-error', message: thrown instanceof Error ? thrown.message : String(thrown) };
}
