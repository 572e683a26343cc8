/** Serves a replayed capture over HTTP on a port of this machine. */
import type { ReplayServer } from '../capture/replay/replay-server.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { checkOptions, type Rules } from '../lib/options/option-rules.ts';
import { listenFetch } from './listen-fetch.ts';

/** The options of `serveReplay`. */
export interface ServeReplayOptions {
  /** The port to listen on, of loopback only. Default 0: any free port. */
  readonly port?: number;
}

/** A replayed capture that listens on a port. */
export interface ReplayService {
  /** The URL of the endpoint. HTTP+SSE is at `/sse` beside it. */
  readonly url: string;
  /** The port it listens on. */
  readonly port: number;
  /** Cuts all connections, and frees the port. */
  close(): Promise<void>;
}

const rules: Rules & Record<keyof ServeReplayOptions, Rules[string]> = {
  port: {
    holds: (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) < 65_536,
    must: 'be a port, or 0 for any free one',
  },
};

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
  checkOptions('serveReplay', options, rules);
  if (typeof (server as Partial<ReplayServer>).fetch !== 'function')
    throw new TenonError('invalid-argument', 'serveReplay: the first argument is not a replayed capture.', {
      hint: 'Pass replayServer(readCapture(text)).',
    });
  const { url, port, close } = await listenFetch(server.fetch, { port: options.port ?? 0 });
  return {
    url,
    port,
    close() {
      server.close();
      return close();
    },
  };
}
