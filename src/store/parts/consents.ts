/** Answers of users on an engine: a row each, which expires. */
import { mapped } from '../../lib/values/maybe-promise.ts';
import type { Codec } from '../codec.ts';
import type { ConsentStore, StoredConsent } from '../consent-store.ts';
import type { StoreDriver } from '../driver.ts';
import { noRoom } from './credentials.ts';
import { anyVersion, lastingMs, rowIn } from './runs.ts';

const partition = 'consents';

export function consentsOn(driver: StoreDriver, codec: Codec, maxEntries: number, now: () => number): ConsentStore {
  const nameOf = (key: string): string => codec.name(['consent', key]);
  return {
    read: (key) =>
      mapped(driver.run(partition, [{ op: 'get', key: nameOf(key) }]), (ran) => {
        const text = ran.failed === undefined ? rowIn(ran.results[0])?.data : undefined;
        return text === undefined
          ? undefined
          : (JSON.parse(codec.open(['consent', nameOf(key)], text)) as StoredConsent);
      }),
    write(key, consent) {
      const name = nameOf(key);
      const expiresInMs = (consent?.expiresAt ?? 0) - now();
      if (consent === undefined || expiresInMs <= 0)
        return mapped(driver.run(partition, [{ op: 'delete', key: name }], 'disk'), () => undefined);
      const data = codec.seal(['consent', name], JSON.stringify(consent));
      const groups = [{ name: 'all', max: maxEntries }];
      return mapped(
        driver.run(
          partition,
          [{ op: 'put', key: name, version: anyVersion, data, expiresInMs: lastingMs(expiresInMs), groups }],
          'disk',
        ),
        ({ failed }) => {
          if (failed !== undefined) throw noRoom('consents', maxEntries);
        },
      );
    },
  };
}
