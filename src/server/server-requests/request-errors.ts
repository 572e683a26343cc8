/** The errors that a handler gets when it asks the client, or stores a step. */
import { TenonError } from '../../jsonrpc/errors.ts';
import { neededCapabilities } from './client-support.ts';
import type { ContextMethod, ProtocolRequest } from './protocol-request.ts';

export const diverged = (key: string): TenonError =>
  new TenonError(
    'replay-diverged',
    `The handler asks something else under the key ${JSON.stringify(key)} than before.`,
    { hint: 'Give every question a key of its own, and ask the same when the handler runs again.' },
  );

export const unsupportedRequest = ({ needs, method }: ProtocolRequest): TenonError =>
  new TenonError('capability-not-supported', `This client cannot be asked by ${method}.`, {
    hint: `Check ctx.clientSupports('${needs}') first.`,
    details: { requiredCapabilities: neededCapabilities(needs) },
  });

export const notJson = (place: string): TenonError =>
  new TenonError('invalid-outgoing-message', `${place} is not JSON, so it cannot be remembered for the next round.`, {
    hint: 'Give strings, finite numbers, booleans, null, lists and plain objects.',
  });

export const misplaced = (key: string, by: ContextMethod): TenonError =>
  new TenonError('invalid-outgoing-message', `The question ${JSON.stringify(key)} is not one for ctx.${by}.`, {
    hint: 'Use ctx.elicit for forms and URLs, ctx.sample for messages to a model, ctx.listRoots for roots.',
  });

export const afterTheCall = (): TenonError =>
  new TenonError('input-required', 'The call is over, so nothing can be asked or remembered for it.', {
    hint: 'Wait for all that the handler begins before it returns, and stop when ctx.signal aborts.',
  });

export const unanswered = (cause: unknown): TenonError =>
  new TenonError('server-request-failed', 'The client did not answer a question.', { cause });
