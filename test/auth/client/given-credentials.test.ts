/** Bearer tokens and API keys that a program has already, as text or from a function. */
import { connect } from 'tenon';
import { apiKey, bearerToken } from 'tenon/auth';
import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { deferred } from '../../kit/deferred.ts';
import { withFixed } from '../../kit/fixed-limits.ts';
import { type Received, refuse, scripted, session } from '../../kit/http/scripted-server.ts';

const challenge = { 'www-authenticate': 'Bearer error="invalid_token"' };

/** Accepts the tokens of the list, one after another: each until the next is expected. */
function accepting(token: () => string) {
  return ({ headers, response }: Received): unknown =>
    headers.authorization === `Bearer ${token()}` ? false : refuse(response, 401, undefined, challenge);
}

describe('bearerToken', () => {
  it('sends a token in the authorization header of every request, never in the URL [e-auth-36, e-auth-37, e-auth-38, s-auth-57, s-auth-58, s-auth-60]', async () => {
    const server = await scripted(accepting(() => 'one'));
    const client = await connect({ url: server.url, auth: bearerToken('one') });
    await client.tools.list().all();
    await client.close();
    expect(server.received.length).toBeGreaterThan(1);
    for (const { headers, path } of server.received)
      expect([headers.authorization, path]).toEqual(['Bearer one', '/mcp']);
  });

  it('fails with unauthorized where a text is refused, without sending it again', async () => {
    const server = await scripted(accepting(() => 'one'));
    const auth = bearerToken('canary-4711');
    const error = await connect({ url: server.url, auth }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'unauthorized' });
    expect(String(error)).not.toContain('canary');
  });

  it('asks a function for the first token, and for another when it is refused: once for a request', async () => {
    let valid = 'token-1';
    const needs: (string | undefined)[] = [];
    const server = await scripted(accepting(() => valid));
    const auth = bearerToken(({ refused, url }) => {
      expect(url).toBe(server.url);
      needs.push(refused);
      return `token-${needs.length}`;
    });
    const client = await connect({ url: server.url, auth }, { protocolVersions: [session] });
    await client.ping();
    expect(needs).toEqual([undefined]);
    valid = 'token-2';
    expect(await Promise.all([client.ping(), client.ping(), client.ping()])).toHaveLength(3);
    expect(needs).toEqual([undefined, 'token-1']);
    valid = 'none';
    await expect(client.ping()).rejects.toMatchObject({ code: 'unauthorized' });
    expect(needs).toEqual([undefined, 'token-1', 'token-2']);
    await client.close();
  });

  it('does not send a request again where the function returns the same token', async () => {
    const server = await scripted(accepting(() => 'good'));
    const auth = bearerToken(async () => 'same');
    await expect(connect({ url: server.url, auth })).rejects.toMatchObject({ code: 'unauthorized' });
    expect(server.received).toHaveLength(1);
  });

  it('reports a function that fails, or returns no token, without quoting it', async () => {
    const server = await scripted(accepting(() => 'good'));
    const cause = new Error('no such file');
    await expect(connect({ url: server.url, auth: bearerToken(() => Promise.reject(cause)) })).rejects.toMatchObject({
      code: 'callback-failed',
      cause,
    });
    const auth = bearerToken(() => 'canary\n4711');
    const error = await connect({ url: server.url, auth }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'callback-failed' });
    expect(String((error as Error).cause)).not.toContain('canary');
    expect(server.received).toEqual([]);
  });

  it('limits how long a function may take', async () => {
    const clock = createFakeClock();
    const server = await scripted(accepting(() => 'good'));
    const asked = deferred<AbortSignal>();
    const auth = bearerToken(
      ({ signal }) => {
        asked.resolve(signal);
        return new Promise(() => {});
      },
      withFixed(withClock(clock), { timeoutMs: 1000 }),
    );
    const connecting = connect({ url: server.url, auth });
    const signal = await asked.promise;
    clock.advance(1000);
    await expect(connecting).rejects.toMatchObject({
      code: 'callback-failed',
      cause: { code: 'timeout', details: { timeoutMs: 1000 } },
    });
    expect(signal.aborted).toBe(true);
  });

  it('refuses what is not a token, without quoting it', () => {
    for (const token of ['', 'canary 4711', 'canary\r\nx: y', 7 as never]) {
      expect(() => bearerToken(token)).toThrow(/visible characters/);
      expect(() => bearerToken(token)).not.toThrow(/canary/);
    }
    expect(() => bearerToken('x', { timeoutMs: 5 } as object)).toThrow(/timeoutMs is fixed at 60000\./);
  });
});

describe('apiKey', () => {
  it('sends the key in a header of its own', async () => {
    const server = await scripted(({ headers, response }) =>
      headers['x-key'] === 'tnk' ? false : refuse(response, 401),
    );
    const client = await connect({ url: server.url, auth: apiKey(() => 'tnk', { header: 'X-Key' }) });
    expect(await client.tools.list().all()).toEqual([]);
    await client.close();
    expect(() => apiKey('x', { header: 'a b' })).toThrow(/name of a header/);
  });
});
