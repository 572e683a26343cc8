/** `createInspector`: the inspector as a handler of HTTP requests, to be mounted beside a server in development. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { resolve } from 'node:path';
import { checkCommand } from '../node/child/command.ts';
import { createClient } from '../node/connect.ts';
import { memoryCredentials } from '../store/parts/memory-credentials.ts';
import { AppSet } from './apps/app-set.ts';
import { createBackend } from './backend.ts';
import { authFor } from './clients/sign-in.ts';
import { createHandler } from './http/handler.ts';
import { Keys } from './http/keys.ts';
import { builtPage } from './http/page-files.ts';
import { Tabs } from './http/tabs.ts';
import { TabsFile } from './http/tabs-file.ts';
import type { InspectorOptions } from './options.ts';
import { type InspectorSettings, readInspectorOptions } from './settings.ts';

/** A mounted inspector. */
export interface Inspector {
  /** The link to open, for the origin that it is served at. Each tab exchanges its token for a key of its own. */
  link(origin: string): string;
  /** Answers a request for the page or its calls. Returns false, and does nothing, for any other path. */
  handle(request: IncomingMessage, response: ServerResponse): boolean;
  /** Closes all connections and processes. */
  close(): Promise<void>;
}

/**
 * Creates an inspector to mount beside a server in development: on loopback only, and only for the printed link.
 *
 * ```ts
 * const inspector = createInspector({ servers: { mine: server } });
 * const service = await serveHttp(server, {
 *   notFound: (request, response) => void (inspector.handle(request, response) || response.writeHead(404).end()),
 * });
 * console.log(inspector.link(new URL(service.url).origin));
 * ```
 */
export function createInspector(options: InspectorOptions = {}): Inspector {
  const { link, handle, close } = inspectorWith(readInspectorOptions(options));
  return { link, handle, close };
}

/** With what only the command line and the inspector on a port of its own need. */
export interface OwnInspector extends Inspector {
  readonly tabsFile: TabsFile | undefined;
  /** A link that opens one tab. */
  singleLink(origin: string): string;
}

export function inspectorWith(settings: InspectorSettings): OwnInspector {
  const keys = new Keys(settings.token);
  const tabsFile = settings.tabsFile === undefined ? undefined : new TabsFile(settings.tabsFile);
  const apps = new AppSet();
  const credentials = settings.credentials ?? memoryCredentials();
  const backend = createBackend(settings, {
    apps,
    createClient,
    signIn: (client, questions, onStep) => authFor(client, { questions, credentials, onStep }),
    problemsOf,
    commandFolder(command) {
      checkCommand(command);
      return resolve(command.cwd ?? '');
    },
  });
  const handler = createHandler({
    backend,
    apps,
    keys,
    tabs: tabsFile && new Tabs(tabsFile, Date.now),
    page: settings.pageFolder ?? builtPage(),
  });
  const linkWith = (origin: string, token: string): string => `${new URL(origin).origin}/?token=${token}`;
  return {
    tabsFile,
    link: (origin) => linkWith(origin, keys.token),
    singleLink: (origin) => linkWith(origin, keys.singleToken()),
    handle: handler.handle,
    async close() {
      handler.close();
      await backend.close();
    },
  };
}

/** The validator is loaded when it is first used. */
async function problemsOf(
  schema: object,
  value: unknown,
): Promise<{ readonly path: string; readonly message: string }[]> {
  const { fromJsonSchema } = await import('../json-schema/json-schema.ts');
  const checked = await fromJsonSchema(schema)['~standard'].validate(value);
  return (checked.issues ?? []).map(({ path = [], message }) => ({ path: pointer(path), message }));
}

const pointer = (path: readonly (PropertyKey | { readonly key: PropertyKey })[]): string =>
  path
    .map((part) => String(typeof part === 'object' ? part.key : part))
    .map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
