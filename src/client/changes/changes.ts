/** Changes on a server, as notifications of any protocol version report them, and the queue of a reader. */

import { isTexts, unknown, wrong } from '../../lib/options/option-rules.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { SubscriptionFilter } from '../../protocol/generated/types/records.ts';
import type { Change } from '../api/changes.ts';
import { createCoalescingQueue } from './coalescing-queue.ts';

/** The change that a notification reports, if it reports one. */
export function changeOf(method: string, params: Readonly<Record<string, unknown>> | undefined): Change | undefined {
  const list = /^notifications\/(tools|resources|prompts)\/list_changed$/.exec(method)?.[1];
  if (list !== undefined) return { type: list as 'tools' | 'resources' | 'prompts' };
  if (method === 'notifications/tasks') return { type: 'task', taskId: String(params?.taskId) };
  return method === 'notifications/resources/updated' ? { type: 'resource', uri: String(params?.uri) } : undefined;
}

const flags = ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged'] as const;
const known: readonly string[] = [...flags, 'resourceSubscriptions', 'taskIds'];

/** Throws `invalid-argument` for a filter that is not valid: JavaScript callers can pass anything. */
export function checkFilter(of: string, filter: unknown): asserts filter is SubscriptionFilter {
  if (!isRecord(filter)) throw wrong(of, 'filter', 'be an object such as { toolsListChanged: true }');
  for (const name of Object.keys(filter)) if (!known.includes(name)) throw unknown(of, name, known);
  const { resourceSubscriptions: uris, taskIds } = filter;
  if (taskIds !== undefined && !isTexts(taskIds)) throw wrong(of, 'taskIds', 'be a list of IDs of tasks');
  if (uris !== undefined && !isTexts(uris)) throw wrong(of, 'resourceSubscriptions', 'be a list of URIs');
}

/** The filter without fields that are false or empty. */
export function requestedOf({
  resourceSubscriptions: uris,
  taskIds,
  ...filter
}: SubscriptionFilter): SubscriptionFilter {
  return {
    ...Object.fromEntries(flags.flatMap((flag) => (filter[flag] ? [[flag, true]] : []))),
    ...(uris && { resourceSubscriptions: [...uris] }),
    ...(taskIds && { taskIds: [...taskIds] }),
  };
}

/** Whether a server accepted all that was requested. */
export const isAcknowledged = (requested: SubscriptionFilter, acknowledged: SubscriptionFilter): boolean =>
  flags.every((flag) => !requested[flag] || acknowledged[flag] === true) &&
  (requested.resourceSubscriptions ?? []).every((uri) => acknowledged.resourceSubscriptions?.includes(uri)) &&
  (requested.taskIds ?? []).every((taskId) => acknowledged.taskIds?.includes(taskId));

/** Every change that matches a filter: those that may have been missed. */
export const changesWithin = (filter: SubscriptionFilter): Change[] => [
  ...(filter.toolsListChanged ? [{ type: 'tools' } as const] : []),
  ...(filter.promptsListChanged ? [{ type: 'prompts' } as const] : []),
  ...(filter.resourcesListChanged ? [{ type: 'resources' } as const] : []),
  ...(filter.resourceSubscriptions ?? []).map((uri) => ({ type: 'resource', uri }) as const),
  ...(filter.taskIds ?? []).map((taskId) => ({ type: 'task', taskId }) as const),
];

/** Whether a change matches a filter. A resource below a subscribed one matches. */
export function wants(
  { resourceSubscriptions: uris = [], taskIds = [], ...lists }: SubscriptionFilter,
  change: Change,
): boolean {
  if (change.type === 'task') return taskIds.includes(change.taskId);
  if (change.type === 'resource') return uris.some((watched) => covers(watched, change.uri));
  return lists[`${change.type}ListChanged`] === true;
}

/** Whether a changed resource is the subscribed one, or below it. */
export const covers = (watched: string, uri: string): boolean =>
  uri === watched || uri.startsWith(watched.endsWith('/') ? watched : `${watched}/`);

/**
 * The queue of changes for a reader. Equal changes are queued once. A server can report any number of resources below a
 * subscribed one: when too many are queued, the subscribed one is queued instead.
 */
export interface ChangeQueue {
  put(change: Change): void;
  /** Ends the queue; the reader gets the error, if any. */
  end(error?: Error): void;
  next(): Promise<IteratorResult<Change, undefined>>;
}

/**
 * Changes that wait in a subscription, with their own URI.
 * @limit client
 * @beyond the watched resource stands for those below it
 */
const maxWaiting = 1000;

export function createChangeQueue({ resourceSubscriptions: uris = [] }: SubscriptionFilter): ChangeQueue {
  const waiting = createCoalescingQueue<Change>();
  const short = (change: Change): Change => {
    if (change.type !== 'resource' || waiting.size < maxWaiting || waiting.has(change.uri)) return change;
    return { type: 'resource', uri: uris.find((watched) => covers(watched, change.uri)) ?? change.uri };
  };
  return {
    put(change) {
      const queued = short(change);
      waiting.put(keyOf(queued), queued);
    },
    end: waiting.end,
    next: waiting.next,
  };
}

/** URIs have no spaces. */
const keyOf = (change: Change): string =>
  change.type === 'resource' ? change.uri : change.type === 'task' ? `task ${change.taskId}` : `list ${change.type}`;
