/** Credentials, answers of users, and rows of an authorization server in Redis keep the contracts of their stores: on a plain server, and on one that is a cluster. */
import { openRedisStore, type RedisStore, type RedisStoreOptions } from 'tenon/redis';
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { withFixed } from '../kit/fixed-limits.ts';
import { testAuthorizationStore } from '../store/authorization-contract.ts';
import { testConsentStore } from '../store/consent-contract.ts';
import { testCredentialStore } from '../store/credential-contract.ts';
import { testSharedCredentials } from '../store/credential-processes.ts';
import { hasRedis, type RedisServer, startRedis } from './fixtures/redis-server.ts';

const encryption = { keys: ['a secret of the test, long enough'] };

describe.runIf(hasRedis).each([
  ['Redis', [], {}],
  ['a cluster of Redis', ['--cluster-enabled', 'yes'], {}],
  ['Redis, encrypted', [], { encryption }],
] as const)('%s', (name, settings, options) => {
  let server: RedisServer;
  const stores: RedisStore[] = [];
  let prefixes = 0;
  beforeAll(async () => {
    server = await startRedis(settings);
  });
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
  });
  afterAll(() => server.close());

  async function open(prefix: string, more: RedisStoreOptions = {}): Promise<RedisStore> {
    // Longer than the default: the machine may be busy.
    const timeouts = { commandMs: 60_000, connectMs: 60_000 };
    const store = await openRedisStore(server.url, { prefix, timeouts, ...options, ...more });
    stores.push(store);
    return store;
  }

  testCredentialStore(`in ${name}`, async () => (await open(`test${prefixes++}:`)).credentials);
  testConsentStore(`in ${name}`, async () => (await open(`test${prefixes++}:`)).consents);
  testAuthorizationStore(`in ${name}`, async () => {
    let moment = Date.now() + 3_600_000;
    const { authorizations } = await open(`test${prefixes++}:`, { now: () => moment });
    return { store: authorizations, advance: (ms) => void (moment += ms) };
  });
  testSharedCredentials(`in ${name}`, () => {
    const prefix = `test${prefixes++}:`;
    let moment = Date.now() + 3_600_000;
    return {
      open: ({ lockTimeoutMs = 60_000 } = { lockTimeoutMs: 60_000 }) =>
        open(prefix, {
          now: () => moment,
          credentials: withFixed({ maxEntries: 3 }, { lockTimeoutMs }),
          consents: { maxEntries: 3 },
        }),
      advance: (ms) => void (moment += ms),
      now: () => moment,
    };
  });
});
