/** Pings the client of a connection at an interval, so that one that has stopped answering is noticed. */
import type { RequestOptions } from '../../jsonrpc/outbox.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';

/** A connection, as pings need it. */
interface Pinged {
  ping(options: RequestOptions): Promise<void>;
}

/** Calls `onSilent` for a client that leaves a ping unanswered. Returns a function that stops the pings. */
export function pingRegularly(
  connection: Pinged,
  everyMs: number | undefined,
  onSilent: (reason: TenonError) => void,
): () => void {
  if (everyMs === undefined) return () => {};
  let isWaiting = false;
  const timer = setInterval(() => {
    if (isWaiting) return;
    isWaiting = true;
    connection
      .ping({ timeoutMs: everyMs })
      // There is no session yet, or the protocol version has no ping.
      .catch((error: unknown) => {
        if (error instanceof TenonError && error.code === 'timeout') onSilent(silent(everyMs, error));
      })
      .finally(() => {
        isWaiting = false;
      });
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

const silent = (everyMs: number, cause: TenonError): TenonError =>
  new TenonError('timeout', `The client did not answer a ping within ${everyMs} ms.`, {
    hint: 'Raise "timeouts.pingIntervalMs" if the client is busy for longer.',
    cause,
  });
