/** `serveInspector`: the inspector on a port of its own. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { inspectorWith } from './inspector.ts';
import type { ServeInspectorOptions } from './options.ts';
import { readServeInspectorOptions } from './settings.ts';

/** An inspector that listens on a port. */
export interface InspectorService {
  /** The link to open, with its token. It works as long as the process runs. */
  readonly url: string;
  /** The port it listens on. */
  readonly port: number;
  /** Closes all connections and processes, and frees the port. */
  close(): Promise<void>;
}

/**
 * Serves the inspector on 127.0.0.1. Rejects with `listen-failed` if the port is in use.
 *
 * ```ts
 * const inspector = await serveInspector({ servers: { mine: server }, start: { server: 'mine' } });
 * console.log(inspector.url); // http://127.0.0.1:41234/?token=…
 * ```
 */
export async function serveInspector(options: ServeInspectorOptions = {}): Promise<InspectorService> {
  const { url, port, close } = await listenInspector(options);
  return { url, port, close };
}

interface OwnInspectorService extends InspectorService {
  /** A link that opens one tab. */
  singleLink(): string;
}

/** The same with what only the command line needs. */
export async function listenInspector(options: ServeInspectorOptions): Promise<OwnInspectorService> {
  const settings = readServeInspectorOptions(options);
  const { port: wanted } = settings;
  const inspector = inspectorWith(settings);
  const listener = createServer((request, response) => {
    if (!inspector.handle(request, response))
      response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found\n');
  });
  // Tabs that are still open find it only on the port that they know.
  const { tabsFile } = inspector;
  const remembered = wanted === 0 ? await tabsFile?.port() : undefined;
  await listen(listener, remembered ?? wanted).catch((error: unknown) => {
    if (remembered === undefined) throw error;
    return listen(listener, wanted);
  });
  const { port: found } = listener.address() as AddressInfo;
  if (wanted === 0) await tabsFile?.rememberPort(found);
  const origin = `http://127.0.0.1:${found}`;
  return {
    url: inspector.link(origin),
    singleLink: () => inspector.singleLink(origin),
    port: found,
    async close() {
      await inspector.close();
      const closed = new Promise((resolve) => listener.close(resolve));
      listener.closeAllConnections();
      await closed;
    },
  };
}

const listen = (listener: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const onError = (cause: NodeJS.ErrnoException): void => reject(notListening(port, cause));
    listener.once('error', onError);
    listener.listen(port, '127.0.0.1', () => {
      listener.off('error', onError);
      resolve();
    });
  });

const notListening = (wanted: number, cause: NodeJS.ErrnoException): TenonError =>
  new TenonError('listen-failed', `The inspector cannot listen on 127.0.0.1:${wanted}: ${cause.message}.`, {
    hint: 'Choose another port; 0 takes any free port.',
    cause,
  });
