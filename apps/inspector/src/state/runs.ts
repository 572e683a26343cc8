/** Runs that the page starts, and their results, which are fetched when they are shown. */
import { effect, signal } from '@preact/signals';
import type { ApiError, RunInfo, RunRequest, RunResult } from '../../../../src/inspector/api.ts';
import { call, errorOf } from '../api/call.ts';
import { reduce } from './known.ts';
import { known } from './store.ts';

type Fetched = RunResult['result'] | undefined;

/** Results by run. */
const results = signal<Readonly<Record<string, { readonly result?: Fetched; readonly error?: ApiError }>>>({});
const requested = new Set<string>();

/** The run that was chosen for an item, by `itemKey`. */
const shownRuns = signal<Readonly<Record<string, string>>>({});
/** Why a run could not be started, by `itemKey`. */
export const startErrors = signal<Readonly<Record<string, ApiError | undefined>>>({});

/** The item that a run belongs to: runs of the same tool of all clients of a server are one history. */
export function itemKey(request: RunRequest): string {
  switch (request.kind) {
    case 'tool':
    case 'prompt':
      return `${request.kind} ${request.name}`;
    case 'resource':
      return `resource ${request.uri}`;
    case 'task':
      return request.tool === undefined ? `task ${request.taskId}` : `tool ${request.tool}`;
    case 'request':
      return `request ${request.method}`;
  }
}

export async function start(client: string, request: RunRequest, key = itemKey(request)): Promise<RunInfo | undefined> {
  startErrors.value = { ...startErrors.peek(), [key]: undefined };
  try {
    const { run } = await call('run', { client, request });
    // The event may have come first, with a later state.
    const isKnown = known.peek().runs.some(({ id }) => id === run.id);
    if (!isKnown) known.value = reduce(known.peek(), { type: 'run', run, seq: 0, at: 0 });
    showRun(key, run.id);
    return run;
  } catch (error) {
    startErrors.value = { ...startErrors.peek(), [key]: errorOf(error) };
    return undefined;
  }
}

export const showRun = (key: string, run: string): void => {
  shownRuns.value = { ...shownRuns.peek(), [key]: run };
};

export const cancel = (run: string): Promise<unknown> => call('cancel', { run }).catch(() => undefined);

/** The result of a run that is done. Fetches it at the first call. */
export function resultOf(run: RunInfo): { readonly result?: Fetched; readonly error?: ApiError } | undefined {
  const found = results.value[run.id];
  if (found !== undefined || run.status !== 'done' || requested.has(run.id)) return found;
  requested.add(run.id);
  void call('result', { run: run.id }).then(
    ({ result }) => set(run.id, { result }),
    (error) => set(run.id, { error: errorOf(error) }),
  );
  return undefined;
}

const set = (run: string, fetched: { readonly result?: Fetched; readonly error?: ApiError }): void => {
  results.value = { ...results.peek(), [run]: fetched };
};

/** After a restart the runs from before have other ids: the new process counts from the beginning. */
export function renameRuns(nameOf: (run: string) => string): void {
  results.value = Object.fromEntries(Object.entries(results.peek()).map(([run, result]) => [nameOf(run), result]));
  // One that was running may go on as another run: then that is shown.
  const running = new Set(known.peek().runs.flatMap(({ id, status }) => (status === 'running' ? [id] : [])));
  const shown = Object.entries(shownRuns.peek()).filter(([, run]) => !running.has(run));
  shownRuns.value = Object.fromEntries(shown.map(([key, run]) => [key, nameOf(run)]));
  const before = [...requested];
  requested.clear();
  for (const run of before) requested.add(nameOf(run));
}

/** The task that a run follows. */
export const taskIdOf = ({ request, task }: RunInfo): string | undefined =>
  request.kind === 'task' ? request.taskId : task?.taskId;

/** The runs of the same item of the same server, newest first. */
export const runsLike = ({ request, client }: RunInfo): readonly RunInfo[] => runsOfKey(itemKey(request), client);

export const runsOfKey = (key: string, client: string): readonly RunInfo[] =>
  known.value.runs.filter((run) => itemKey(run.request) === key && isSameServer(run.client, client));

/** The run that an item shows: the one that was chosen, or the newest. */
export function shownRun(key: string, client: string): RunInfo | undefined {
  const runs = runsOfKey(key, client);
  return runs.find(({ id }) => id === shownRuns.value[key]) ?? runs[0];
}

/** Whether two clients have the same server. Of one that was removed it is not known any more. */
function isSameServer(one: string, other: string): boolean {
  const [first, second] = [one, other].map((id) => known.value.clients.find((each) => each.id === id)?.shown);
  return first === undefined || second === undefined || first === second;
}

/** Resolves when a run has finished. */
export function finished(run: string): Promise<RunInfo | undefined> {
  return new Promise((resolve) => {
    const stop = effect(() => {
      const found = known.value.runs.find(({ id }) => id === run);
      if (found?.status === 'running') return;
      resolve(found);
      queueMicrotask(() => stop());
    });
  });
}
