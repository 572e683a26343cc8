/** How refusals are handled: an invalid request is answered, a message that cannot be sent is reported. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { Refusal } from '../../protocol/neutral.ts';

/** Answers an invalid request, with the place of the problem if it can be found. */
export function answerRefusal({ reason, message, data, explain }: Refusal, answer: (error: RpcError) => void): void {
  void explain().then(
    (explained) => answer(rpcError(reason, explained.text, explained.data ?? data)),
    () => answer(rpcError(reason, message, data)),
  );
}

/** Reports a message that cannot be sent, with the place of the problem, or the cause if it cannot be found. */
export function reportUnsent({ message, explain }: Refusal, report: (text: string, cause?: unknown) => void): void {
  void explain().then(
    ({ text }) => report(text),
    (cause: unknown) => report(message, cause),
  );
}
