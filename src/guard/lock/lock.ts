/** A lock: compares the current definitions of each server with the approved ones. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { has } from '../../lib/options/option-rules.ts';
import { type Filled, readOptions } from '../../lib/options/read-options.ts';
import type { ApprovedServer, ListedKind, Lock, LockedItem, SeenServer } from '../../ports/lock.ts';
import { compareServer } from './compare.ts';
import { hashOf, lockedKinds, nameOf, pinnedPart } from './definitions.ts';
import {
  emptyServer,
  type LockedDefinition,
  type LockedServer,
  type LockedServers,
  readLock,
  writeLock,
} from './document.ts';
import { lockOptions } from './options.table.ts';
import type { LockOptions } from './options.ts';

/** Where the text of a lock is. */
export interface LockStorage {
  /** The text; `undefined` if nothing was approved yet. */
  read(): Promise<string | undefined>;
  /** Replaces the whole text by the result of `change`. No other change happens meanwhile. */
  update(change: (text: string | undefined) => Promise<string>): Promise<void>;
}

/** Makes a lock of a text that is stored anywhere. On Node `lockFile` stores it in a file. */
export function createLock(storage: LockStorage, options?: LockOptions): Lock {
  if (!has(storage, 'read') || !has(storage, 'update'))
    throw new TenonError('invalid-argument', 'createLock(): The storage must have read() and update().', {
      hint: "On Node, lockFile('mcp.lock') stores it in a file.",
    });
  return lockIn(storage, readOptions('createLock()', lockOptions, options));
}

/** The same with options that were read. */
export function lockIn(
  storage: LockStorage,
  { mode, includeResources }: Filled<LockOptions, typeof lockOptions>,
): Lock {
  let last: { readonly text: string | undefined; readonly servers: Promise<LockedServers> } | undefined;
  let known: LockedServers | undefined;

  /** Callers at the same time share one verification. */
  async function current(): Promise<LockedServers> {
    const text = await storage.read();
    if (last === undefined || last.text !== text) last = { text, servers: serversIn(text) };
    known = await last.servers;
    return known;
  }

  async function change(edit: (servers: Map<string, LockedServer>) => Promise<void>): Promise<void> {
    if (mode === 'check')
      throw new TenonError('invalid-argument', 'The lock is only checked: nothing can be approved.', {
        hint: "Open it without mode: 'check'.",
      });
    await storage.update(async (text) => {
      const servers = new Map(await serversIn(text));
      await edit(servers);
      return writeLock(servers);
    });
    await current();
  }

  const lockedPart = (seen: SeenServer): SeenServer => {
    if (includeResources) return seen;
    const { resource: _, ...definitions } = seen.definitions;
    return { ...seen, definitions };
  };

  return {
    mode,
    compare: async (server, seen) => compareServer(await current(), server, lockedPart(seen)),
    approve: (server, seen, items) =>
      change(async (servers) => {
        servers.set(server, await approved(servers.get(server), lockedPart(seen), items));
      }),
    remove: (server) =>
      change(async (servers) => {
        servers.delete(server);
      }),
    servers: async () => [...(await current()).keys()],
    definitions: async (server) => {
      const locked = (await current()).get(server);
      return locked && approvedServer(locked, includeResources);
    },
    allowsInstructions: (server, text) => known?.get(server)?.instructions === text,
  };
}

function approvedServer({ identity, instructions, definitions }: LockedServer, withResources: boolean): ApprovedServer {
  const kinds = lockedKinds.filter((kind) => withResources || kind !== 'resource');
  const whole = kinds.map((kind) => [kind, [...definitions[kind].values()].map(({ definition }) => definition)]);
  return { identity, instructions, definitions: Object.fromEntries(whole) as ApprovedServer['definitions'] };
}

const serversIn = async (text: string | undefined): Promise<LockedServers> =>
  text === undefined ? new Map() : readLock(text);

/** Kinds that were not listed keep their approved definitions. Another server starts with none. */
async function approved(
  before: LockedServer | undefined,
  seen: SeenServer,
  items: readonly LockedItem[] | undefined,
): Promise<LockedServer> {
  const same = before !== undefined && (await hashOf(before.identity)) === (await hashOf(seen.identity));
  const start = same ? before : emptyServer(seen.identity);
  const isChosen = (kind: LockedItem['kind'], name: string): boolean =>
    items === undefined || items.some((item) => item.kind === kind && item.name === name);
  const instructions = isChosen('instructions', '') ? seen.instructions : start.instructions;
  const definitions = { ...start.definitions } as Record<ListedKind, ReadonlyMap<string, LockedDefinition>>;
  for (const kind of lockedKinds) {
    const listed = seen.definitions[kind];
    if (listed === undefined) continue;
    const now = new Map<string, LockedDefinition>();
    for (const definition of listed) {
      const pinned = pinnedPart(kind, definition);
      now.set(nameOf(kind, definition), { hash: await hashOf(pinned), definition: pinned });
    }
    const names = new Set([...start.definitions[kind].keys(), ...now.keys()]);
    definitions[kind] = new Map(
      [...names].flatMap((name) => {
        const one = (isChosen(kind, name) ? now : start.definitions[kind]).get(name);
        return one === undefined ? [] : [[name, one] as const];
      }),
    );
  }
  return { identity: seen.identity, ...(instructions !== undefined && { instructions }), definitions };
}
