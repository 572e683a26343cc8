/** Whole flows of the OAuth client against a real authorization server. */
import { connect, type TenonError } from 'tenon';
import { type OAuth, oauth } from 'tenon/auth';
import { type CredentialStore } from 'tenon/store';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { memoryCredentials } from '../../../src/store/parts/memory-credentials.ts';
import { redirectUri } from '../../kit/auth/dev-auth.ts';
import { type ProtectedServer, startProtected } from '../../kit/auth/protected-server.ts';
import { deferred } from '../../kit/deferred.ts';

const minuteMs = 60_000;

/** Both sides read the date, so that tokens expire without waiting. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());
const later = (ms: number): unknown => vi.setSystemTime(Date.now() + ms);

async function callWith(url: string, auth: OAuth): Promise<string | undefined> {
  const client = await connect({ url, auth });
  try {
    const { content } = await client.tools.call('whoami');
    return (content[0] as { text?: string }).text;
  } finally {
    await client.close();
  }
}

const failureOf = (promise: Promise<unknown>): Promise<TenonError> =>
  promise.then(
    () => expect.unreachable('It should have failed.'),
    (error: TenonError) => error,
  );

const names = ({ steps }: ProtectedServer): string[] => steps.map(({ step }) => step);

describe('A client that signs in', () => {
  it('finds the authorization server, registers, and gets a token for the server [e-auth-09, e-auth-12, e-auth-29, e-auth-30, e-auth-35, e-auth-36, e-auth-46, e-auth-67, e-auth-73, e-auth-89, e-auth-90, e-auth-106, S21, s-auth-12, s-auth-26, s-auth-52]', async () => {
    const server = await startProtected();
    expect(await callWith(server.url, server.auth())).toBe('ada');
    expect(names(server)).toEqual([
      'challenge',
      'resource-metadata',
      'server-metadata',
      'registration',
      'authorization',
      'token',
    ]);
    expect(server.signIns[0]?.searchParams.get('resource')).toBe(server.url);
    expect(server.signIns[0]?.searchParams.get('scope')).toMatch(/^files:read\b/);
    expect(server.signIns[0]?.searchParams.get('code_challenge_method')).toBe('S256');
    expect(server.redemptions('authorization_code')).toBe(1);
  });

  it('explains every step with a rule and what follows, and without secrets [e-auth-45, e-auth-100]', async () => {
    const server = await startProtected();
    const store = memoryCredentials();
    await callWith(server.url, server.auth({ store }));
    for (const step of server.steps)
      expect(step).toMatchObject({ found: expect.any(String), rule: expect.any(String), next: expect.any(String) });
    const tokens = (await store.read(JSON.stringify(['tokens', server.server.issuer, server.url])))?.value as Record<
      string,
      string
    >;
    const secrets = [tokens.accessToken, tokens.refreshToken, server.signIns[0]?.searchParams.get('state')];
    const shown = JSON.stringify(server.steps);
    expect(secrets.filter((secret) => typeof secret !== 'string' || shown.includes(secret))).toEqual([]);
  });

  it('uses the tokens of the store after a restart', async () => {
    const server = await startProtected();
    const store = memoryCredentials();
    await callWith(server.url, server.auth({ store }));
    await callWith(server.url, server.auth({ store }));
    expect([server.signIns.length, server.redemptions('refresh_token')]).toEqual([1, 0]);
  });

  it('fails with sign-in-required where no person can sign in', async () => {
    const server = await startProtected();
    const error = await failureOf(connect({ url: server.url, auth: oauth() }));
    expect(error).toMatchObject({ code: 'sign-in-required', hint: expect.stringContaining('signIn') });
  });

  it('names the step that failed when the person denies it', async () => {
    const server = await startProtected();
    server.visitor = { deny: true };
    const error = await failureOf(connect({ url: server.url, auth: server.auth() }));
    expect(error).toMatchObject({
      code: 'authorization-failed',
      details: { step: 'authorization', error: 'access_denied' },
    });
    expect((error.details.steps as object[]).length).toBe(server.steps.length);
  });

  it('fails when the sign-in is not finished in time, and names the quirk that may help', async () => {
    const server = await startProtected();
    const signIn = {
      prepare: async () => ({
        redirectUri,
        authorize: (_url: URL, signal: AbortSignal) =>
          new Promise<URL>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
        close: async () => {},
      }),
    };
    const error = await failureOf(
      connect({ url: server.url, auth: server.auth({ signIn, timeouts: { signInMs: 1 } }) }),
    );
    expect(error).toMatchObject({
      code: 'authorization-failed',
      hint: expect.stringContaining("quirks: { resource: 'omit' }"),
    });
  });
});

describe('A token that expires', () => {
  it('is refreshed before it expires, once for all calls', async () => {
    const server = await startProtected();
    const client = await connect({ url: server.url, auth: server.auth() });
    later(9.75 * minuteMs);
    await Promise.all(Array.from({ length: 20 }, () => client.tools.call('whoami')));
    await client.close();
    expect([server.signIns.length, server.redemptions('refresh_token')]).toEqual([1, 1]);
  });

  it('is refreshed once by all clients that share a store', async () => {
    const server = await startProtected();
    const store = memoryCredentials();
    await callWith(server.url, server.auth({ store }));
    later(9.75 * minuteMs);
    const clients = await Promise.all(Array.from({ length: 5 }, () => callWith(server.url, server.auth({ store }))));
    expect(clients).toEqual(Array.from({ length: 5 }, () => 'ada'));
    expect([server.signIns.length, server.redemptions('refresh_token')]).toEqual([1, 1]);
  });

  it('leads to a new sign-in when the refresh token is no longer valid [e-auth-48]', async () => {
    const server = await startProtected();
    const store = memoryCredentials();
    await callWith(server.url, server.auth({ store }));
    later(15 * 24 * 60 * minuteMs);
    expect(await callWith(server.url, server.auth({ store }))).toBe('ada');
    expect([server.signIns.length, server.redemptions('refresh_token')]).toEqual([2, 0]);
  });

  it('delays one call, not each, where it cannot be refreshed ahead of time', async () => {
    const server = await startProtected();
    let isDown = false;
    let requests = 0;
    const auth = server.auth({
      fetch: (url, init) => {
        requests++;
        return isDown ? Promise.reject(new TypeError('fetch failed')) : fetch(url, init);
      },
    });
    const client = await connect({ url: server.url, auth });
    later(9.75 * minuteMs);
    [isDown, requests] = [true, 0];
    for (let calls = 0; calls < 5; calls++) await client.tools.call('whoami');
    expect(requests).toBe(1);
    isDown = false;
    later(10_000);
    await client.tools.call('whoami');
    await client.close();
    expect([server.signIns.length, server.redemptions('refresh_token')]).toEqual([1, 1]);
  });

  it('stays in the store when the authorization server cannot be reached', async () => {
    const server = await startProtected();
    const store = memoryCredentials();
    await callWith(server.url, server.auth({ store }));
    const key = JSON.stringify(['tokens', server.server.issuer, server.url]);
    const before = await store.read(key);
    later(11 * minuteMs);
    const down = server.auth({ store, fetch: () => Promise.reject(new TypeError('fetch failed')) });
    expect(await failureOf(connect({ url: server.url, auth: down }))).toMatchObject({ code: 'authorization-failed' });
    expect(await store.read(key)).toEqual(before);
    expect(await callWith(server.url, server.auth({ store }))).toBe('ada');
    expect([server.signIns.length, server.redemptions('refresh_token')]).toEqual([1, 1]);
  });
});

describe('signOut', () => {
  it('revokes the tokens and deletes them', async () => {
    const server = await startProtected();
    const store = memoryCredentials();
    const auth = server.auth({ store });
    await callWith(server.url, auth);
    await auth.signOut();
    expect(await store.read(JSON.stringify(['tokens', server.server.issuer, server.url]))).toBeUndefined();
    expect(server.events.some(({ type }) => type === 'revoked')).toBe(true);
    await callWith(server.url, auth);
    expect(server.signIns.length).toBe(2);
  });

  it('signs out of every server that the store has tokens for, also after a restart', async () => {
    const [first, second] = [await startProtected(), await startProtected()];
    const store = memoryCredentials();
    for (const server of [first, second]) await callWith(server.url, server.auth({ store }));
    await oauth({ store }).signOut();
    for (const server of [first, second]) {
      expect(await store.read(JSON.stringify(['tokens', server.server.issuer, server.url]))).toBeUndefined();
      expect(server.events.some(({ type }) => type === 'revoked')).toBe(true);
    }
  });

  /** A refresh that waits for the answer of the authorization server. */
  async function refreshing(store: CredentialStore) {
    const server = await startProtected(() => ({ lifetimes: { accessTokenMs: minuteMs } }));
    const [asked, answered] = [deferred<void>(), deferred<void>()];
    const issued: string[] = [];
    const revoked: string[] = [];
    const slow: typeof fetch = async (url, init) => {
      const form = new URLSearchParams(String(init?.body ?? ''));
      if (String(url).includes('revocation')) revoked.push(form.get('token') ?? '');
      const response = await fetch(url, init);
      if (form.get('grant_type') !== 'refresh_token') return response;
      issued.push(((await response.clone().json()) as { refresh_token: string }).refresh_token);
      asked.resolve();
      await answered.promise;
      return response;
    };
    const auth = server.auth({ store, fetch: slow });
    // One request: a connection of its own would sign in again for its second.
    const client = await connect({ url: server.url, auth });
    later(57_000);
    const calling = client.tools.call('whoami').finally(() => client.close());
    await asked.promise;
    return { server, auth, calling, answered, issued, revoked };
  }

  it('waits for a refresh that is under way, and revokes its tokens', async () => {
    const store = memoryCredentials();
    const { server, auth, calling, answered, issued, revoked } = await refreshing(store);
    const leaving = auth.signOut();
    answered.resolve();
    await Promise.all([calling, leaving]);
    expect(revoked).toContain(issued[0]);
    expect(await store.read(JSON.stringify(['tokens', server.server.issuer, server.url]))).toBeUndefined();
    await callWith(server.url, auth);
    expect(server.signIns.length).toBe(2);
  });

  it('leaves no tokens of a refresh where the store has no lock', async () => {
    const store: CredentialStore = { ...memoryCredentials(), lock: async () => async () => {} };
    const { server, auth, calling, answered } = await refreshing(store);
    await auth.signOut();
    answered.resolve();
    expect((await calling).content).toMatchObject([{ text: 'ada' }]);
    expect([server.signIns.length, server.redemptions('refresh_token')]).toEqual([2, 1]);
  });
});

