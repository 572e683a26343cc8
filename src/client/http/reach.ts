/** Reaches a server over HTTP: one channel for each connection. */
import { createDeadlines } from '../../jsonrpc/deadlines.ts';
import { TenonError } from '../../jsonrpc/errors.ts';
import type { Reach } from '../assembly.ts';
import type { ConnectOptions } from '../options.ts';
import { HttpChannel } from './channel.ts';
import { silence, silenceHint } from './failures.ts';
import { addressOf, type HttpPort } from './port.ts';
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
    awaited: () => {
      const { origin, path } = addressOf(url);
      return { text: `${origin}${path} has not answered yet.`, hint: silenceHint };
    },
    async dial(open) {
      const { deadlines = createDeadlines() } = options;
      const port = await openPort();
      const bounds = maxCharacters === undefined ? {} : { maxCharacters };
      return open(new HttpChannel({ url, headers, port, deadlines, ...bounds })).catch((error) => {
        throw error instanceof TenonError && error.code === 'timeout' ? silence(addressOf(url), error) : error;
      });
    },
  };
}
