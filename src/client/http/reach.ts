/** Reaches a server over HTTP: one channel for each connection. */
import { createDeadlines } from '../../jsonrpc/deadlines.ts';
import type { Reach } from '../assembly.ts';
import type { ConnectOptions } from '../options.ts';
import { HttpChannel } from './channel.ts';
import type { HttpPort } from './port.ts';
import { type HttpTarget, readHttpTarget } from './target.ts';

/** `openPort` is asked anew for every connection, so that nothing of the last one is left in it. */
export function httpReach(
  target: string | URL | HttpTarget,
  options: Pick<ConnectOptions, 'limits' | 'deadlines'>,
  openPort: () => HttpPort | Promise<HttpPort>,
): Reach {
  const { url, headers } = readHttpTarget(target);
  const { maxCharacters } = options.limits ?? {};
  return {
    reconnects: true,
    address: url.href,
    async dial(open) {
      const { deadlines = createDeadlines() } = options;
      const port = await openPort();
      return open(
        new HttpChannel({ url, headers, port, deadlines, ...(maxCharacters !== undefined && { maxCharacters }) }),
      );
    },
  };
}