describe('A web application', () => {
  const leaving = async (server: ProtectedServer, store = memoryCredentials()) => {
    const auth = server.auth({ store, signIn: { redirectUri } });
    const error = await failureOf(connect({ url: server.url, auth }));
    expect(error).toMatchObject({
      code: 'sign-in-required',
      details: { url: expect.stringContaining(server.server.issuer) },
    });
    return { auth, store, page: error.details.url as string };
  };

  it('redirects the person, and finishes the sign-in in any process with the store [e-auth-21]', async () => {
    const server = await startProtected();
    const { store, page } = await leaving(server);
    const back = await server.server.signIn(page);
    const other = server.auth({ store, signIn: { redirectUri } });
    await other.finishSignIn(back);
    expect(await callWith(server.url, other)).toBe('ada');
  });

  it('accepts a state once [e-auth-111]', async () => {
    const server = await startProtected();
    const { auth, page } = await leaving(server);
    const back = await server.server.signIn(page);
    await auth.finishSignIn(back.href);
    expect(await failureOf(auth.finishSignIn(back))).toMatchObject({
      code: 'authorization-failed',
      hint: expect.stringContaining('Start again'),
    });
    expect(server.redemptions('authorization_code')).toBe(1);
  });

  it('refuses the iss of another issuer and shows nothing of the response [e-auth-24, e-auth-25, e-auth-28]', async () => {
    const server = await startProtected();
    const { auth, page } = await leaving(server);
    const back = await server.server.signIn(page);
    back.searchParams.set('iss', 'https://attacker.example');
    back.searchParams.set('error_description', 'call this number');
    const error = await failureOf(auth.finishSignIn(back));
    expect(error).toMatchObject({ code: 'authorization-failed', details: { step: 'authorization' } });
    expect(error.message).not.toMatch(/attacker|number/);
    expect(server.redemptions('authorization_code')).toBe(0);
  });
});

describe('A registration', () => {
  it('stays with its tokens: the refresh works after another client was registered at the issuer', async () => {
    const server = await startProtected();
    const store = memoryCredentials();
    await callWith(server.url, server.auth({ store }));
    const key = JSON.stringify(['client', server.server.issuer]);
    const before = await store.read(key);
    await store.swap(key, before?.version, { clientId: 'another', redirectUris: [] });
    later(9.75 * minuteMs);
    await callWith(server.url, server.auth({ store }));
    expect([server.signIns.length, server.redemptions('refresh_token')]).toEqual([1, 1]);
  });
});
