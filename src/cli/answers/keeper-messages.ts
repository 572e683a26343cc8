/** What a command and the keeper of its call send each other, and errors as JSON and back. */

import { RpcError } from '../../jsonrpc/errors.ts';
import type { ConnectStep } from '../../lib/errors/connect-steps.ts';
import { messageWithoutHint, TenonError, type TenonErrorCode } from '../../lib/errors/tenon-error.ts';
import type { Fields } from '../../lib/values/is.ts';
import type { Question } from '../io/command.ts';
import type { Answer } from './question.ts';

/** What an attached command gets. After any but `output` it is detached. */
export type HeldEvent =
  | { readonly kind: 'output'; readonly text: string }
  | { readonly kind: 'asked'; readonly questions: readonly Question[]; readonly expires: number }
  | { readonly kind: 'done'; readonly result: Fields }
  | { readonly kind: 'failed'; readonly error: SentError };

/** What a command sends to attach: its answers, if it has any. */
export interface AttachMessage {
  readonly answers?: Readonly<Record<string, Answer>>;
}

export type HeldOutcome = Extract<HeldEvent, { kind: 'done' | 'failed' }>;

/** The error of a call as JSON. */
export interface SentError {
  readonly kind: 'tenon' | 'rpc' | 'other';
  readonly code?: string | number;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly data?: unknown;
  /** The name of an error that the server answered. */
  readonly reason?: string;
  /** The method that the server answered with an error. */
  readonly method?: string | undefined;
  /** The step of connecting that failed. */
  readonly step?: ConnectStep | undefined;
}

export function sentError(error: unknown): SentError {
  if (error instanceof TenonError) {
    const { code, hint, details, step } = error;
    return { kind: 'tenon', code, message: messageWithoutHint(error), hint, data: details, step };
  }
  if (error instanceof RpcError) {
    const { code, message, data, reason, method, step } = error;
    return { kind: 'rpc', code, message, data, reason, method, step };
  }
  return { kind: 'other', message: error instanceof Error ? error.message : String(error) };
}

export function receivedError(sent: SentError): Error {
  const { method, step } = sent;
  return Object.assign(madeFrom(sent), method !== undefined && { method }, step !== undefined && { step });
}

function madeFrom({ kind, code, message, hint, data, reason }: SentError): Error {
  if (kind === 'tenon')
    return new TenonError(code as TenonErrorCode, message, {
      ...(hint !== undefined && { hint }),
      details: (data ?? {}) as Fields,
    });
  if (kind === 'rpc')
    return RpcError.answered({ code: Number(code), message, ...(data !== undefined && { data }) }, reason);
  return new Error(message);
}
