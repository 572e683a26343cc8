/** The link of a connection that has a peer: results, notifications and requests, written in the form of a revision. */

import type { Deadlines } from '../../jsonrpc/deadlines.ts';
import { RpcError, TenonError } from '../../jsonrpc/errors.ts';
import type { RequestMessage } from '../../jsonrpc/message.ts';
import type { RequestOptions } from '../../jsonrpc/outbox.ts';
import type { Peer } from '../../jsonrpc/peer.ts';
import { namedError } from '../../protocol/error-names.ts';
import { isRecord } from '../../protocol/model/primitives.ts';
import type { Fields, InputRequest, Outcome, Refusal } from '../../protocol/neutral.ts';
import { Progress } from '../../protocol/progress.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { Serving } from '../kernel/serving.ts';
import { reportUnsent } from '../lifecycle/refusals.ts';
import type { ErrorContext } from '../ports/call-limits.ts';
import type { CallsInFlight } from '../ports/calls-in-flight.ts';
import type { Link, TaskRequest } from '../ports/link.ts';
import { createPrincipal, type Principal, type PrincipalDetails } from '../ports/principal.ts';
import type { NetworkTransport } from '../ports/request-details.ts';
import { failedRequest } from '../ports/target.ts';
import { requestAsTask } from '../server-requests/client-tasks/request-as-task.ts';
import { TaskHints } from '../server-requests/client-tasks/task-hints.ts';
import type { ConnectionWarnings } from './connection-warnings.ts';

export interface LinkOptions {
  readonly principal?: string | PrincipalDetails;
  /** Who has sent the message that is received now, where the messages of a connection come in requests of their own. */
  readonly currentPrincipal?: () => Principal | undefined;
  /** The address of its sender. */
  readonly currentAddress?: () => string | undefined;
  readonly transport?: NetworkTransport;
  readonly timeouts?: { readonly inputMs?: number };
}

export function createLink(
  peer: Peer,
  calls: CallsInFlight,
  { registry, deadlines }: Serving,
  { principal, currentPrincipal, currentAddress, transport, timeouts: { inputMs = 10 * 60_000 } = {} }: LinkOptions,
  warnings: ConnectionWarnings,
): Link {
  const unsent = (refusal: Refusal, call: ErrorContext): void =>
    reportUnsent(refusal, (text, cause) =>
      warnings.report(new TenonError('invalid-outgoing-message', text, cause === undefined ? {} : { cause }), call),
    );
  const refuse = (id: RequestMessage['id'], revision: Revision, error: RpcError): void =>
    peer.refuse(id, revision.wire.writeError(revision, error));
  /** Sends an outcome, or returns why it cannot be written. */
  function send({ id, method }: RequestMessage, revision: Revision, outcome: Outcome | RpcError): Refusal | undefined {
    if (outcome instanceof RpcError) {
      refuse(id, revision, outcome);
      return undefined;
    }
    try {
      const written = revision.wire.writeResult(revision, 'client', method, outcome, registry().info);
      if (!written.ok) {
        refuse(id, revision, RpcError.from(undefined));
        return written.refusal;
      }
      peer.answer(id, written.value);
    } catch (cause) {
      // Getters and proxies in a result can throw.
      refuse(id, revision, RpcError.from(undefined));
      warnings.report(new TenonError('invalid-outgoing-message', `The result of ${method} is not JSON.`, { cause }));
    }
    return undefined;
  }
  // Created for the first request with `onProgress`: most connections never have one.
  let progress: Progress | undefined;
  // Created for the first request that runs as a task.
  let hints: TaskHints | undefined;
  const port: ClientPort = {
    deadlines,
    inputMs,
    get hints() {
      hints ??= new TaskHints();
      return hints;
    },
    send: (...given) => peer.request(...given),
  };
  const connected = principal === undefined ? undefined : createPrincipal(principal);
  return {
    get principal() {
      return currentPrincipal === undefined ? connected : currentPrincipal();
    },
    get address() {
      return currentAddress?.();
    },
    get listener() {
      return { principal: this.principal, address: this.address };
    },
    transport,
    settle(message, revision, outcome) {
      warnings.answering = message;
      const refusal = send(message, revision, outcome);
      warnings.answering = undefined;
      if (refusal !== undefined) unsent(refusal, failedRequest(message));
    },
    notify(revision, notification) {
      const written = revision.wire.writeNotification(revision, 'server', notification);
      if (!written.ok) return unsent(written.refusal, failedRequest(notification));
      try {
        peer.notify(notification.method, written.value);
      } catch (error) {
        warnings.report(error as Error, failedRequest(notification));
      }
    },
    sendRequest(revision, request, signal, onProgress, task) {
      const sendOne = (one: InputRequest): Promise<unknown> => requestClient(port, revision, one, signal, task);
      if (onProgress === undefined) return sendOne(request);
      progress ??= new Progress(peer.counts);
      return progress.during(onProgress, (token) => sendOne(withToken(request, token)));
    },
    taskChanged: (notification) => hints?.receive(notification),
    progressed(notification) {
      progress ??= new Progress(peer.counts);
      progress.receive(notification);
    },
    begin: (id, call) => calls.begin(id, call),
    end: (id, call) => calls.end(id, call),
  };
}

/** What sends requests to one client. */
export interface ClientPort {
  readonly deadlines: Deadlines;
  readonly hints: TaskHints;
  /** How long the client has to answer. */
  readonly inputMs: number;
  send(method: string, params: unknown, options: RequestOptions): Promise<unknown>;
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
  const plain = (one: InputRequest): Promise<Fields> =>
    exchange(port, revision, one, { timeoutMs: inputMs, signal }).then((outcome) => resultOf(outcome, one));
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
  { send }: ClientPort,
  revision: Revision,
  request: InputRequest,
  options: RequestOptions,
  asked = request.method,
): Promise<Outcome> {
  const { method } = request;
  const written = revision.wire.writeRequest(revision, 'server', request);
  if (!written.ok) throw new TenonError('invalid-outgoing-message', (await written.refusal.explain()).text);
  const result = await send(method, written.value, options).catch((error) => {
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
