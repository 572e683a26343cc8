/** The lists of the servers: fetched when they are shown, fetched again when they change, with what has changed. */
import { signal } from '@preact/signals';
import type { ApiError, ClientInfo, FeatureKind, FeatureLists } from '../../../../src/inspector/api.ts';
import { call, errorOf } from '../api/call.ts';
import { listKey } from './known.ts';

/** What has changed between two versions of a list, by name or URI. */
export interface ListChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

export interface LoadedList<Kind extends FeatureKind> {
  readonly items: FeatureLists[Kind];
  readonly isLoading: boolean;
  readonly error?: ApiError;
  /** What the last change of the server's list did. */
  readonly change?: ListChange;
}

type Item = FeatureLists[FeatureKind][number];

/** By `listKey`. */
const lists = signal<Readonly<Record<string, LoadedList<FeatureKind>>>>({});
/** The connection and the count of changes that a list was loaded for. */
const loadedFor = new Map<string, string>();
/** The number of the last request for each list: answers may overtake each other, and only the last one counts. */
const requests = new Map<string, number>();
/** Lists that were fetched once: others have nothing to compare with. */
const fetched = new Set<string>();

const nothing: LoadedList<FeatureKind> = { items: [], isLoading: true };

export const listOf = <Kind extends FeatureKind>(client: string, kind: Kind): LoadedList<Kind> =>
  (lists.value[listKey(client, kind)] ?? nothing) as unknown as LoadedList<Kind>;

/** The key of an item in its list. */
export function nameOf(item: Item): string {
  if ('uriTemplate' in item) return item.uriTemplate;
  return 'uri' in item ? item.uri : item.name;
}

export const titleOf = (item: Item): string => item.title ?? item.name;

export function changeBetween(before: readonly Item[], after: readonly Item[]): ListChange {
  const old = new Map(before.map((item) => [nameOf(item), JSON.stringify(item)]));
  const now = new Map(after.map((item) => [nameOf(item), JSON.stringify(item)]));
  return {
    added: [...now.keys()].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !now.has(name)),
    changed: [...now].filter(([name, text]) => old.has(name) && old.get(name) !== text).map(([name]) => name),
  };
}

/** Loads a list of a connected client, unless it is loaded already. */
export function ensureList({ id, connections, state }: ClientInfo, kind: FeatureKind, changes: number): void {
  if (state !== 'ready') return;
  const key = listKey(id, kind);
  const version = `${connections.at(-1) ?? 0} ${changes}`;
  const before = loadedFor.get(key);
  if (before === version) return;
  loadedFor.set(key, version);
  void load(id, kind, before !== undefined && changes > 0);
}

export async function load(client: string, kind: FeatureKind, isChange: boolean, reload = false): Promise<void> {
  const key = listKey(client, kind);
  const before = lists.peek()[key] ?? nothing;
  const number = (requests.get(key) ?? 0) + 1;
  requests.set(key, number);
  const isLast = (): boolean => requests.get(key) === number;
  set(key, { ...before, isLoading: true });
  try {
    const { items } = await call('list', { client, kind, ...(reload && { reload }) });
    if (!isLast()) return;
    const change = isChange && fetched.has(key) ? changeBetween(before.items, items) : before.change;
    fetched.add(key);
    set(key, { items, isLoading: false, ...(change && { change }) });
  } catch (error) {
    // It is not fetched again by itself: a list that a server sends broken would be fetched without end.
    if (isLast()) set(key, { items: before.items, isLoading: false, error: errorOf(error) });
  }
}

/** A client that has another id after a restart has the lists that it had. */
export function moveLists(from: string, to: string): void {
  if (from === to) return;
  for (const kind of ['tools', 'resources', 'templates', 'prompts'] as const) {
    const list = lists.peek()[listKey(from, kind)];
    if (list !== undefined) set(listKey(to, kind), { ...list, isLoading: false });
  }
}

/** The lists of another process are fetched again. */
export const forgetVersions = (): void => loadedFor.clear();

const set = (key: string, list: LoadedList<FeatureKind>): void => {
  lists.value = { ...lists.peek(), [key]: list };
};
