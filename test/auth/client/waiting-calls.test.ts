/** Calls that wait for a connection whose server asks a person to sign in. */
import { createClient } from 'tenon';
import { oauth, type SignIn } from 'tenon/auth';
import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { failureOf, setUp } from '../../kit/auth/challenging-server.ts';
import { deferred } from '../../kit/deferred.ts';
import { session } from '../../kit/http/scripted-server.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

/** A client whose person decides when the test says so. */
async function start() {
  const { server, authority } = await setUp();
  const asked = deferred();
  const decided = deferred<Error | undefined>();
  const signIn: SignIn = {
    async prepare(signal) {
      const prepared = await authority.signIn.prepare(signal);
      return {
        ...prepared,
        async authorize(url, own) {
          asked.resolve();
          const refusal = await decided.promise;
          if (refusal !== undefined) throw refusal;
          return prepared.authorize(url, own);
        },
      };
    },
  };
  const clock = createFakeClock();
  const client = createClient(
    { url: server.url, auth: oauth({ signIn, timeouts: { requestMs: 60_000 } }) },
    { protocolVersions: [session], reconnect: false, ...withClock(clock) },
  );
  return { client, clock, decided, asked: withTimeout(asked.promise, 'the sign-in') };
}

describe('A call that waits for a connection', () => {
  it('waits as long as a person takes to sign in', async () => {
    const { client, clock, decided, asked } = await start();
    const call = client.tools.call('write', {}, { timeoutMs: 1000 });
    await asked;
    clock.advance(60_000);
    const late = client.tools.call('write', {}, { timeoutMs: 1000 });
    clock.advance(60_000);
    decided.resolve(undefined);
    expect(await Promise.all([call, late])).toMatchObject([{ content: [{}] }, { content: [{}] }]);
    await client.close();
  });

  it('fails with the error of the sign-in', async () => {
    const { client, clock, decided, asked } = await start();
    const call = failureOf(client.tools.call('write', {}, { timeoutMs: 1000 }));
    await asked;
    clock.advance(60_000);
    decided.resolve(new Error('The person left.'));
    expect(await call).toMatchObject({
      code: 'authorization-failed',
      cause: new Error('The person left.'),
    });
    await client.close();
  });

  it('ends when the client closes while a person signs in', async () => {
    const { client, asked } = await start();
    const call = failureOf(client.tools.call('write', {}, { timeoutMs: 1000 }));
    await asked;
    await client.close({ timeoutMs: 0 });
    expect(await call).toMatchObject({ code: 'connection-closed' });
  });
});
