/** The option `auth` of a target: every request has credentials, and a refused one is sent again with new ones. */
import { type ClientAuth, connect, TenonError } from 'tenon';
import type { AuthRefusal } from 'tenon/client';
import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { deferred } from '../../kit/deferred.ts';
import { alone, type Received, refuse, scripted, session } from '../../kit/http/scripted-server.ts';
import { isSession } from '../../kit/version-order.ts';

const challenge = { 'www-authenticate': 'Bearer scope="files:read"' };
const needsToken = ({ headers, response }: Received, token = 'good'): unknown =>
  headers.authorization === `Bearer ${token}` ? false : refuse(response, 401, undefined, challenge);

/** Gets its token when it is refused. */
function lateToken(get: (refusal: AuthRefusal, signal: AbortSignal) => Promise<string | undefined>) {
  const refusals: AuthRefusal[] = [];
  let token: string | undefined;
  const auth: ClientAuth = {
    forServer: () => ({
      headers: () => (token === undefined ? undefined : { authorization: `Bearer ${token}` }),
      async refused(refusal, signal) {
        refusals.push(refusal);
        const found = await get(refusal, signal);
        token = found ?? token;
        return found !== undefined;
      },
    }),
  };
  return { auth, refusals };
}

describe('The option auth of a target', () => {
  it.each([session, alone] as const)(
    'adds credentials to every request of %s, the first ones included [e-auth-37, s-auth-59]',
    async (version) => {
      const server = await scripted((received) => {
        if (version === session) received.response.setHeader('mcp-session-id', 'session-1');
        return needsToken(received);
      });
      const { auth, refusals } = lateToken(async () => 'good');
      const client = await connect({ url: server.url, auth }, { protocolVersions: [version] });
      await client.tools.list().all();
      if (version === session) await server.until(({ method }) => method === 'GET');
      await client.close();
      expect(refusals.map(({ status, challenges, operation }) => ({ status, challenges, operation }))).toEqual([
        {
          status: 401,
          challenges: ['Bearer scope="files:read"'],
          operation: !isSession(version) ? 'server/discover' : 'initialize',
        },
      ]);
      const [first, ...rest] = server.received;
      expect(first?.headers.authorization).toBeUndefined();
      expect(rest.length).toBeGreaterThan(1);
      expect(rest.filter(({ headers }) => headers.authorization !== 'Bearer good')).toEqual([]);
      const methods = new Set(rest.map(({ method }) => method));
      expect([...methods].sort()).toEqual(!isSession(version) ? ['POST'] : ['DELETE', 'GET', 'POST']);
      // The refusal says nothing of the revision.
      expect(server.posted('initialize').length).toBe(!isSession(version) ? 0 : 2);
    },
  );

  it('sends the refusal on where there are no other credentials', async () => {
    const server = await scripted((received) => needsToken(received));
    const { auth } = lateToken(async () => undefined);
    await expect(connect({ url: server.url, auth })).rejects.toMatchObject({
      code: 'unauthorized',
      details: { status: 401 },
    });
  });

  it('fails the call with the error of the credentials', async () => {
    const server = await scripted((received) => needsToken(received));
    const failure = new TenonError('authorization-failed', 'No.', { details: { steps: [] } });
    const { auth, refusals } = lateToken(() => Promise.reject(failure));
    await expect(connect({ url: server.url, auth })).rejects.toMatchObject({
      code: 'authorization-failed',
      details: { steps: [] },
    });
    expect(refusals.length).toBe(1);
  });

  it('leaves a 403 without insufficient_scope alone', async () => {
    const server = await scripted(({ response }) => refuse(response, 403));
    const { auth, refusals } = lateToken(async () => 'good');
    await expect(connect({ url: server.url, auth })).rejects.toMatchObject({ code: 'forbidden' });
    expect(refusals).toEqual([]);
  });

  it('stops the timeout of a request while a person decides', async () => {
    const clock = createFakeClock();
    const asked = deferred();
    const decided = deferred<string>();
    const server = await scripted((received) => needsToken(received));
    const { auth } = lateToken(() => {
      asked.resolve();
      return decided.promise;
    });
    const connecting = connect({ url: server.url, auth }, { timeoutMs: 1000, ...withClock(clock) });
    await asked.promise;
    clock.advance(60 * 60_000);
    decided.resolve('good');
    const client = await connecting;
    expect(await client.tools.list().all()).toEqual([]);
    await client.close();
  });

  it('aborts the wait for credentials when the call is cancelled', async () => {
    const server = await scripted((received) => needsToken(received));
    const aborted = deferred();
    const stop = new AbortController();
    const { auth } = lateToken((_refusal, signal) => {
      signal.addEventListener('abort', () => aborted.resolve());
      stop.abort();
      return new Promise(() => {});
    });
    await expect(connect({ url: server.url, auth }, { signal: stop.signal })).rejects.toMatchObject({
      code: 'cancelled',
    });
    await aborted.promise;
  });

  it('is refused beside an authorization header', async () => {
    const { auth } = lateToken(async () => 'good');
    const target = { url: 'https://mcp.example/mcp', headers: { Authorization: 'Bearer x' }, auth };
    await expect(connect(target)).rejects.toMatchObject({ code: 'invalid-argument' });
    await expect(connect({ url: 'https://mcp.example/mcp', auth: 'token' as never })).rejects.toThrow(
      /target\.auth must be what oauth/,
    );
  });
});
