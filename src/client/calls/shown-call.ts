/** Names the tool, prompt or resource of a call in errors. */
import { TenonError, unhinted } from '../../jsonrpc/errors.ts';
import type { Fields } from '../../protocol/neutral.ts';
import { shownAddress } from '../../protocol/shown-address.ts';

const maxShown = 200;

/** The method, with the name or the URI that it is called with: `tools/call "weather"`. */
export function shownCall(method: string, params: Fields | undefined): string {
  const { name, uri } = params ?? {};
  const target = typeof name === 'string' ? name : typeof uri === 'string' ? shownAddress(uri) : undefined;
  return target === undefined ? method : `${method} ${JSON.stringify(target.slice(0, maxShown))}`;
}

/** The same error; one that a call timed out or was cancelled also names its target. */
export function namingCall(error: unknown, method: string, params: Fields | undefined): unknown {
  if (!(error instanceof TenonError) || (error.code !== 'timeout' && error.code !== 'cancelled')) return error;
  const shown = shownCall(method, params);
  if (shown === method || !error.message.startsWith(`${method} `)) return error;
  const { code, details, hint, cause } = error;
  return new TenonError(code, `${shown}${unhinted(error).slice(method.length)}`, {
    details,
    ...(hint !== undefined && { hint }),
    ...(cause !== undefined && { cause }),
  });
}
