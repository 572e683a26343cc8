/** Ends streams in the store where that takes more than one step: the node that wrote one has died, or the store has failed. */
import type { Revision } from '../../../../protocol/revision.ts';
import type { LastEvents } from '../../../../store/events/event-store.ts';
import { lostResponses, type StreamNote, unanswered } from './stream-note.ts';
import type { StreamPorts } from './stream-ports.ts';

/** Ends the stream of a dead node with an error for each request that is not answered. */
export async function endLost(ports: StreamPorts, name: string, note: StreamNote, revision: Revision): Promise<void> {
  const { logs, key, sinks } = ports;
  // The response to a single request also ends its stream.
  const found = note.ids.length > 1 ? await logs.readAfter(key, name, 0) : undefined;
  const ids = unanswered(note, found?.events ?? []);
  await logs.end(key, name, { events: lostResponses(revision, ids), limits: sinks });
}

/** How often the end of a stream is tried again. */
const maxAttempts = 30;

/** The store failed: without its end, a client that reads the stream at another node would wait for ever. */
export function endLater(ports: StreamPorts, name: string, last: LastEvents | undefined, attempts = maxAttempts): void {
  const { logs, key, later, publish, storeFailed } = ports;
  const end = async (): Promise<void> => {
    await logs.end(key, name, last);
    publish({ kind: 'appended', stream: name });
  };
  const failed = (cause: unknown): void =>
    attempts > 1 ? endLater(ports, name, last, attempts - 1) : storeFailed(cause);
  later(() => void end().catch(failed));
}
