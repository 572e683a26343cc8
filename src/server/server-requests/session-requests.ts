/** Sends the requests of one call to the client of a session, one by one or several at once. */
import { RpcError } from '../../jsonrpc/errors.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { InputRequiredOutcome } from '../../ports/call-outcome.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { InputRequest } from '../../protocol/neutral.ts';
import type { CallLimits, ErrorContext } from '../ports/call-limits.ts';
import type { CallerInfo } from '../ports/caller.ts';
import type { Link, SentRequest, TaskMemory, TaskRequest } from '../ports/link.ts';
import { runsAsTask } from './client-support.ts';
import { tooManyRounds } from './input-required.ts';
import { messageOf } from './protocol-request.ts';
import { unanswered } from './request-errors.ts';
import type { SendRequest } from './run/server-request-ports.ts';

/** How long a client has for a task, unless the handler sets it. */
const taskTtlMs = 60 * 60_000;

/** Sends the requests of one call. Those that wait at the same time are one round. */
export function createSender(limits: CallLimits, link: Link, call: ErrorContext, caller: CallerInfo): SendRequest {
  let rounds = 0;
  let waiting = 0;
  return async (request, signal, onProgress, memory) => {
    if (waiting === 0) rounds += 1;
    if (rounds > limits.maxInputRounds) throw tooManyRounds(limits, call);
    waiting += 1;
    try {
      const task = taskFor(caller, request, memory);
      return await link.sendRequest(caller.revision, messageOf(request), signal, onProgress, task);
    } catch (error) {
      throw requestFailure(error, request);
    } finally {
      waiting -= 1;
    }
  };
}

/** How a request is sent as a task; `undefined` if it is not, or the client runs no such tasks. */
function taskFor(
  caller: CallerInfo,
  { method, task }: SentRequest,
  memory: TaskMemory | undefined,
): TaskRequest | undefined {
  if (task === undefined || task === false || !runsAsTask(caller, method)) return undefined;
  return { ttlMs: task.ttlMs ?? taskTtlMs, canCancel: isRecord(caller.capabilities.tasks?.cancel), memory };
}

/** An invalid answer ends the call, as in an exchange; an error of the client is thrown to the handler. */
function requestFailure(error: unknown, { method }: InputRequest): Error {
  const code = error instanceof TenonError ? error.code : undefined;
  if (code === 'invalid-result') return rpcError('invalid-params', `The answer to ${method} is not valid`);
  return code === 'invalid-outgoing-message' ? (error as TenonError) : unanswered(error);
}

/** The answers by key. For a request that failed it is the error, which is thrown to the handler in the next run. */
export async function sendAll(
  requests: InputRequiredOutcome['inputRequests'],
  send: (request: InputRequest) => Promise<unknown>,
): Promise<Fields> {
  const answered = async (request: InputRequest): Promise<unknown> => {
    try {
      return await send(request);
    } catch (error) {
      if (error instanceof RpcError) throw error;
      return error;
    }
  };
  const answers = Object.entries(requests).map(async ([key, request]) => [key, await answered(request)] as const);
  return Object.fromEntries(await Promise.all(answers));
}
