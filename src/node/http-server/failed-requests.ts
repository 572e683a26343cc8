/** Handles a request handler that fails: ends its response and reports the error, so that the process continues. */
import type { ServerResponse } from 'node:http';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Handle } from './listener.ts';

export type OnFailure = (response: ServerResponse, cause: unknown) => void;

export const createOnFailure =
  (onWarning: (error: TenonError) => void): OnFailure =>
  (response, cause) => {
    const outcome = endFailed(response);
    onWarning(new TenonError('callback-failed', `The handler of a request failed${outcome}.`, { cause }));
  };

/** Calls `onFailure` for what the handler throws, at once or later. */
export function handleSafely(handle: Handle, onFailure: OnFailure): Handle {
  return (request, response) => {
    try {
      const later = handle(request, response);
      if (later !== undefined) Promise.resolve(later).catch((cause: unknown) => onFailure(response, cause));
    } catch (cause) {
      onFailure(response, cause);
    }
  };
}

/** Ends the response of a failed handler if that is possible, and returns how, for the error message. */
function endFailed(response: ServerResponse): string {
  if (response.writableEnded) return ' after it had responded';
  if (response.destroyed || response.req.socket.destroyed) return ' after its connection had closed';
  try {
    if (!response.headersSent) {
      // Headers that the handler set are wrong for this body, and may be what failed.
      for (const name of response.getHeaderNames()) response.removeHeader(name);
      const text = 'Internal error\n';
      const headers = { 'content-type': 'text/plain', 'content-length': text.length };
      response.writeHead(500, 'Internal Server Error', headers).end(text);
      return '; the client got 500';
    }
  } catch {
    // The handler has left a response that cannot be written.
  }
  response.destroy();
  return '; its connection was closed';
}
