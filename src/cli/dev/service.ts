/** What `tenon dev` serves: the first server that could be loaded, with the features of the latest. */

import type { ServeHttpOptions } from '../../node/http-server/options.ts';
import type { Given } from '../io/given.ts';
import { packageOf, type Served } from '../target/package-of.ts';
import { Replacement } from './replace-features.ts';

/** The outcome of a load. Over HTTP it has the URL. */
export type DevEvent =
  | { readonly event: 'served' | 'reloaded' | 'restarted'; readonly url?: string }
  | { readonly event: 'reloaded'; readonly needsRestart: true };

export interface DevService {
  /** Serves the server, with the options that its file has for HTTP, or replaces the one before it. */
  use(server: Served, http: ServeHttpOptions): Promise<DevEvent>;
  /** Resolves when the client on standard streams has disconnected. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

interface Running {
  readonly replacement: Replacement;
  /** Absent on standard streams. */
  readonly url?: string;
  readonly port?: number;
  close(): Promise<unknown>;
}

export function createDevService(given: Given, path: string, port: number | undefined): DevService {
  let running: Running | undefined;
  let onClosed = (): void => {};
  const closed = new Promise<void>((resolve) => {
    onClosed = resolve;
  });

  async function start(server: Served, http: ServeHttpOptions, at: number | undefined): Promise<Running> {
    const { serveHttp, serveStdio } = await packageOf(server, path);
    const replacement = new Replacement(server);
    const store = given.text('store');
    const options = store === undefined ? {} : { store };
    if (at === undefined) {
      const service = serveStdio(server, { exitOnClose: false, ...options });
      void service.closed.then(onClosed);
      return { replacement, close: () => service.close() };
    }
    const service = await serveHttp(server, { ...http, port: at, ...options });
    return { replacement, url: service.url, port: service.port, close: () => service.close() };
  }

  /** Over HTTP clients reconnect. On standard streams the client would have to start the server again. */
  async function restart(before: Running, server: Served, http: ServeHttpOptions): Promise<DevEvent> {
    if (before.port === undefined) {
      given.io.err(
        'tenon: name, instructions or capabilities have changed: clients see it after they start it again.\n',
      );
      return { event: 'reloaded', needsRestart: true };
    }
    await before.close();
    running = await start(server, http, before.port);
    return { event: 'restarted', ...urlOf(running) };
  }

  return {
    async use(server, http) {
      if (running === undefined) {
        running = await start(server, http, port);
        return { event: 'served', ...urlOf(running) };
      }
      try {
        running.replacement.replaceBy(server);
      } catch (error) {
        // Mounted features cannot be replaced.
        if (running.port === undefined) throw error;
        return restart(running, server, http);
      }
      if (!(await running.replacement.isSameAs(server))) return restart(running, server, http);
      return { event: 'reloaded', ...urlOf(running) };
    },
    closed,
    async close() {
      await running?.close();
    },
  };
}

const urlOf = ({ url }: Running): { readonly url?: string } => (url === undefined ? {} : { url });
