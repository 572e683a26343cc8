/** Serves a replayed capture over HTTP on a port of this machine. */
import type { ReplayServer } from '../capture/replay/replay-server.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { readOptions } from '../lib/options/read-options.ts';
import { serveReplayOptions } from './capture-options.table.ts';
import type { ServeReplayOptions } from './capture-options.ts';
import { listenFetch } from './listen-fetch.ts';

/** A replayed capture that listens on a port. */
export interface ReplayService {
  /** The URL of the endpoint. HTTP+SSE is at `/sse` beside it. */
  readonly url: string;
  /** The port it listens on. */
  readonly port: number;
  /** Cuts all connections, and frees the port. */
  close(): Promise<void>;
}

/**
 * Serves a replayed capture over HTTP, under every protocol version, to this machine only. Rejects with `listen-failed` if
 * the port is taken.
 *
 * ```ts
 * const service = await serveReplay(replayServer(readCapture(text)), { port: 3000 });
 * console.log(service.url); // http://127.0.0.1:3000/mcp
 * ```
 */
export async function serveReplay(server: ReplayServer, options: ServeReplayOptions = {}): Promise<ReplayService> {
  const settings = readOptions('serveReplay()', serveReplayOptions, options);
  if (typeof (server as Partial<ReplayServer>).fetch !== 'function')
    throw new TenonError('invalid-argument', 'serveReplay(): the first argument is not a replayed capture.', {
      hint: 'Pass replayServer(readCapture(text)).',
    });
  const { url, port, close } = await listenFetch(server.fetch, settings);
  return {
    url,
    port,
    close() {
      server.close();
      return close();
    },
  };
}
