/** Nodes that share a store in memory run each call once. */
import { createMemoryStore } from 'tenon/store';
import { asyncStore } from '../kit/async-store.ts';
import { testSingleRuns } from './single-runs.ts';

for (const [name, create] of [
  ['in memory', createMemoryStore],
  ['that answers later', asyncStore],
] as const) {
  testSingleRuns(name, false, () => {
    const store = create();
    return { open: () => store };
  });
}
