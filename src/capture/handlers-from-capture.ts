/** Handlers of a client that answer the server as the recorded client did. */
import type { ClientHandlers, ElicitFormResult } from '../client/answers/handlers.ts';
import type { Fields } from '../lib/values/is.ts';
import { isRecord } from '../lib/values/is.ts';
import { rpcError } from '../protocol/errors.ts';
import type { RecordedAnswer, RecordedCall } from './replay/calls-in-capture.ts';

/**
 * Returns handlers that answer requests of the server as recorded, in order; pass them to `connect` for `repeatCalls`. The
 * client declares the recorded capabilities. A request that was not recorded is declined.
 */
export function handlersFromCapture(calls: readonly RecordedCall[]): ClientHandlers {
  const capabilities = calls.find(({ clientCapabilities }) => clientCapabilities)?.clientCapabilities ?? {};
  const answers = calls.flatMap((call) => call.answers ?? []);
  const unused = new Set(answers);

  /** The answer to the same message first; several calls may run in another order. */
  function take(method: string, params: Fields): Fields | undefined {
    const left = [...unused].filter((one) => one.method === method);
    const found =
      left.find((one) => isSameRequest(one, params)) ?? left[0] ?? answers.findLast((one) => one.method === method);
    if (found !== undefined) unused.delete(found);
    return found?.result;
  }

  const elicit = (params: object): ElicitFormResult =>
    (take('elicitation/create', params as Fields) as ElicitFormResult | undefined) ?? { action: 'decline' };
  const { elicitation, sampling, roots } = capabilities;
  const hasForms = isRecord(elicitation) && ('form' in elicitation || !('url' in elicitation));
  return {
    tasks: false,
    ...(hasForms && { elicitForm: elicit }),
    ...(isRecord(elicitation) && 'url' in elicitation && { elicitUrl: elicit as ClientHandlers['elicitUrl'] & object }),
    ...(isRecord(sampling) && {
      sample(params) {
        const result = take('sampling/createMessage', params as unknown as Fields);
        if (result === undefined) throw rpcError('user-rejected', 'The capture has no answer to this request');
        return result as never;
      },
    }),
    ...(isRecord(roots) && { roots: () => (take('roots/list', {})?.roots ?? []) as never }),
  };
}

const isSameRequest = ({ params }: RecordedAnswer, { message, messages }: Fields): boolean =>
  JSON.stringify(params.message ?? params.messages) === JSON.stringify(message ?? messages);
