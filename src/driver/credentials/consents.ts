/** Answers of users in a store: rows of texts that expire. */

import type { MaybePromise } from '../../lib/values/maybe-promise.ts';
import { mapped } from '../../lib/values/maybe-promise.ts';
import type { Codec, Path } from '../../store/codec.ts';
import type { ConsentStore, StoredConsent } from '../../store/consents/consent-store.ts';

/** What a driver stores: texts by name. Each operation is atomic. */
export interface ConsentRows {
  /** The text of a name, also if it has expired and was not deleted yet. */
  read(name: string): MaybePromise<string | undefined>;
  /** Stores a text until `expires`, or deletes it. Expired rows make room; without room it fails with `store-failed`. */
  write(name: string, text: string | undefined, expires: number): MaybePromise<void>;
}

export function consentsIn(rows: ConsentRows, codec: Codec): ConsentStore {
  const nameOf = (key: string): string => codec.name(['consent', key]);
  const pathOf = (name: string): Path => ['consent', name];
  return {
    read(key) {
      const name = nameOf(key);
      return mapped(rows.read(name), (text) =>
        text === undefined ? undefined : (JSON.parse(codec.open(pathOf(name), text)) as StoredConsent),
      );
    },
    write(key, consent) {
      const name = nameOf(key);
      if (consent === undefined) return rows.write(name, undefined, 0);
      return rows.write(name, codec.seal(pathOf(name), JSON.stringify(consent)), consent.expiresAt);
    },
  };
}
