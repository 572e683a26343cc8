/** Credentials and answers of users in Redis: a hash each, and a key for each lock. */
import type { ConsentRows } from '../driver/credentials/consents.ts';
import type { CredentialRows } from '../driver/credentials/credentials.ts';
import {
  defaultMaxEntries,
  noRoom,
  type StoredConsentsOptions,
  type StoredCredentialsOptions,
} from '../driver/credentials/options.ts';
import { named } from './connection/connection.ts';
import type { ScriptedRedis } from './connection/scripted.ts';
import type { RedisKeys } from './keys.ts';

const isFull = -1;

export function createCredentialRows(
  redis: ScriptedRedis,
  keys: RedisKeys,
  { maxEntries = defaultMaxEntries }: StoredCredentialsOptions = {},
): CredentialRows {
  return {
    async read(name) {
      const stored = await named(redis.redis.hget(keys.credentials, name));
      if (stored === null) return undefined;
      const end = stored.indexOf(' ');
      return { version: stored.slice(0, end), text: stored.slice(end + 1) };
    },
    async swap(name, version, row) {
      const values = [name, version ?? '', row?.version ?? '', row?.text ?? '', maxEntries];
      const done = await redis.run('swapCredential', [keys.credentials], values);
      if (done === isFull) throw noRoom('credentials', maxEntries);
      return done === 1;
    },
    async hold(name, holder, leaseMs) {
      return (await redis.run('holdLock', [keys.credentialLock(name)], [holder, leaseMs])) === 1;
    },
    async release(name, holder) {
      await redis.run('releaseLock', [keys.credentialLock(name)], [holder]);
    },
  };
}

export function createConsentRows(
  redis: ScriptedRedis,
  keys: RedisKeys,
  { maxEntries = defaultMaxEntries }: StoredConsentsOptions = {},
): ConsentRows {
  return {
    async read(name) {
      return (await named(redis.redis.hget(keys.consents[0], name))) ?? undefined;
    },
    async write(name, text, expires) {
      const done = await redis.run('writeConsent', keys.consents, [name, text ?? '', expires, maxEntries]);
      if (done === isFull) throw noRoom('consents', maxEntries);
    },
  };
}
