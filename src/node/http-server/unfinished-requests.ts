/** Closes the connection of a client that goes on sending a request after it was answered, such as a body that is too large. */
import type { ServerResponse } from 'node:http';

/** The rest of a request is discarded for this long: closing at once would lose the answer. */
const discardMs = 1000;

/** To be called with a response that may be sent before its request has arrived. HTTP/2 limits such a request by itself. */
export function closeIfUnfinished(response: ServerResponse): void {
  const { req } = response;
  if (req.httpVersionMajor > 1) return;
  response.once('finish', () => {
    if (req.complete) return;
    const close = (): void => {
      if (!req.complete) req.socket.destroy();
    };
    setTimeout(close, discardMs).unref();
  });
}
