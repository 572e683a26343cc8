/** Long results of tools on an engine: a row each, in groups by owner, which expires. */
import { mapped } from '../../lib/values/maybe-promise.ts';
import type { Codec } from '../codec.ts';
import type { GroupMember, StoreDriver } from '../driver.ts';
import type { ResultRoom, ResultStore } from '../result-store.ts';
import { anyVersion, lastingMs, rowIn } from './runs.ts';

/**
 * Results of all conversations. An engine that cannot count its whole store has no such limit.
 * @limit store
 * @beyond the oldest are deleted; a model gets the advice to call the tool again
 */
const maxAllResults = 10_000;

/**
 * Characters of the results of all conversations. An engine that cannot count its whole store has no such limit.
 * @limit store
 * @default 128 Mi
 * @beyond the oldest are deleted; a model gets the advice to call the tool again
 */
const maxAllResultChars = 128 * 1024 * 1024;

export function resultsOn(driver: StoreDriver, codec: Codec): ResultStore {
  const partitionOf = (owner: string): string => `results:${codec.name(['results', owner])}`;
  const nameOf = (owner: string, key: string): string => codec.name(['tool-result', owner, key]);
  return {
    write(owner, key, text, room) {
      const name = nameOf(owner, key);
      const data = codec.seal(['tool-result', owner, name], text);
      const put = { op: 'put', key: name, version: anyVersion, data, chars: text.length } as const;
      return mapped(
        driver.run(
          partitionOf(owner),
          [{ ...put, expiresInMs: lastingMs(room.ttlMs), groups: groupsFor(room) }],
          'disk',
        ),
        () => undefined,
      );
    },
    read(owner, key) {
      const name = nameOf(owner, key);
      return mapped(driver.run(partitionOf(owner), [{ op: 'get', key: name }]), (ran) => {
        const stored = ran.failed === undefined ? rowIn(ran.results[0])?.data : undefined;
        return stored === undefined ? undefined : codec.open(['tool-result', owner, name], stored);
      });
    },
  };
}

const groupsFor = ({ maxResults, maxChars }: ResultRoom): readonly GroupMember[] => [
  { name: 'own', max: maxResults, beyond: 'delete-oldest', maxChars },
  { name: 'results', scope: 'store', max: maxAllResults, beyond: 'delete-oldest', maxChars: maxAllResultChars },
];
