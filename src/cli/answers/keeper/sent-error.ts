/** Errors of a call that another process holds, as JSON and back. */

import { RpcError } from '../../../jsonrpc/errors.ts';
import type { ConnectStep } from '../../../lib/errors/connect-steps.ts';
import { messageWithoutHint, TenonError, type TenonErrorCode } from '../../../lib/errors/tenon-error.ts';
import type { Fields } from '../../../lib/values/is.ts';

export interface SentError {
  readonly kind: 'tenon' | 'rpc' | 'other';
  readonly code?: string | number;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly data?: unknown;
  /** The step of connecting that failed. */
  readonly step?: ConnectStep | undefined;
}

export function sentError(error: unknown): SentError {
  if (error instanceof TenonError) {
    const { code, hint, details, step } = error;
    return { kind: 'tenon', code, message: messageWithoutHint(error), hint, data: details, step };
  }
  if (error instanceof RpcError) {
    const { code, message, data, step } = error;
    return { kind: 'rpc', code, message, data, step };
  }
  return { kind: 'other', message: error instanceof Error ? error.message : String(error) };
}

export function receivedError(sent: SentError): Error {
  const error = madeFrom(sent);
  return sent.step === undefined ? error : Object.assign(error, { step: sent.step });
}

function madeFrom({ kind, code, message, hint, data }: SentError): Error {
  if (kind === 'tenon')
    return new TenonError(code as TenonErrorCode, message, {
      ...(hint !== undefined && { hint }),
      details: (data ?? {}) as Fields,
    });
  if (kind === 'rpc') return RpcError.answered({ code: Number(code), message, ...(data !== undefined && { data }) });
  return new Error(message);
}
