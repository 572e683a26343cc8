/** A server that can be reached, or not, as a test says, under a clock of the test; it keeps when it was dialled and what it was sent. */

import { type Client, type ConnectOptions, type ProtocolVersion, TenonError } from 'tenon';
import { withDeadlines } from '../../../src/client/api/internal-deadlines.ts';
import { buildClient } from '../../../src/client/client-core.ts';
import { type Connector } from '../../../src/client/connection/connector.ts';
import { createDeadlines } from '../../../src/jsonrpc/deadlines.ts';
import { createFakeClock, type FakeClock } from '../../../src/jsonrpc/fake-clock.ts';
import { type Json, ManualChannel } from './manual-channel.ts';

/** How the server takes it when somebody dials. */
export type Mode =
  | 'up'
  /** Nobody listens. */
  | 'refusing'
  /** Somebody listens, and takes their time. */
  | 'slow'
  /** The connection opens, and nothing is answered. */
  | 'mute'
  | 'unauthorized'
  | 'busy';

/** What a busy server asks for. */
export const requestedMs = 7000;

const failures: Readonly<Partial<Record<Mode, () => TenonError>>> = {
  refusing: () => new TenonError('connection-refused', 'Nobody listens.'),
  unauthorized: () => new TenonError('unauthorized', 'Who asks?'),
  busy: () => new TenonError('server-unavailable', 'Not now.', { details: { retryAfterMs: requestedMs } }),
};

export interface SimulatedServer {
  readonly clock: FakeClock;
  mode: Mode;
  /** When somebody dialled. */
  readonly dialled: number[];
  readonly wires: ManualChannel[];
  /** Dials that wait for a slow server. */
  readonly slow: Set<() => void>;
  /** The wire that is up, if one is. */
  wire(): ManualChannel | undefined;
  client(options?: ConnectOptions, bounds?: { maxWaiting?: number; random?: () => number }): Client;
}

export interface SimulatedServerOptions {
  readonly revision: ProtocolVersion;
  readonly capabilities?: Json;
  /** Hears all that a client sends but what opens a connection. */
  readonly received?: (wire: ManualChannel, message: Json) => void;
}

/** Whatever can happen without time passing has happened. */
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

  function receive(wire: ManualChannel, message: Json): void {
    const opening = openings[message.method as string];
    if (opening === undefined) return received(wire, message);
    if (world.mode !== 'mute') queueMicrotask(() => wire.answer(message.id as number, { result: opening }));
  }

  const reach: Connector = {
    reconnects: true,
    async connect(open, signal) {
      world.dialled.push(clock.now());
      if (world.mode === 'slow') await untilLet(world.slow, signal);
      const failure = failures[world.mode]?.();
      if (failure !== undefined) throw failure;
      const wire = new ManualChannel(receive);
      world.wires.push(wire);
      return open(wire);
    },
  };
  return world;
}

/** What was begun goes on to where it can be ended, as the start of a process does. */
const untilLet = (slow: Set<() => void>, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const go = (): void => {
      slow.delete(go);
      resolve();
    };
    slow.add(go);
    signal.addEventListener('abort', go, { once: true });
  });
