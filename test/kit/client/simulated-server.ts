/** A server on a fake clock that a test makes reachable or not. It records every connection attempt and message. */

import { type Client, type ConnectOptions, type ProtocolVersion, TenonError } from 'tenon';
import { buildClient } from '../../../src/client/client-core.ts';
import { type Connector } from '../../../src/client/connection/connector.ts';
import { createDeadlines } from '../../../src/lib/time/deadlines.ts';
import { createFakeClock, type FakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withDeadlines } from '../../../src/lib/time/internal-deadlines.ts';
import { type Json, ManualTransport } from './manual-transport.ts';

/** How the server reacts to a connection attempt. */
export type Mode =
  | 'up'
  /** The connection is refused. */
  | 'refusing'
  /** The connection is accepted late. */
  | 'slow'
  /** The connection opens, but no request is answered. */
  | 'mute'
  | 'unauthorized'
  | 'busy';

/** The `retryAfterMs` of a busy server. */
export const requestedMs = 7000;

const failures: Readonly<Partial<Record<Mode, () => TenonError>>> = {
  refusing: () => new TenonError('connection-refused', 'Connection refused.'),
  unauthorized: () => new TenonError('unauthorized', 'Unauthorized.'),
  busy: () => new TenonError('server-unavailable', 'Busy.', { details: { retryAfterMs: requestedMs } }),
};

export interface SimulatedServer {
  readonly clock: FakeClock;
  mode: Mode;
  /** The times of all connection attempts. */
  readonly dialled: number[];
  readonly wires: ManualTransport[];
  /** Connection attempts that wait for a slow server. */
  readonly slow: Set<() => void>;
  /** The open connection, if there is one. */
  wire(): ManualTransport | undefined;
  client(options?: ConnectOptions, bounds?: { maxWaiting?: number; random?: () => number }): Client;
}

export interface SimulatedServerOptions {
  readonly revision: ProtocolVersion;
  readonly capabilities?: Json;
  /** Called with every message of a client, except those that open a connection. */
  readonly received?: (wire: ManualTransport, message: Json) => void;
}

/** Resolves after everything has happened that needs no time to pass. */
export const still = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export function simulateServer({
  revision,
  capabilities = { tools: {} },
  received = () => {},
}: SimulatedServerOptions): SimulatedServer {
  const clock = createFakeClock();
  const deadlines = createDeadlines(clock);
  const serverInfo = { name: 'world', version: '1' };
  const cached = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
  const openings: Readonly<Record<string, Json>> = {
    'server/discover': { supportedVersions: [revision], capabilities, ...cached },
    initialize: { protocolVersion: revision, capabilities, serverInfo },
  };
  const world: SimulatedServer = {
    clock,
    mode: 'up',
    dialled: [],
    wires: [],
    slow: new Set(),
    wire: () => world.wires.findLast(({ state }) => state === 'open'),
    client: (options = {}, { maxWaiting = 10_000, random = () => 0.5 } = {}) =>
      buildClient(
        reach,
        { protocolVersions: [revision], ...withDeadlines(deadlines), ...options },
        { maxWaiting, random },
      ),
  };

  function receive(wire: ManualTransport, message: Json): void {
    const opening = openings[message.method as string];
    if (opening === undefined) return received(wire, message);
    if (world.mode !== 'mute') queueMicrotask(() => wire.answer(message.id as number, { result: opening }));
  }

  const reach: Connector = {
    reconnects: true,
    async connect(open, signal) {
      world.dialled.push(clock.now());
      if (world.mode === 'slow') await untilReleased(world.slow, signal);
      const failure = failures[world.mode]?.();
      if (failure !== undefined) throw failure;
      const wire = new ManualTransport(receive);
      world.wires.push(wire);
      return open(wire);
    },
  };
  return world;
}

/** Resolves when the test lets the attempt through or it is aborted: like a starting process, it cannot stop halfway. */
const untilReleased = (slow: Set<() => void>, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const go = (): void => {
      slow.delete(go);
      resolve();
    };
    slow.add(go);
    signal.addEventListener('abort', go, { once: true });
  });
