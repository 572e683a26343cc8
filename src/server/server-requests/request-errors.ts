/** The errors that a handler gets when it sends a request to the client, or stores a step. */
import { type RpcError } from '../../jsonrpc/errors.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { rpcError } from '../../protocol/errors.ts';
import { neededCapabilities } from './client-support.ts';
import type { ContextMethod, ProtocolRequest } from './protocol-request.ts';

export const diverged = (key: string): TenonError =>
  new TenonError('replay-diverged', `The handler used the key ${JSON.stringify(key)} for two different requests.`, {
    hint: 'Give each request its own key, and send the same request when the handler runs again.',
  });

/** The error for a key that earlier runs used for something else. */
export const changedUse = (key: string, before: string, now: string): TenonError =>
  new TenonError(
    'replay-diverged',
    `The key ${JSON.stringify(key)} is used for a ${now}; an earlier run used it for a ${before}.`,
    { hint: 'Give each request, step and sleep its own key. For a changed handler of a task, set task.version.' },
  );

/** The error for the client of a task whose handler has changed, or whose journal is full. */
export const failureOf = (error: TenonError): RpcError =>
  rpcError('internal-error', `${error.code}: ${error.message}`, { reason: error.code }, error);

export const unsupportedRequest = ({ needs, method }: ProtocolRequest): TenonError =>
  new TenonError('capability-not-supported', `The client does not support ${method} (${needs}).`, {
    hint: `Check ctx.clientSupports('${needs}') first.`,
    details: { requiredCapabilities: neededCapabilities(needs) },
  });

export const notJson = (place: string): TenonError =>
  new TenonError('invalid-outgoing-message', `${place} is not JSON, so it cannot be stored for the next round.`, {
    hint: 'Use strings, finite numbers, booleans, null, arrays and plain objects.',
  });

export const misplaced = (key: string, by: ContextMethod): TenonError =>
  new TenonError(
    'invalid-outgoing-message',
    `The request ${JSON.stringify(key)} cannot be sent with ctx.${by === 'roots' ? 'listRoots' : by}().`,
    {
      hint: 'Use ctx.elicit() for forms and URLs, ctx.sample() for messages to a model, ctx.listRoots() for roots.',
    },
  );

export const keyMissing = (by: string): TenonError =>
  new TenonError('invalid-argument', `The first argument of ctx.${by}() must be a key, a text.`, {
    hint: `Write ctx.${by}('a-name', …), with its own key for each request and step of the handler.`,
    details: { place: 'key' },
  });

export const afterTheCall = (): TenonError =>
  new TenonError('input-required', 'The call has finished, so it can request no input and store no step.', {
    hint: 'Await everything that the handler starts before it returns, and stop when ctx.signal aborts.',
  });

export const unanswered = (cause: unknown): TenonError =>
  new TenonError(
    'server-request-failed',
    'A request of the server got no result: the client rejected it or did not answer.',
    {
      cause,
    },
  );
