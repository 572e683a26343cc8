/** The backend of the inspector without HTTP: clients, recordings, runs, and the calls of the page. It needs no Node: in a browser it runs in a worker. */
import type { Task } from '../client/api/tasks.ts';
import { version } from '../protocol/generated/version.ts';
import type { TapEvent } from '../transport/tap.ts';
import { apiError } from './api-error.ts';
import { nameOfApprover } from './approvals.ts';
import type { AppSet } from './apps/app-set.ts';
import { type Caller, checkRequest, type InspectorParts } from './calls/call.ts';
import { callNamed } from './calls/calls.ts';
import { ClientSet } from './clients/client-set.ts';
import type { ClientPorts, InspectedClient } from './clients/inspected-client.ts';
import { createLiveTap } from './clients/live-tap.ts';
import { Questions } from './clients/questions.ts';
import { resumeTasks } from './clients/resumed-tasks.ts';
import { Runs } from './clients/runs.ts';
import { resolveTarget, type TargetSources } from './clients/targets.ts';
import { tasksIn } from './clients/tasks-in-messages.ts';
import { type EventListener, EventLog } from './event-log.ts';
import { Numbers } from './recordings/numbers.ts';
import { RecordingSet } from './recordings/recording-set.ts';
import type { InspectorSettings } from './settings.ts';
import { beginningOf, maxLineChars } from './stored-text.ts';

export type BackendSettings = Pick<
  InspectorSettings,
  'servers' | 'start' | 'configured' | 'taskMemory' | 'approvals' | 'stats' | 'limits'
>;

/** What depends on where the backend runs. */
export interface BackendPorts
  extends Pick<ClientPorts, 'createClient' | 'signIn'>,
    Pick<TargetSources, 'commandFolder' | 'offeredOnly'>,
    Partial<Pick<InspectorParts, 'problemsOf'>> {
  /** The apps that are open. Absent where there is no second origin for their frames. */
  readonly apps?: AppSet;
}

export interface Backend {
  /** The result of a call, after its request was checked. */
  call(name: string, request: unknown, caller: Caller): Promise<unknown>;
  /** Everything after `seq`, then all that happens, until the returned function is called. */
  listen(seq: number, listener: EventListener): () => void;
  /** Connects to the server to start with, when a page is opened for the first time. */
  begin(): Promise<void>;
  /** Closes all connections and processes. */
  close(): Promise<void>;
}

type StartedParts = InspectorParts & { start: InspectorParts['start'] };

export function createBackend(settings: BackendSettings, ports: BackendPorts): Backend {
  const parts = createParts(settings, ports);
  openCapture(parts, settings);
  let isStarted = false;
  return {
    async call(name, request, caller) {
      const found = callNamed(name);
      checkRequest(request, found);
      return found.run(request as never, parts, caller);
    },
    listen: (seq, listener) => parts.log.listen(seq, listener),
    async begin() {
      if (isStarted) return;
      isStarted = true;
      await connectFirst(parts, settings);
    },
    async close() {
      await Promise.all([parts.clients.closeAll(), ports.apps?.closeAll()]);
    },
  };
}

function createParts(settings: BackendSettings, given: BackendPorts): StartedParts {
  const now = Date.now;
  const { servers = {}, configured, limits, taskMemory, approvals } = settings;
  const { apps, createClient, signIn, commandFolder, offeredOnly, problemsOf } = given;
  const recordings = new RecordingSet(now(), { maxEvents: limits.maxEvents, maxChars: limits.maxTextChars });
  const log = new EventLog(recordings.live, now);
  const questions = new Questions(log, now);
  const numbers = new Numbers(() => settings.stats?.() ?? { sessions: ready(), streams: 0 });
  const tap = createLiveTap(recordings.live, log, numbers);
  const sources: TargetSources = {
    offered: servers,
    configured: async () => (await configured?.()) ?? [],
    capture: (id) => recordings.capture(id),
    commandFolder,
    offeredOnly,
  };
  const runs = new Runs(log, now);
  const onReady = (client: InspectedClient): void => {
    if (taskMemory === undefined) return;
    resumeTasks(client, taskMemory, runs).catch((error: unknown) => {
      const { code, message } = apiError(error);
      log.publish({ type: 'warning', client: client.id, code, message });
    });
  };
  const runningOf = (client: string): readonly string[] => runs.runningOf(client);
  const ports = { createClient, signIn, log, tap, questions, taskMemory, onReady, runningOf, version, now };
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
  const start = shownAt(settings, given);
  return { start, clients, runs, questions, recordings, numbers, log, sources, apps, approvals, problemsOf };
}

/** What an overview says besides the parts. */
function shownAt({ start, approvals }: BackendSettings, { offeredOnly }: BackendPorts): InspectorParts['start'] {
  const { call: suggestion, tour } = start;
  return {
    version,
    process: crypto.randomUUID(),
    ...(suggestion && { suggestion }),
    ...(tour && { tour }),
    ...(approvals && { approver: nameOfApprover(approvals) }),
    ...(offeredOnly && { offeredOnly }),
  };
}

/** The line that the process of a server wrote besides the protocol. */
function outputOf(event: TapEvent): { readonly stream: 'stderr' | 'stdout'; readonly text: string } | undefined {
  if (event.kind !== 'process' || (event.phase !== 'stderr' && event.phase !== 'stdout')) return undefined;
  return { stream: event.phase, text: beginningOf(event.text, maxLineChars) };
}

const tasksOf = (event: TapEvent): readonly Task[] =>
  event.kind === 'message' && event.from === 'server' ? tasksIn(event.text) : [];

/** Opens the capture to start with, before there is a link: one that cannot be read is an error of the caller. */
function openCapture(parts: StartedParts, { start: { capture } }: BackendSettings): void {
  if (capture === undefined) return;
  const { id } = parts.recordings.open(capture.name, capture.text);
  parts.start = { ...parts.start, first: { recording: id } };
}

/** A capture is shown in the place of the server. */
async function connectFirst(parts: StartedParts, { start }: BackendSettings): Promise<void> {
  if (start.server === undefined) return;
  const resolved = await resolveTarget({ kind: 'offered', name: start.server }, parts.sources);
  const { protocolVersion } = start;
  const { id } = parts.clients.open(resolved, protocolVersion === undefined ? {} : { protocolVersion });
  if (start.capture === undefined) parts.start = { ...parts.start, first: { client: id } };
}
