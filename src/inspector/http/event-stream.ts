/** Sends the events of the inspector to a page, as `text/event-stream`. */
import type { ServerResponse } from 'node:http';
import type { EventLog } from '../event-log.ts';
import { safeHeaders } from './page-policy.ts';

/** A page that does not read is disconnected; it resumes by its last `seq`. */
const maxWaitingBytes = 32 * 1024 * 1024;
/** So that a connection that was lost is noticed. */
const commentMs = 15_000;

/** `onEnd` is called once, when the page has disconnected. */
export function streamEvents(response: ServerResponse, log: EventLog, after: number, onEnd: () => void): void {
  response.writeHead(200, { ...safeHeaders, 'content-type': 'text/event-stream' });
  // The page knows at once that it is connected.
  response.write(': connected\n\n');
  const comments = setInterval(() => response.write(': open\n\n'), commentMs);
  comments.unref();
  const stop = log.listen(after, (event) => {
    response.write(`id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`);
    if (response.writableLength > maxWaitingBytes) response.destroy();
  });
  response.on('close', () => {
    clearInterval(comments);
    stop();
    onEnd();
  });
}
