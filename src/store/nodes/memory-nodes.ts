/** Which nodes live, in the memory of this process. */
import type { NodeStore } from './node-store.ts';

export interface MemoryNodes extends NodeStore {
  beat(node: string, ttlMs: number): readonly string[];
  clear(): void;
}

export function createMemoryNodes(now: () => number): MemoryNodes {
  /** Until when each node lives. */
  const nodes = new Map<string, number>();
  return {
    beat(node, ttlMs) {
      const moment = now();
      nodes.set(node, moment + ttlMs);
      for (const [name, until] of nodes) if (until <= moment) nodes.delete(name);
      return [...nodes.keys()];
    },
    leave: (node) => void nodes.delete(node),
    clear: () => nodes.clear(),
  };
}
