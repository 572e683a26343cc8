/** Requests of the server to the client of a connection that has a peer, in the form of a revision. */

import type { RequestOptions } from '../../jsonrpc/outbox.ts';
import type { Peer } from '../../jsonrpc/peer.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Deadlines } from '../../lib/time/deadlines.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import { namedError } from '../../protocol/error-names.ts';
import type { InputRequest, Notification, Outcome } from '../../protocol/neutral.ts';
import { Progress, type ProgressUpdate } from '../../protocol/progress.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { TaskRequest } from '../ports/link.ts';
import { requestAsTask } from '../server-requests/request-as-task.ts';
import { TaskHints } from '../server-requests/task-hints.ts';

/** Sends requests to one client. */
export interface ClientPort {
  readonly deadlines: Deadlines;
  readonly hints: TaskHints;
  /** How long the client has to answer. */
  readonly inputMs: number;
  request(method: string, params: unknown, options: RequestOptions): Promise<unknown>;
}

/** Sends requests by a peer. Parts that only some requests need are created on first use. */
export class ClientRequests implements ClientPort {
  readonly deadlines: Deadlines;
  readonly inputMs: number;
  readonly #peer: Peer;
  #progress: Progress | undefined;
  #hints: TaskHints | undefined;

  constructor(peer: Peer, deadlines: Deadlines, inputMs: number) {
    this.#peer = peer;
    this.deadlines = deadlines;
    this.inputMs = inputMs;
  }

  get hints(): TaskHints {
    this.#hints ??= new TaskHints();
    return this.#hints;
  }

  request(method: string, params: unknown, options: RequestOptions): Promise<unknown> {
    return this.#peer.request(method, params, options);
  }

  send(
    revision: Revision,
    request: InputRequest,
    signal: AbortSignal,
    onProgress?: (progress: ProgressUpdate) => void,
    task?: TaskRequest,
  ): Promise<unknown> {
    if (onProgress === undefined) return requestClient(this, revision, request, signal, task);
    return this.#progressReports().during(onProgress, (token) =>
      requestClient(this, revision, withToken(request, token), signal, task),
    );
  }

  progressed(notification: Notification): void {
    this.#progressReports().receive(notification);
  }

  taskChanged(notification: Notification): void {
    this.#hints?.receive(notification);
  }

  #progressReports(): Progress {
    this.#progress ??= new Progress(this.#peer.counts);
    return this.#progress;
  }
}

/** Sends a request in the form of a revision, and resolves with the result in neutral form. */
export function requestClient(
  port: ClientPort,
  revision: Revision,
  request: InputRequest,
  signal: AbortSignal,
  task?: TaskRequest,
): Promise<unknown> {
  const { inputMs } = port;
  if (task !== undefined) return followed(port, revision, request, signal, task);
  const plain = async (one: InputRequest): Promise<Fields> =>
    resultOf(await exchange(port, revision, one, { timeoutMs: inputMs, signal }), one);
  const form = revision.requestForms?.get(request.method);
  return form === undefined ? plain(request) : form(request, plain);
}

/** The result of a task is read as that of its request. */
async function followed(
  port: ClientPort,
  revision: Revision,
  request: InputRequest,
  signal: AbortSignal,
  task: TaskRequest,
): Promise<Fields> {
  const { deadlines, hints, inputMs } = port;
  const send = async (one: InputRequest, timeoutMs: number, cancelledBy?: AbortSignal): Promise<Fields> => {
    const options = { timeoutMs, ...(cancelledBy && { signal: cancelledBy }) };
    const outcome = await exchange(port, revision, one, options, request.method);
    if (outcome.resultType === 'task' && one.method === request.method) return { task: outcome.task };
    return resultOf(outcome, one);
  };
  return requestAsTask({ deadlines, hints, inputMs, send }, request, task, signal);
}

function resultOf(outcome: Outcome, { method }: InputRequest): Fields {
  if (outcome.resultType === 'complete') return outcome.result;
  throw new TenonError('invalid-result', `The client answered ${method} with a task, which was not requested.`);
}

/** `asked` is the method whose result a task has. */
async function exchange(
  port: ClientPort,
  revision: Revision,
  request: InputRequest,
  options: RequestOptions,
  asked = request.method,
): Promise<Outcome> {
  const { method } = request;
  const written = revision.wire.writeRequest(revision, 'server', request);
  if (!written.ok) throw new TenonError('invalid-outgoing-message', (await written.refusal.explain()).text);
  const result = await port.request(method, written.value, options).catch((error) => {
    throw namedError(revision.errorNumbers, error, method);
  });
  const read = revision.wire.readResult(revision, 'server', method === 'tasks/result' ? asked : method, result);
  if (!read.ok) throw new TenonError('invalid-result', (await read.refusal.explain()).text);
  return read.value;
}

export const withToken = ({ method, params = {} }: InputRequest, progressToken: string | number): InputRequest => ({
  method,
  params: { ...params, _meta: { ...(isRecord(params._meta) ? params._meta : {}), progressToken } },
});
