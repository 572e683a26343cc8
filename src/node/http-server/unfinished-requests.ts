/** Closes the connection of a client that goes on sending a request after it was answered, such as a body that is too large. */
import type { ServerResponse } from 'node:http';

/**
 * How long the rest of a request that is answered may take to arrive. Closing at once would lose the answer.
 * @limit HTTP
 * @beyond it is disconnected
 */
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
