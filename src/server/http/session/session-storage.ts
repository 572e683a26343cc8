/** Where the sessions of one endpoint are kept, and what binds it to the endpoints that keep theirs there as well. */
import { memoryStore } from '../../../store/memory.ts';
import type { Store } from '../../../store/store.ts';
import type { ServerInternals } from '../../internals.ts';
import type { Change } from '../../ports/change-notifications.ts';
import { serverCloses } from '../../ports/link.ts';
import { followChanges } from './nodes/change-relay.ts';
import { joinNeighbours } from './nodes/node-bus.ts';
import type { SessionHost } from './session.ts';
import { createSessionIds } from './session-ids.ts';
import { type SessionBounds, SessionTable } from './session-table.ts';

export interface Keeping {
  readonly host: SessionHost;
  readonly sessions: SessionTable;
  /** Hears of changes, of this server and of those that share the store. Gives back how to stop. */
  listen(hear: (change: Change) => void): () => void;
  /** Lets go of all sessions, and of the other endpoints. Records stay. */
  close(): void;
}

/** What the endpoint says; the rest of what sessions need has to do with where they are kept. */
export type HostFacts = Omit<SessionHost, 'store' | 'neighbours' | 'streams' | 'answering' | 'now'>;

/** `given` is the store that is shared; without one the endpoint has its own, and no neighbours. */
export function createKeeping(
  { serving, offered, secrets }: ServerInternals,
  given: Store | undefined,
  facts: HostFacts,
  bounds: SessionBounds,
): Keeping {
  const now = (): number => Date.now();
  const store = given ?? memoryStore({ now });
  const { fault } = facts;
  const neighbours = given && joinNeighbours(store.bus, (key, message) => sessions.hear(key, message), fault);
  if (given !== undefined && secrets === undefined) announceOwnKey();
  const host: SessionHost = { ...facts, store, neighbours, now, streams: 0, answering: 0 };
  const sessions = new SessionTable(host, createSessionIds(secrets, now), offered, bounds);
  return {
    host,
    sessions,
    listen: (hear) => (given === undefined ? serving.changes.listen(hear) : followChanges(serving, store, hear, fault)),
    close() {
      sessions.close(serverCloses);
      neighbours?.close();
    },
  };
}

/** A shared store is of no use to endpoints that cannot open each other's ids. */
const announceOwnKey = (): void =>
  console.warn(
    'tenon: sessions are kept in a store, and their ids are sealed with a key of this process. No other process can open them, nor this one after a restart: set state.secrets.',
  );
