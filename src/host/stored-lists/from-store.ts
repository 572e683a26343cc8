/** Lists from a store, without a lock: as the server had them last. They are compared with the server before its first call. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import { runInBackground } from '../../lib/values/maybe-promise.ts';
import type { ListedKind } from '../../ports/lock.ts';
import type { HostServer, Listed } from '../servers/host-server.ts';
import { ownNameOf } from '../servers/listed-kind.ts';
import { isStorable, type ListStore, type StoredLists } from './list-store.ts';
import {
  areStorable,
  keyOf,
  maxStoredListChars,
  readList,
  type StoredList,
  storedKinds,
  writeList,
} from './stored-list.ts';

export interface StoredListPorts {
  readonly store: ListStore;
  /** The key of the user; empty without one. */
  readonly principal: string;
  /** Lists a kind of a server anew, and passes the result to `write`. */
  refresh(kind: ListedKind, hostServer: HostServer): Promise<Listed<unknown>>;
  /** What a server has differs from what was listed. */
  onChange(kind: ListedKind, server: string): void;
  warn(server: string, error: unknown): void;
  now(): number;
}

/**
 * How old stored lists may be.
 * @limit host
 * @beyond all kinds are listed again after the first call
 */
export const staleMs = 7 * 24 * 60 * 60_000;

interface State {
  list: StoredList | undefined;
  /** What was listed from the store, and not compared with the server since. */
  readonly unconfirmed: Map<ListedKind, readonly object[]>;
  readonly confirming: Map<ListedKind, Promise<Error | undefined>>;
}

export function listsFromStore(ports: StoredListPorts): StoredLists {
  const states = new Map<string, Promise<State>>();
  const instructions = new Map<string, string | undefined>();

  function stateOf(hostServer: HostServer): Promise<State> {
    const { server } = hostServer;
    const state = states.get(server) ?? load(ports, hostServer);
    states.set(server, state);
    return state;
  }

  /** Lists a kind once for all calls that wait for it. */
  function listed(kind: ListedKind, hostServer: HostServer, state: State): Promise<Error | undefined> {
    const run = state.confirming.get(kind) ?? ports.refresh(kind, hostServer).then(({ problem }) => problem);
    state.confirming.set(kind, run);
    return run.finally(() => state.confirming.delete(kind));
  }

  function listOthers(kind: ListedKind, hostServer: HostServer, { unconfirmed }: State): void {
    for (const other of storedKinds) {
      if (other === kind || !unconfirmed.has(other)) continue;
      runInBackground(
        () => ports.refresh(other, hostServer),
        (error) => ports.warn(hostServer.server, error),
      );
    }
  }

  return {
    async read(kind, hostServer) {
      if (!isStorable(hostServer)) return undefined;
      const { list, unconfirmed } = await stateOf(hostServer);
      const items = list?.lists[kind];
      if (items === undefined) return undefined;
      instructions.set(hostServer.server, list?.instructions);
      unconfirmed.set(kind, items);
      return { items: [...items], problem: undefined, isApproved: false };
    },
    async write(kind, hostServer, items) {
      const { server, connected } = hostServer;
      // Without a connection the list was empty because the server was closed.
      if (connected === undefined || !('url' in hostServer.origin || 'args' in hostServer.origin)) return;
      const state = await stateOf(hostServer);
      const name = connected.serverInfo?.name ?? '';
      if (state.list !== undefined && state.list.name !== name)
        ports.warn(server, otherName(server, state.list.name, name));
      const before = state.list?.name === name ? state.list : undefined;
      const now = canonicalJson(items);
      if (before?.lists[kind] !== undefined && canonicalJson(before.lists[kind]) !== now) ports.onChange(kind, server);
      const copy = areStorable(kind, items) ? (JSON.parse(JSON.stringify(items)) as object[]) : undefined;
      const lists = { ...before?.lists, [kind]: copy };
      state.list = { name, storedAt: ports.now(), instructions: connected.instructions, lists };
      state.unconfirmed.delete(kind);
      await save(ports, hostServer, state.list);
    },
    async confirm(kind, hostServer, name) {
      const state = await states.get(hostServer.server);
      const before = state?.unconfirmed.get(kind);
      if (state === undefined || before === undefined) return;
      const isStale = ports.now() - (state.list?.storedAt ?? 0) > staleMs;
      const problem = await listed(kind, hostServer, state);
      if (problem !== undefined) throw problem;
      if (isStale) listOthers(kind, hostServer, state);
      const was = named(kind, before, name);
      const is = named(kind, state.list?.lists[kind] ?? [], name);
      if (was !== undefined && canonicalJson(was) !== canonicalJson(is))
        throw changed(kind, hostServer.server, name, is);
    },
    instructions: (server) => instructions.get(server),
    forget(server) {
      states.delete(server);
      instructions.delete(server);
    },
  };
}

/** A list that cannot be read is as one that was never stored. */
async function load({ store, principal, warn }: StoredListPorts, hostServer: HostServer): Promise<State> {
  const { server } = hostServer;
  const state: State = { list: undefined, unconfirmed: new Map(), confirming: new Map() };
  try {
    const text = await store.read(await keyOf(hostServer, principal));
    state.list = text === undefined ? undefined : readList(text);
    if (text !== undefined && state.list === undefined) warn(server, damaged(server));
  } catch (error) {
    warn(server, error);
  }
  return state;
}

async function save(
  { store, principal, warn }: StoredListPorts,
  hostServer: HostServer,
  list: StoredList,
): Promise<void> {
  const { server } = hostServer;
  const text = writeList(list);
  try {
    await store.write(await keyOf(hostServer, principal), text.length > maxStoredListChars ? undefined : text);
  } catch (error) {
    warn(server, error);
  }
}

const named = (kind: ListedKind, items: readonly object[], name: string): object | undefined =>
  items.find((item) => ownNameOf(kind, item) === name);

const damaged = (server: string): TenonError =>
  new TenonError('store-failed', `The stored lists of the server ${server} are damaged. It is listed again.`, {
    details: { server },
  });

const otherName = (server: string, before: string, now: string): TenonError =>
  new TenonError(
    'store-failed',
    `The server ${server} calls itself ${JSON.stringify(now)}; its lists were stored as those of ${JSON.stringify(before)}.`,
    { hint: 'They were dropped, and listed again.', details: { server } },
  );

/** Of a definition in an error. */
const maxDefinitionChars = 4000;

function changed(kind: ListedKind, server: string, name: string, now: object | undefined): TenonError {
  const what = `The ${kind} ${name} of ${server}`;
  if (now === undefined)
    return new TenonError('definition-changed', `${what} was not used: the server does not have it any more.`, {
      hint: 'List again.',
      details: { server, kind, name },
    });
  const text = JSON.stringify(now);
  const definition = text.length > maxDefinitionChars ? `${text.slice(0, maxDefinitionChars)}…` : text;
  return new TenonError(
    'definition-changed',
    `${what} was not used: it has changed since its list was stored. It is now ${definition}`,
    { hint: 'Read it, and call again.', details: { server, kind, name, definition: now } },
  );
}
