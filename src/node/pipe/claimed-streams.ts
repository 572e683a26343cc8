/** Streams that are in use by a connection: two connections on one stream would mix their lines. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { processWide } from '../process/process-wide.ts';

const claimed = (): WeakSet<object> => processWide('claimed streams', () => new WeakSet());

/** Claims streams, and returns a function that releases them. Throws `already-open` if one of them is in use. */
export function claimStreams(...streams: readonly object[]): () => void {
  if (streams.some((stream) => claimed().has(stream))) {
    throw new TenonError('already-open', 'serveStdio(): these streams already serve another connection.', {
      hint: 'Call serveStdio() once per process. Serve a second server on other streams, or mount it in the first.',
    });
  }
  for (const stream of streams) claimed().add(stream);
  return () => {
    for (const stream of streams) claimed().delete(stream);
  };
}
