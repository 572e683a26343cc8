/** What an authorization server stores in memory fulfils the contract. */
import { createMemoryStore } from 'tenon/store';
import { testAuthorizationStore } from './authorization-contract.ts';

testAuthorizationStore('in memory', () => {
  let moment = 1_000;
  return {
    store: createMemoryStore({ now: () => moment }).authorizations,
    advance: (ms) => void (moment += ms),
  };
});
