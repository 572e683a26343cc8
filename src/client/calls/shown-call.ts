/** Names the tool, prompt or resource of a call in errors. */
import { messageWithoutHint, TenonError } from '../../lib/errors/tenon-error.ts';
import { shownAddress } from '../../lib/text/shown-address.ts';
import type { Fields } from '../../lib/values/is.ts';

const maxShown = 200;

/** The method, with the name or the URI that it is called with: `tools/call "weather"`. */
export function shownCall(method: string, params: Fields | undefined): string {
  const { name, uri } = params ?? {};
  const target = typeof name === 'string' ? name : typeof uri === 'string' ? shownAddress(uri) : undefined;
  return target === undefined ? method : `${method} ${JSON.stringify(target.slice(0, maxShown))}`;
}

/** The error of a call that had no connection in time, or was cancelled before: it names the call. */
export function notSent(error: unknown, method: string, params: Fields | undefined): unknown {
  if (!(error instanceof TenonError) || (error.code !== 'timeout' && error.code !== 'cancelled')) return error;
  const why = messageWithoutHint(error);
  return withMessage(error, `${shownCall(method, params)} was not sent: ${why.charAt(0).toLowerCase()}${why.slice(1)}`);
}

/** The same error; one that a call timed out or was cancelled also names its target. */
export function namingCall(error: unknown, method: string, params: Fields | undefined): unknown {
  if (!(error instanceof TenonError) || (error.code !== 'timeout' && error.code !== 'cancelled')) return error;
  const shown = shownCall(method, params);
  if (shown === method || !error.message.startsWith(`${method} `)) return error;
  return withMessage(error, `${shown}${messageWithoutHint(error).slice(method.length)}`);
}

const withMessage = ({ code, details, hint, cause }: TenonError, message: string): TenonError =>
  new TenonError(code, message, {
    details,
    ...(hint !== undefined && { hint }),
    ...(cause !== undefined && { cause }),
  });
