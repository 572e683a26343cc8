/** Streams that carry a connection: two on one stream would tear each other's lines apart. */
import { TenonError } from '../../jsonrpc/errors.ts';
import { processWide } from '../process/process-wide.ts';

const claimed = (): WeakSet<object> => processWide('taken streams', () => new WeakSet());

/** Takes streams, until they are given back. Throws `already-open` where one of them is in use. */
export function claimStreams(...streams: readonly object[]): () => void {
  if (streams.some((stream) => claimed().has(stream))) {
    throw new TenonError('already-open', 'serveStdio(): these streams serve another connection already.', {
      hint: 'Call it once in a process; serve a second server on other streams, or mount it in the first.',
    });
  }
  for (const stream of streams) claimed().add(stream);
  return () => {
    for (const stream of streams) claimed().delete(stream);
  };
}
