/** The results that a toolkit stores without a store of its own fulfil the contract of those of every store. */
import { describe } from 'vitest';
import { memoryResults } from '../../src/store/parts/memory-results.ts';
import type { StoreUnderTest } from './contract.ts';
import { testResults } from './result-contract.ts';

describe('without an engine', () => {
  let moment = 1_000_000;
  const now = (): number => moment;
  let results = memoryResults(now);
  testResults('in a toolkit', () => ({
    store: { results } as unknown as StoreUnderTest['store'],
    now,
    advance(ms) {
      moment += ms;
    },
    lose() {
      results = memoryResults(now);
    },
  }));
});
