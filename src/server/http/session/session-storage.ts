/** Where one endpoint stores its sessions, and how it is connected to other endpoints with the same store. */

import { isRequestBound } from '../../../lib/time/request-bound.ts';
import { durabilityWarning } from '../../../store/durability.ts';
import { createMemoryStore } from '../../../store/memory.ts';
import type { Store } from '../../../store/store.ts';
import type { ServerInternals } from '../../internals.ts';
import { serverCloses } from '../../ports/link.ts';
import type { Gate } from '../admission/gate/gate.ts';
import type { HttpSettings } from '../settings.ts';
import { followChanges, type OnChange } from './nodes/change-relay.ts';
import { Liveness, type NodeFollower } from './nodes/liveness.ts';
import { joinNodeBus, type NodeListener } from './nodes/node-bus.ts';
import { StoredRevocations } from './nodes/stored-revocations.ts';
import type { SessionHost } from './session.ts';
import { createSessionIds } from './session-ids.ts';
import { storeFailed } from './session-record.ts';
import { SessionTable } from './session-table.ts';

export interface SessionStorage {
  readonly host: SessionHost;
  readonly sessions: SessionTable;
  /** Listens to changes of this server and of those that share the store. Returns a function that stops, once the others can know its own. */
  listen(onChange: OnChange): () => void | Promise<void>;
  /** The endpoint is about to close: clients that listen reconnect, if that can be at another endpoint. */
  drain(): void;
  /** Drops all sessions and leaves the other endpoints. Records stay. Resolves when the store has nothing left to do. */
  close(): Promise<void>;
}

type HostSettings = Pick<SessionHost, 'logLimits' | 'maxStreams' | 'inputMs' | 'storeMs'>;

/** The parts of `SessionHost` that come from the endpoint. */
type HostParts = Omit<
  SessionHost,
  keyof HostSettings | 'store' | 'nodeBus' | 'liveness' | 'changes' | 'revocations' | 'streams' | 'answering' | 'now'
>;

export function createSessionStorage(
  { serving, offered, secrets, useStore, checkStore }: ServerInternals,
  { store: ownStore, sessions: limitsOfSessions, limits, timeouts }: HttpSettings,
  parts: HostParts,
  gate: Gate,
  onRevoked: (owner: string) => void,
): SessionStorage {
  const now = (): number => Date.now();
  const { idleTimeoutMs, maxAgeMs } = limitsOfSessions;
  const { inputMs, deadNodeMs, storeMs } = timeouts;
  const { warn, log } = parts;
  const used = ownStore && useStore(ownStore, storeMs);
  if (used === undefined) checkStore();
  else log?.storeAttached(used.store);
  const shared = used?.store;
  const store = shared ?? createMemoryStore({ now });
  // On workerd nothing listens at module scope, and one request cannot notify another: the store is for calls alone.
  const others = isRequestBound() ? undefined : shared;
  const listener = {
    onMessage: (key, message) => sessions.onNodeMessage(key, message),
    onRevoked,
    onMissed: () => sessions.onMissed(),
  } satisfies NodeListener;
  const nodeBus = others && joinNodeBus(others.bus, serving.deadlines, listener, warn);
  const { node } = nodeBus ?? {};
  const { nodes } = store;
  const { deadlines } = serving;
  const follower = followerOf(() => sessions);
  const liveness =
    node === undefined || nodes === undefined
      ? undefined
      : new Liveness({ node, nodes, timeoutMs: deadNodeMs, deadlines, follower, warn });
  if (shared !== undefined) warnOfStore(shared, secrets, warn);
  const { maxStreamChars, maxSessionChars, maxTotalStoredChars, maxStreams } = limits;
  const logLimits = { maxStreamChars, maxSessionChars, maxTotalStoredChars, maxStreams };
  const own: HostSettings = { logLimits, maxStreams, inputMs, storeMs };
  const host: SessionHost = {
    ...parts,
    ...own,
    store,
    nodeBus,
    liveness,
    changes: undefined,
    revocations: shared && new StoredRevocations(store.sessions, maxAgeMs),
    now,
    streams: 0,
    answering: 0,
  };
  const sessions = new SessionTable(host, createSessionIds(secrets, now), offered, {
    gate,
    idleTimeoutMs,
    maxAgeMs,
  });
  return {
    host,
    sessions,
    listen(onChange) {
      if (others === undefined) return serving.changes.listen((change) => onChange(change, undefined));
      const changes = followChanges(serving, others, onChange, warn, timeouts);
      host.changes = changes;
      return () => changes.stop();
    },
    drain() {
      if (nodeBus !== undefined) sessions.each((session) => session.disconnectReaders());
    },
    async close() {
      await sessions.close(serverCloses);
      await nodeBus?.published();
      await liveness?.leave().catch((cause: unknown) => warn(storeFailed(cause)));
      nodeBus?.close();
      await used?.release();
    },
  };
}

/** Takes over what dead nodes have left, for all sessions of this endpoint. */
const followerOf = (sessions: () => SessionTable): NodeFollower => ({
  followed() {
    const nodes = new Set<string>();
    sessions().each((session) => {
      for (const node of session.followedNodes()) nodes.add(node);
    });
    return nodes;
  },
  onReport: (dead) => sessions().each((session) => session.onReport(dead)),
});

function warnOfStore(store: Store, secrets: readonly string[] | undefined, warn: HostParts['warn']): void {
  const unknown = durabilityWarning(store);
  if (unknown !== undefined) warn(unknown);
  // A store in memory may be of one endpoint alone, which needs no shared key.
  if (secrets === undefined)
    console.warn(
      'tenon: sessions are in a store, but their ids are sealed with a key of this endpoint. Other endpoints cannot open them. Set the option secrets of createServer().',
    );
}
