/** The inspector beside the server that `tenon dev` serves over HTTP: it connects when its page is opened. */
import { basename } from 'node:path';
import { listenInspector } from '../../inspector/serve-inspector.ts';
import type { Given } from '../io/given.ts';
import { oauthOptions } from '../target/stored-auth.ts';
import type { DevEvent } from './service.ts';

export interface Inspection {
  /** Starts it for the first URL, and adds its link to that event. */
  link(event: DevEvent): Promise<DevEvent & { readonly inspector?: string }>;
  close(): Promise<void>;
}

export function createInspection(path: string, { io }: Given): Inspection {
  let starting: ReturnType<typeof listenInspector> | undefined;
  return {
    async link(event) {
      if (starting !== undefined || !('url' in event) || event.url === undefined) return event;
      const server = basename(path);
      starting = listenInspector({
        port: 0,
        servers: { [server]: { url: event.url } },
        start: { server },
        credentials: oauthOptions(io).store,
      });
      return { ...event, inspector: (await starting).url };
    },
    async close() {
      await (await starting)?.close();
    },
  };
}
