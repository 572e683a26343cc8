/** Signing in on another device, against a real authorization server. */
import { connect, type TenonError } from 'tenon';
import { type DeviceCode, deviceCode, type Grant, type OAuth } from 'tenon/auth';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createFakeClock, type FakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { memoryCredentials } from '../../../src/store/parts/memory-credentials.ts';
import { type ProtectedServer, startProtected } from '../../kit/auth/protected-server.ts';
import { deferred } from '../../kit/deferred.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

interface Device {
  readonly server: ProtectedServer;
  readonly clock: FakeClock;
  /** The code, once it is shown. */
  shown(): Promise<DeviceCode>;
  readonly grant: Grant;
}

async function startDevice(): Promise<Device> {
  const server = await startProtected();
  const clock = createFakeClock();
  const shown = deferred<DeviceCode>();
  const grant = deviceCode({ onCode: (code) => shown.resolve(code), ...withClock(clock) });
  return { server, clock, shown: () => withTimeout(shown.promise, 'the code'), grant };
}

async function whoami(url: string, auth: OAuth): Promise<unknown> {
  const client = await connect({ url, auth });
  const { content } = await client.tools.call('whoami');
  await client.close();
  return content;
}

const failureOf = (promise: Promise<unknown>): Promise<TenonError> =>
  promise.then(
    () => expect.unreachable('It should have failed.'),
    (error: TenonError) => error,
  );

/** The program waits before it asks again. */
const waits = (clock: FakeClock): Promise<void> => vi.waitFor(() => expect(clock.pending).toBe(1));

describe('A device code', () => {
  it('gives tokens once the person has signed in elsewhere, and they are refreshed [e-auth-46]', async () => {
    const { server, clock, shown, grant } = await startDevice();
    const store = memoryCredentials();
    const asking = whoami(server.url, server.auth({ grant, store }));
    const { url, urlWithCode = '', code, expiresAt } = await shown();
    expect(url).toMatch(new RegExp(`^${server.server.issuer}/`));
    expect(urlWithCode).toContain(code);
    expect(expiresAt).toBeGreaterThan(Date.now());
    await waits(clock);
    await server.server.approveDevice(urlWithCode, { user: 'grace' });
    clock.advance(1000);
    expect(await asking).toMatchObject([{ text: 'grace' }]);
    expect(server.signIns).toEqual([]);
    expect(JSON.stringify(server.steps)).not.toContain('device_code=');
    const tokens = (await store.read(JSON.stringify(['tokens', server.server.issuer, server.url])))?.value;
    expect(tokens).toMatchObject({ refreshToken: expect.any(String) });
  });

  it('fails when the person denies it', async () => {
    const { server, clock, shown, grant } = await startDevice();
    const failing = failureOf(whoami(server.url, server.auth({ grant })));
    const { urlWithCode = '' } = await shown();
    await waits(clock);
    await server.server.approveDevice(urlWithCode, { deny: true });
    clock.advance(1000);
    expect(await failing).toMatchObject({ code: 'authorization-failed', details: { error: 'access_denied' } });
  });

  it('is not waited for longer than timeouts.signInMs', async () => {
    const { server, grant } = await startDevice();
    const error = await failureOf(whoami(server.url, server.auth({ grant, timeouts: { signInMs: 50 } })));
    expect(error).toMatchObject({ code: 'authorization-failed', hint: expect.stringContaining('signInMs') });
  });

  it('stops when the call is cancelled', async () => {
    const { server, shown, grant, clock } = await startDevice();
    const stop = new AbortController();
    const connecting = connect({ url: server.url, auth: server.auth({ grant }) }, { signal: stop.signal });
    await shown();
    await waits(clock);
    stop.abort();
    await expect(connecting).rejects.toMatchObject({ code: 'cancelled' });
    // No timer is left that would keep the process alive.
    expect(clock.pending).toBe(0);
  });

  it('names a server that has no device codes', async () => {
    const { server, grant } = await startDevice();
    const metadata = (await (await fetch(`${server.server.issuer}/.well-known/oauth-authorization-server`)).json()) as {
      device_authorization_endpoint?: string;
    };
    delete metadata.device_authorization_endpoint;
    const without: typeof fetch = async (url, init) =>
      String(url).startsWith(`${server.server.issuer}/.well-known`) ? Response.json(metadata) : fetch(url, init);
    const error = await failureOf(whoami(server.url, server.auth({ grant, fetch: without })));
    expect(error.message).toContain('device_authorization_endpoint');
  });

  it('is printed to standard error, without control characters', async () => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
    onTestFinished(() => printed.mockRestore());
    const { server } = await startDevice();
    const evil: typeof fetch = async (url, init) => {
      const response = await fetch(url, init);
      if (!String(url).endsWith('/device/auth')) return response;
      return Response.json({ ...((await response.json()) as object), user_code: 'AB\u001b[2J' });
    };
    const auth = server.auth({ grant: deviceCode(), fetch: evil, timeouts: { signInMs: 300 } });
    await failureOf(whoami(server.url, auth));
    const text = printed.mock.calls.join('\n');
    expect(text).toContain('enter the code AB');
    expect(text).not.toContain('\u001b');
  });

  it('names the option that is wrong', () => {
    expect(() => deviceCode({ oncode: () => {} } as never)).toThrow(/onCode/);
  });
});
