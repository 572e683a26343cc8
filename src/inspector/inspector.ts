/** `createInspector`: the inspector as a handler of HTTP requests, to be mounted beside a server in development. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Task } from '../client/api/tasks.ts';
import { version } from '../protocol/generated/version.ts';
import { memoryCredentials } from '../store/parts/memory-credentials.ts';
import type { TapEvent } from '../transport/tap.ts';
import { apiError } from './api-error.ts';
import { nameOfApprover } from './approvals.ts';
import { AppSet } from './apps/app-set.ts';
import type { InspectorParts } from './calls/call.ts';
import { ClientSet } from './clients/client-set.ts';
import type { InspectedClient } from './clients/inspected-client.ts';
import { createLiveTap } from './clients/live-tap.ts';
import { Questions } from './clients/questions.ts';
import { resumeTasks } from './clients/resumed-tasks.ts';
import { Runs } from './clients/runs.ts';
import { resolveTarget, type TargetSources } from './clients/targets.ts';
import { tasksIn } from './clients/tasks-in-messages.ts';
import { EventLog } from './event-log.ts';
import { createHandler } from './http/handler.ts';
import { Keys } from './http/keys.ts';
import { builtPage } from './http/page-files.ts';
import { Tabs } from './http/tabs.ts';
import { TabsFile } from './http/tabs-file.ts';
import type { InspectorOptions } from './options.ts';
import { Numbers } from './recordings/numbers.ts';
import { RecordingSet } from './recordings/recording-set.ts';
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
  const parts = createParts(settings);
  openCapture(parts, settings);
  let isStarted = false;
  const handler = createHandler({
    parts,
    keys,
    tabs: tabsFile && new Tabs(tabsFile, Date.now),
    page: settings.pageFolder ?? builtPage(),
    async onEnter() {
      // Nothing is connected before a page is opened.
      if (!isStarted) {
        isStarted = true;
        await begin(parts, settings);
      }
    },
  });
  const linkWith = (origin: string, token: string): string => `${new URL(origin).origin}/?token=${token}`;
  return {
    tabsFile,
    link: (origin) => linkWith(origin, keys.token),
    singleLink: (origin) => linkWith(origin, keys.singleToken()),
    handle: handler.handle,
    async close() {
      handler.close();
      await Promise.all([parts.clients.closeAll(), parts.apps.closeAll()]);
    },
  };
}

function createParts(settings: InspectorSettings): StartedParts {
  const now = Date.now;
  const { servers = {}, configured, limits, start, taskMemory } = settings;
  const recordings = new RecordingSet(now(), { maxEvents: limits.maxEvents, maxChars: limits.maxTextChars });
  const log = new EventLog(recordings.live, now);
  const questions = new Questions(log, now);
  const numbers = new Numbers(() => settings.stats?.() ?? { sessions: ready(), streams: 0 });
  const tap = createLiveTap(recordings.live, log, numbers);
  const sources: TargetSources = {
    offered: servers,
    configured: async () => (await configured?.()) ?? [],
    capture: (id) => recordings.capture(id),
  };
  const credentials = settings.credentials ?? memoryCredentials();
  const runs = new Runs(log, now);
  const onReady = (client: InspectedClient): void => {
    if (taskMemory === undefined) return;
    resumeTasks(client, taskMemory, runs).catch((error: unknown) => {
      const { code, message } = apiError(error);
      log.publish({ type: 'warning', client: client.id, code, message });
    });
  };
  const runningOf = (client: string): readonly string[] => runs.runningOf(client);
  const ports = { log, tap, questions, taskMemory, onReady, runningOf, credentials, version, now };
  const clients = new ClientSet(ports, sources);
  const ready = (): number => clients.all.filter(({ isReady }) => isReady).length;
  tap.onRow = (row, event) => {
    const output = outputOf(event);
    if (output !== undefined && row.client !== undefined)
      log.publish({ type: 'output', client: row.client, ...output });
    const tasks = tasksOf(event);
    runs.onRow(row, tasks);
    for (const task of tasks) clients.find(row.client)?.seenTask(task);
  };
  const { approvals } = settings;
  const { call: suggestion, tour } = start;
  const shown = {
    version,
    process: randomUUID(),
    ...(suggestion && { suggestion }),
    ...(tour && { tour }),
    ...(approvals && { approver: nameOfApprover(approvals) }),
  };
  return { start: shown, clients, runs, questions, recordings, numbers, log, sources, apps: new AppSet(), approvals };
}

/** Longer lines are cut: the timeline has them whole. */
const maxLineChars = 4000;

/** The line that the process of a server wrote besides the protocol. */
function outputOf(event: TapEvent): { readonly stream: 'stderr' | 'stdout'; readonly text: string } | undefined {
  if (event.kind !== 'process' || (event.phase !== 'stderr' && event.phase !== 'stdout')) return undefined;
  return { stream: event.phase, text: event.text.slice(0, maxLineChars) };
}

const tasksOf = (event: TapEvent): readonly Task[] =>
  event.kind === 'message' && event.from === 'server' ? tasksIn(event.text) : [];

type StartedParts = InspectorParts & { start: InspectorParts['start'] };

/** Opens the capture to start with, before there is a link: one that cannot be read is an error of the caller. */
function openCapture(parts: StartedParts, { start: { capture } }: InspectorSettings): void {
  if (capture === undefined) return;
  const { id } = parts.recordings.open(capture.name, capture.text);
  parts.start = { ...parts.start, first: { recording: id } };
}

/** Connects to the server to start with. A capture is shown in its place. */
async function begin(parts: StartedParts, { start }: InspectorSettings): Promise<void> {
  if (start.server === undefined) return;
  const resolved = await resolveTarget({ kind: 'offered', name: start.server }, parts.sources);
  const { protocolVersion } = start;
  const { id } = parts.clients.open(resolved, protocolVersion === undefined ? {} : { protocolVersion });
  if (start.capture === undefined) parts.start = { ...parts.start, first: { client: id } };
}
