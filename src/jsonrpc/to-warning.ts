/** Errors as `onWarning` gets them: each has a code. */
import { RpcError, TenonError } from './errors.ts';

/** The error itself, or one with a code that has it as its cause. */
export function toWarning(error: unknown): TenonError {
  if (error instanceof TenonError) return error;
  const text = error instanceof Error ? error.message : String(error);
  return error instanceof RpcError
    ? new TenonError('request-failed', `The peer answered with an error: ${text}`, { cause: error })
    : new TenonError('callback-failed', `A handler or callback threw: ${text}`, { cause: error });
}
