/** A server on a fake clock that records its requests and answers them, unless the test takes a request over. */

import type { ProtocolVersion } from 'tenon';
import { isSession } from '../version-order.ts';
import type { Json } from './manual-transport.ts';
import { type ManualTransport } from './manual-transport.ts';
import { type SimulatedServer, simulateServer, still } from './simulated-server.ts';

export interface Requested {
  readonly wire: ManualTransport;
  readonly id: number;
  readonly method: string;
  readonly params: Json;
}

export interface AnsweringServer {
  readonly world: SimulatedServer;
  readonly requested: Requested[];
  /** All requests of one method, in order. */
  of(method: string): Requested[];
  /** Returns true for a request that the server must not answer. */
  takes: (request: Requested) => boolean;
  /** Advances the clock and waits for everything that follows. */
  pass(ms: number): Promise<void>;
}

const capabilities = { tools: { listChanged: true }, resources: { subscribe: true }, logging: {}, completions: {} };
const cached = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };

export const listen = 'subscriptions/listen';
export const subscribe = 'resources/subscribe';
export const unsubscribe = 'resources/unsubscribe';

export function answeringServer(revision: ProtocolVersion): AnsweringServer {
  const isAlone = !isSession(revision);
  const world = simulateServer({
    revision,
    capabilities,
    received(wire, message) {
      const { id, method, params = {} } = message as { id?: number; method: string; params?: Json };
      if (id === undefined) return;
      const one = { wire, id, method, params };
      setting.requested.push(one);
      queueMicrotask(() => void (setting.takes(one) || answer(one)));
    },
  });
  const answer = ({ wire, id, method, params }: Requested): void => {
    const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
    if (method === listen)
      return wire.write({ method: 'notifications/subscriptions/acknowledged', params: { ...params, _meta } });
    const result = method === 'resources/read' ? { contents: [] } : {};
    wire.answer(id, { result: isAlone ? { ...result, ...cached } : result });
  };
  const setting: AnsweringServer = {
    world,
    requested: [],
    of: (method) => setting.requested.filter((one) => one.method === method),
    takes: () => false,
    async pass(ms) {
      await still();
      world.clock.advance(ms);
      await still();
    },
  };
  return setting;
}
