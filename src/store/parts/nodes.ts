/** Which nodes live, on an engine: a row each, which expires. */
import { mapped } from '../../lib/values/maybe-promise.ts';
import type { StoreDriver } from '../driver.ts';
import type { NodeStore } from '../nodes/node-store.ts';
import { anyVersion, rowsIn } from './runs.ts';

/**
 * Nodes that share a store.
 * @limit HTTP
 * @beyond the others do not count as living
 */
const maxNodes = 10_000;

const partition = 'nodes';
const group = 'all';

export const nodesOn = (driver: StoreDriver): NodeStore => ({
  beat: (node, ttlMs) =>
    mapped(
      driver.run(partition, [
        { op: 'put', key: node, version: anyVersion, expiresInMs: ttlMs, groups: [{ name: group }] },
        { op: 'list', group, max: maxNodes },
      ]),
      (ran) => (ran.failed === undefined ? rowsIn(ran.results[1]).map(({ key }) => key) : []),
    ),
  leave: (node) => mapped(driver.run(partition, [{ op: 'delete', key: node }]), () => undefined),
});
