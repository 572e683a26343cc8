/** Changes on a server, however they are notified, and the queue that a reader takes them from. */
import type { SubscriptionFilter } from '../../protocol/generated/types/records.ts';
import type { Change, ChangeFilter } from '../api/changes.ts';
import { createCoalescingQueue } from './coalescing-queue.ts';

/** The change that a notification reports, if it reports one. */
export function changeOf(method: string, params: Readonly<Record<string, unknown>> | undefined): Change | undefined {
  const list = /^notifications\/(tools|resources|prompts)\/list_changed$/.exec(method)?.[1];
  if (list !== undefined) return { kind: list as 'tools' | 'resources' | 'prompts' };
  return method === 'notifications/resources/updated' ? { kind: 'resource', uri: String(params?.uri) } : undefined;
}

/** JavaScript callers can pass anything. */
export const isChangeFilter = (filter: unknown): filter is ChangeFilter =>
  typeof filter === 'object' &&
  filter !== null &&
  ((filter as ChangeFilter).uris === undefined || Array.isArray((filter as ChangeFilter).uris));

export const filterToListen = ({ tools, prompts, resources, uris }: ChangeFilter): SubscriptionFilter => ({
  ...(tools && { toolsListChanged: true }),
  ...(prompts && { promptsListChanged: true }),
  ...(resources && { resourcesListChanged: true }),
  ...(uris && { resourceSubscriptions: [...uris] }),
});

export const filterHonoured = (filter: SubscriptionFilter): ChangeFilter => ({
  ...(filter.toolsListChanged && { tools: true }),
  ...(filter.promptsListChanged && { prompts: true }),
  ...(filter.resourcesListChanged && { resources: true }),
  ...(filter.resourceSubscriptions && { uris: filter.resourceSubscriptions }),
});

/** Every change that a filter lets through: what may have been missed. */
export const changesWithin = ({ tools, prompts, resources, uris = [] }: ChangeFilter): Change[] => [
  ...(tools ? [{ kind: 'tools' } as const] : []),
  ...(prompts ? [{ kind: 'prompts' } as const] : []),
  ...(resources ? [{ kind: 'resources' } as const] : []),
  ...uris.map((uri) => ({ kind: 'resource', uri }) as const),
];

/** Whether a filter lets a change through. A resource below one that is watched counts. */
export function wants({ tools, prompts, resources, uris = [] }: ChangeFilter, change: Change): boolean {
  if (change.kind === 'resource') return uris.some((watched) => covers(watched, change.uri));
  return { tools, prompts, resources }[change.kind] === true;
}

/** Whether a changed resource is the watched one, or below it. */
export const covers = (watched: string, uri: string): boolean =>
  uri === watched || uri.startsWith(watched.endsWith('/') ? watched : `${watched}/`);

/**
 * A queue of changes that a reader takes from. Equal changes are queued once. A server can name resources without end
 * below a watched one: when too many are queued, the watched one stands for them.
 */
export interface ChangeQueue {
  put(change: Change): void;
  /** No more will come; an error is given to the reader. */
  end(error?: Error): void;
  next(): Promise<IteratorResult<Change, undefined>>;
}

/** How many changes wait by their own name. */
const maxWaiting = 1000;

export function createChangeQueue({ uris = [] }: ChangeFilter): ChangeQueue {
  const waiting = createCoalescingQueue<Change>();
  const short = (change: Change): Change => {
    if (change.kind !== 'resource' || waiting.size < maxWaiting || waiting.has(change.uri)) return change;
    return { kind: 'resource', uri: uris.find((watched) => covers(watched, change.uri)) ?? change.uri };
  };
  return {
    put(change) {
      const kept = short(change);
      waiting.put(kept.kind === 'resource' ? kept.uri : `list ${kept.kind}`, kept);
    },
    end: waiting.end,
    next: waiting.next,
  };
}
