/** Ends streams in the store where that takes more than one step: the node that wrote one has died, or the store has failed. */
import type { RequestId } from '../../../../jsonrpc/message.ts';
import type { Revision } from '../../../../protocol/revision.ts';
import type { LastEvents } from '../../../../store/event-store.ts';
import { lostResponses, lostWithEvents, lostWithNode, unanswered } from './stream-note.ts';
import type { StreamPorts, StreamRequests } from './stream-ports.ts';

/** Ends the stream of a dead node with an error for each request that is not answered. */
export async function endLost(
  ports: StreamPorts,
  name: string,
  ids: readonly RequestId[],
  revision: Revision,
  error = lostWithNode,
): Promise<void> {
  const { logs, key, limits } = ports;
  // The response to a single request also ends its stream.
  const found = ids.length > 1 ? await logs.readAfter(key, name, 0) : undefined;
  const left = unanswered(ids, found?.events ?? []);
  await logs.end(key, name, { events: lostResponses(revision, left, error), limits });
}

/**
 * Attempts to store the end of a stream after the store failed, one a second.
 * @limit HTTP
 * @beyond a warning
 * @code store-failed
 */
const maxAttempts = 30;

/** The store failed: without its end, a client that reads the stream at another node would wait for ever. */
export function endLater(ports: StreamPorts, name: string, last: LastEvents | undefined): void {
  const { logs, key } = ports;
  tryLater(ports, name, async () => void (await logs.end(key, name, last)));
}

/**
 * An event of a stream could not be stored: clients that resume it get an error instead of a response, since it would be
 * incomplete. `ended` is called when that is stored.
 */
export function endIncomplete(ports: StreamPorts, name: string, requests: StreamRequests, ended: () => void): void {
  const ids = [requests.ids ?? []].flat();
  tryLater(ports, name, async () => {
    await endLost(ports, name, ids, requests.revision, lostWithEvents);
    ended();
  });
}

function tryLater(ports: StreamPorts, name: string, end: () => Promise<void>, attempts = maxAttempts): void {
  const { later, publish, storeFailed } = ports;
  const run = async (): Promise<void> => {
    await end();
    publish({ kind: 'appended', stream: name });
  };
  const failed = (cause: unknown): void =>
    attempts > 1 ? tryLater(ports, name, end, attempts - 1) : storeFailed(cause);
  later(() => void run().catch(failed));
}
