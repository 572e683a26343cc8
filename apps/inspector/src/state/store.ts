/** The store of the page: what is known of the backend, as signals. `opening.ts` keeps it current. */
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { Task } from '../../../../src/client/api/tasks.ts';
import type { ClientInfo } from '../../../../src/inspector/api.ts';
import type { Link } from '../api/events.ts';
import { type Known, nothingKnown, reduce } from './known.ts';
import { place } from './place.ts';

/** Whether the page is starting, locked until the link is opened, or open. */
export type Phase = 'starting' | 'locked' | 'open';

export const phase = signal<Phase>('starting');
/** Of an open page: `locked` if another process answers, whose link is needed. */
export const link = signal<Link>('live');
export const known = signal<Known>(nothingKnown);

export const clients = computed(() => known.value.clients);
export const questions = computed(() => known.value.questions);

/** The chosen client. */
export const client: ReadonlySignal<ClientInfo | undefined> = computed(() =>
  clients.value.find(({ id }) => id === place.value.client),
);

/** Puts a new client that a call has returned in place. If its event came first, that is newer. */
export function putClient(client: ClientInfo): void {
  if (clients.peek().some(({ id }) => id === client.id)) return;
  known.value = reduce(known.value, { type: 'client', client, seq: 0, at: 0 });
}

/** Puts tasks that a server lists in place. */
export function putTasks(client: string, tasks: readonly Task[]): void {
  known.value = tasks.reduce((next, task) => reduce(next, { type: 'task', client, task, seq: 0, at: 0 }), known.value);
}
