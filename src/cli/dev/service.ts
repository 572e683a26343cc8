/** What `tenon dev` serves: the first server that could be loaded, with the features of the latest. */

import type { Given } from '../io/given.ts';
import { packageOf, type Served } from '../target/package-of.ts';
import { typedOptions } from '../target/typed-options.ts';
import { Replacement } from './replace-features.ts';

/** The outcome of a load. Over HTTP it has the URL. */
export type DevEvent =
  | { readonly event: 'served' | 'reloaded' | 'restarted'; readonly url?: string }
  | { readonly event: 'reloaded'; readonly needsRestart: true };

export interface DevService {
  readonly over: 'http' | 'stdio';
  /** Serves the server, with the options that its file has for this, or replaces the one before it. */
  use(server: Served, options: object): Promise<DevEvent>;
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

  async function start(server: Served, own: object, at: number | undefined): Promise<Running> {
    const { serveHttp, serveStdio } = await packageOf(server, path);
    const replacement = new Replacement(server);
    const options = typedOptions(given);
    if (at === undefined) {
      const service = serveStdio(server, { ...own, exitOnClose: false, ...options });
      void service.closed.then(onClosed);
      return { replacement, close: () => service.close() };
    }
    const service = await serveHttp(server, { ...own, port: at, ...options });
    return { replacement, url: service.url, port: service.port, close: () => service.close() };
  }

  /** Over HTTP clients reconnect. On standard streams the client would have to start the server again. */
  async function restart(before: Running, server: Served, own: object): Promise<DevEvent> {
    if (before.port === undefined) {
      given.io.err(
        'tenon: name, instructions or capabilities have changed: clients see it after they start it again.\n',
      );
      return { event: 'reloaded', needsRestart: true };
    }
    await before.close();
    running = await start(server, own, before.port);
    return { event: 'restarted', ...urlOf(running) };
  }

  return {
    over: port === undefined ? 'stdio' : 'http',
    async use(server, own) {
      if (running === undefined) {
        running = await start(server, own, port);
        return { event: 'served', ...urlOf(running) };
      }
      try {
        running.replacement.replaceBy(server);
      } catch (error) {
        // Mounted features cannot be replaced.
        if (running.port === undefined) throw error;
        return restart(running, server, own);
      }
      if (!(await running.replacement.isSameAs(server))) return restart(running, server, own);
      return { event: 'reloaded', ...urlOf(running) };
    },
    closed,
    async close() {
      await running?.close();
    },
  };
}

const urlOf = ({ url }: Running): { readonly url?: string } => (url === undefined ? {} : { url });
