/** Opens the page, follows the backend, and enters the process that was started again: what was shown stays. */
import { batch, signal } from '@preact/signals';
import type { ApiError, InspectorEvent, Overview } from '../../../../src/inspector/api.ts';
import { call, errorOf, isLocked } from '../api/call.ts';
import { followEvents, type Link } from '../api/events.ts';
import { dropKey, storeKey, tabKey, takeToken } from '../api/key.ts';
import { port } from '../api/port.ts';
import { resume } from '../api/resume.ts';
import { isLive } from './chosen.ts';
import { fromOverview, reduce } from './known.ts';
import { forgetVersions, moveLists } from './lists.ts';
import { isTimelineWhole, showPane } from './panes.ts';
import { choose, place } from './place.ts';
import { carryOver, isGone } from './restart.ts';
import { addRows, forgetRows, loadRows, rowsOf } from './rows.ts';
import { renameRuns } from './runs.ts';
import { captureText } from './saved-capture.ts';
import { clients, known, link, phase, putClient } from './store.ts';
import { addTexts, forgetTexts, liveTexts } from './texts.ts';
import { resetLive } from './timeline.ts';

/** Why the page could not be opened. */
export const openError = signal<ApiError | undefined>(undefined);

/** The last restart of the program, with the recording that has what was shown before; none if that was nothing. */
export const restarted = signal<{ readonly at: number; readonly recording?: string } | undefined>(undefined);

let following = new AbortController();
let restarts = 0;

/** Opens the page: with the token of the link, or with the key that this tab has. */
export async function open(token = takeToken()): Promise<void> {
  openError.value = undefined;
  try {
    if (token !== undefined) storeKey(await call('enter', { token }));
    if (port().needsKey && tabKey() === undefined) return lock();
    await begin().catch(async (error) => {
      if (!isLocked(errorOf(error)) || !(await resume())) throw error;
      await begin();
    });
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
  const before = known.peek().process;
  const isOther = before !== '' && before !== overview.process;
  const saved = isOther ? savedRows() : undefined;
  batch(() => {
    if (isOther) leaveEarlier(overview);
    else known.value = fromOverview(overview, known.value);
    chooseFirst(overview);
    phase.value = 'open';
    link.value = 'live';
  });
  // Rows are appended in order, so the older ones come first.
  await loadRows('live');
  if (place.value.recording !== 'live') void loadRows(place.value.recording).catch(() => undefined);
  const onLink = (next: Link): void => (next === 'locked' ? void enterAgain() : void (link.value = next));
  void followEvents({ after: overview.seq, onEvents: receive, onLink }, signal);
  if (isOther) await showRestart(saved);
}

/** Another process answers than the one that this tab has entered. */
async function enterAgain(): Promise<void> {
  following.abort();
  try {
    if (await resume()) return await begin();
  } catch {
    // Its link opens it.
  }
  link.value = 'locked';
}

/** What is shown, as the text of a capture. */
export function savedRows(): string | undefined {
  const rows = rowsOf('live');
  const began = known.peek().recordings.find(({ id }) => id === 'live')?.began ?? 0;
  return rows.length === 0 ? undefined : captureText({ rows, texts: liveTexts(), began });
}

/** The new process counts everything from the beginning. */
function leaveEarlier(overview: Overview): void {
  restarts += 1;
  const { client, name } = place.peek();
  const carried = carryOver(known.peek(), overview, restarts);
  renameRuns(carried.runOf);
  for (const [from, to] of carried.clients) moveLists(from, to);
  forgetVersions();
  forgetRows('live');
  forgetTexts();
  resetLive();
  known.value = carried.known;
  if (client !== undefined) choose({ client: carried.clients.get(client), name, recording: 'live' }, 'page');
}

/** The earlier messages become a recording of the new process, and servers that it offers are connected again. */
async function showRestart(saved: string | undefined): Promise<void> {
  const at = Date.now();
  restarted.value = { at };
  for (const { id, target, options } of clients.peek().filter(isGone))
    if (target.kind === 'offered')
      void call('connect', { target, options }).then(
        (answer) => replaceClient(id, answer.client.id, () => putClient(answer.client)),
        () => undefined,
      );
  if (saved === undefined) return;
  const name = `before ${new Date(at).toTimeString().slice(0, 8).replaceAll(':', '-')}.mcp.ndjson`;
  await call('openCapture', { name, text: saved }).then(
    ({ recording }) => (restarted.value = { at, recording: recording.id }),
    () => undefined,
  );
}

/** A new client takes the place of another, with its lists and results. */
export function replaceClient(before: string, client: string, put: () => void): void {
  batch(() => {
    put();
    moveLists(before, client);
    const { runs } = known.peek();
    known.value = {
      ...reduce(known.peek(), { type: 'client-removed', client: before, seq: 0, at: 0 }),
      runs: runs.map((run) => (run.client === before ? { ...run, client } : run)),
    };
    if (place.peek().client === before) choose({ client, name: place.peek().name }, 'page');
  });
}

/** What a link or an earlier visit has chosen stays, if it is still there. */
function chooseFirst({ first, recordings, suggestion }: Overview): void {
  const { client, recording, name, isChosen } = place.value;
  if (!recordings.some(({ id }) => id === recording)) choose({ recording: 'live' }, 'page');
  if (first !== undefined && 'recording' in first && !isChosen) {
    choose({ recording: first.recording }, 'page');
    // It is what the person has come for.
    isLive.value = false;
    isTimelineWhole.value = true;
    showPane('timeline');
  }
  if (clients.value.some(({ id }) => id === client)) return;
  const wanted = first !== undefined && 'client' in first ? first.client : clients.value.at(0)?.id;
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
    const rows = events.filter((event) => event.type === 'row');
    addTexts(rows.flatMap(({ row: { seq }, text }) => (text === undefined ? [] : [{ seq, text }])));
    addRows(
      'live',
      rows.map(({ row }) => row),
    );
    const others = events.filter(({ type }) => type !== 'row');
    if (others.length > 0) known.value = others.reduce(reduce, known.value);
    if (others.some((event) => event.type === 'client-removed' && event.client === place.value.client)) chooseOther();
  });
}

/** A page that shows something stays as it is. */
function lock(error?: ApiError): void {
  following.abort();
  openError.value = error?.code === 'wrong-key' ? undefined : error;
  if (known.peek().process !== '') {
    link.value = 'locked';
    return;
  }
  if (error === undefined || isLocked(error)) dropKey();
  phase.value = 'locked';
}
