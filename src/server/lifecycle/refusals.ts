/** What becomes of a refusal: an answer to the request that broke the protocol, or a report of what could not be sent. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { Refusal } from '../../protocol/neutral.ts';

/** Answers a refused request with the place that is wrong, or without it where finding it fails. */
export function answerRefusal({ reason, message, data, explain }: Refusal, answer: (error: RpcError) => void): void {
  void explain().then(
    (text) => answer(rpcError(reason, text, data)),
    () => answer(rpcError(reason, message, data)),
  );
}

/** Reports what could not be sent with the place that is wrong, or with the cause where finding it fails. */
export function reportUnsent({ message, explain }: Refusal, report: (text: string, cause?: unknown) => void): void {
  void explain().then(
    (text) => report(text),
    (cause: unknown) => report(message, cause),
  );
}
