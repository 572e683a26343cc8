/** Errors as the page gets them. */
import { RpcError } from '../jsonrpc/errors.ts';
import { messageWithoutHint, TenonError } from '../lib/errors/tenon-error.ts';
import type { ApiError, ApiErrorCode } from './api/errors.ts';
import { pageHint } from './page-hints.ts';
import { beginningOf, maxLineChars } from './stored-text.ts';

/** An error that only the inspector has, with the status of its response. */
export class InspectorError extends Error {
  readonly code: ApiErrorCode;
  readonly hint: string | undefined;

  constructor(code: ApiErrorCode, message: string, hint?: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }

  get status(): number {
    return statuses[this.code];
  }
}

const statuses: Readonly<Record<ApiErrorCode, number>> = {
  'wrong-token': 401,
  'wrong-key': 401,
  'wrong-origin': 403,
  'unknown-call': 404,
  'invalid-request': 400,
  'body-too-large': 413,
  'not-found': 404,
  'confirmation-needed': 409,
  'too-many': 409,
  'not-connected': 409,
};

/** Details may be large, such as a whole result: a page shows only small ones. */
const maxDetailsChars = 20_000;

/** The message may come from a server, and is stored with the run. */
export function apiError(error: unknown): ApiError {
  const shown = shownError(error);
  return { ...shown, message: beginningOf(shown.message, maxLineChars) };
}

function shownError(error: unknown): ApiError {
  if (error instanceof InspectorError) {
    const { code, message, hint } = error;
    return { code, message, ...(hint !== undefined && { hint }) };
  }
  const step = stepOf(error);
  if (error instanceof RpcError) {
    const { code, data, message, reason } = error;
    return { code: reason === 'unknown' ? 'rpc-error' : reason, message, ...step, rpc: { code, ...small({ data }) } };
  }
  if (!(error instanceof TenonError)) return { code: 'failed', message: String((error as Error)?.message ?? error) };
  const { code, details } = error;
  const shown = { ...step, ...small({ details }) };
  if (code === 'authorization-failed' && offersNoSignIn(details)) return { code, ...noSignIn, ...shown };
  const hint = pageHint(code, error.hint);
  return { code, message: messageWithoutHint(error), ...(hint !== undefined && { hint }), ...shown };
}

const noSignIn = {
  message: 'The server requires authentication (401), and offers no sign-in.',
  hint: 'Add the header that it expects, such as Authorization or X-API-Key.',
};

/** Whether all that was found of an authorization server is nothing. */
function offersNoSignIn({ steps }: TenonError['details']): boolean {
  const found = (Array.isArray(steps) ? steps : []).filter(({ step }) => String(step).endsWith('-metadata'));
  return found.length > 0 && found.every(({ status }) => status !== 200);
}

/** Errors of connecting name the step that failed. */
function stepOf(error: unknown): { readonly step?: string } {
  const { step } = error as { readonly step?: unknown };
  return typeof step === 'string' ? { step } : {};
}

/** Without values that cannot be sent, or are too large. */
function small(given: Readonly<Record<string, unknown>>): object {
  try {
    const text = JSON.stringify(given);
    return text.length > maxDetailsChars ? {} : (JSON.parse(text) as object);
  } catch {
    return {};
  }
}
