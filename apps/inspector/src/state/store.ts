/** The store of the page: what is known of the backend, as signals, and the connection that keeps it current. */
import { batch, computed, type ReadonlySignal, signal } from '@preact/signals';
import type { Task } from '../../../../src/client/api/tasks.ts';
import type { ApiError, ClientInfo, InspectorEvent, Overview } from '../../../../src/inspector/api.ts';
import { call, errorOf, isLocked } from '../api/call.ts';
import { followEvents, type Link } from '../api/events.ts';
import { dropKey, storeKey, tabKey, takeToken } from '../api/key.ts';
import { isLive } from './chosen.ts';
import { fromOverview, type Known, nothingKnown, reduce } from './known.ts';
import { isTimelineWhole, showPane } from './panes.ts';
import { choose, place } from './place.ts';
import { addRows, loadRows } from './rows.ts';

/** Whether the page is starting, locked until the link is opened, or open. */
export type Phase = 'starting' | 'locked' | 'open';

export const phase = signal<Phase>('starting');
export const link = signal<Link>('live');
export const known = signal<Known>(nothingKnown);
/** Whether this tab was open in a process that has ended: the one that answers now does not know its key. */
export const isOfEarlierProcess = signal(false);
/** Why the page could not be opened. */
export const openError = signal<ApiError | undefined>(undefined);

export const clients = computed(() => known.value.clients);
export const questions = computed(() => known.value.questions);

/** The chosen client. */
export const client: ReadonlySignal<ClientInfo | undefined> = computed(() =>
  clients.value.find(({ id }) => id === place.value.client),
);

let following = new AbortController();

/** Opens the page: with the token of the link, or with the key that this tab has. */
export async function open(token = takeToken()): Promise<void> {
  openError.value = undefined;
  try {
    if (token !== undefined) storeKey((await call('enter', { token })).key);
    if (tabKey() === undefined) return lock();
    // What the page knows of an earlier process must not mix with what this one sends.
    if (isOfEarlierProcess.value) return location.reload();
    await begin();
  } catch (error) {
    lock(errorOf(error));
  }
}

/** Fetches everything, then follows the events after it. */
async function begin(): Promise<void> {
  following.abort();
  following = new AbortController();
  const { signal } = following;
  const overview = await call('overview', {});
  batch(() => {
    known.value = fromOverview(overview, known.value);
    chooseFirst(overview);
    phase.value = 'open';
    link.value = 'live';
  });
  // Rows are appended in order, so the older ones come first.
  await loadRows('live');
  if (place.value.recording !== 'live') void loadRows(place.value.recording).catch(() => undefined);
  const onLink = (next: Link): void => (next === 'locked' ? lock(wrongKey) : void (link.value = next));
  void followEvents({ after: overview.seq, onEvents: receive, onLink }, signal);
}

/** What a link or an earlier visit has chosen stays, if it is still there. */
function chooseFirst({ clients, first, recordings, suggestion }: Overview): void {
  const { client, recording, name, isChosen } = place.value;
  if (!recordings.some(({ id }) => id === recording)) choose({ recording: 'live' }, 'page');
  if (first !== undefined && 'recording' in first && !isChosen) {
    choose({ recording: first.recording }, 'page');
    // It is what the person has come for.
    isLive.value = false;
    isTimelineWhole.value = true;
    showPane('timeline');
  }
  if (clients.some(({ id }) => id === client)) return;
  const wanted = first !== undefined && 'client' in first ? first.client : clients.at(0)?.id;
  choose(wanted === undefined ? { client: undefined, section: 'connect' } : { client: wanted, name }, 'page');
  if (wanted !== undefined && suggestion !== undefined && name === undefined && !isChosen)
    choose({ section: 'tools', name: suggestion.tool }, 'page');
}

/** After the chosen client was removed. */
function chooseOther(): void {
  const other = clients.value.at(-1)?.id;
  choose(other === undefined ? { client: undefined, section: 'connect' } : { client: other }, 'page');
}

function receive(events: readonly InspectorEvent[]): void {
  if (events.some(({ type }) => type === 'reset')) return void begin().catch((error) => lock(errorOf(error)));
  batch(() => {
    addRows(
      'live',
      events.flatMap((event) => (event.type === 'row' ? [event.row] : [])),
    );
    const others = events.filter(({ type }) => type !== 'row');
    if (others.length > 0) known.value = others.reduce(reduce, known.value);
    if (others.some((event) => event.type === 'client-removed' && event.client === place.value.client)) chooseOther();
  });
}

/** Puts a new client that a call has returned in place. If its event came first, that is newer. */
export function putClient(client: ClientInfo): void {
  if (clients.peek().some(({ id }) => id === client.id)) return;
  known.value = reduce(known.value, { type: 'client', client, seq: 0, at: 0 });
}

const wrongKey: ApiError = { code: 'wrong-key', message: 'The process does not know this tab.' };

function lock(error?: ApiError): void {
  following.abort();
  if (error?.code === 'wrong-key') isOfEarlierProcess.value = true;
  if (error === undefined || isLocked(error)) dropKey();
  // A key of an earlier process is no mistake of the user.
  openError.value = error?.code === 'wrong-key' ? undefined : error;
  phase.value = 'locked';
}

/** Puts tasks that a server lists in place. */
export function putTasks(client: string, tasks: readonly Task[]): void {
  known.value = tasks.reduce((next, task) => reduce(next, { type: 'task', client, task, seq: 0, at: 0 }), known.value);
}
