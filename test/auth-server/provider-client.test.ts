/** The client at a provider: it accepts only what belongs to the sign-in, is bounded, and names the wrong setting without a secret. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ProviderClient } from '../../src/auth-server/provider-client/provider-client.ts';
import { ProviderError } from '../../src/auth-server/provider-client/provider-error.ts';
import { github } from '../../src/auth-server/providers/github.ts';
import { keycloak } from '../../src/auth-server/providers/keycloak.ts';
import type { SignInProvider } from '../../src/auth-server/providers/sign-in-provider.ts';
import { callbackUrl, credentials, startProvider, type TestedProvider } from '../kit/auth/provider.ts';

const acme: SignInProvider = { name: 'acme', title: 'Acme', issuer: 'https://replaced.example', ...credentials };

/** A fetch of the client that changes answers of the provider. */
const changed =
  (change: (url: string, response: Response, init?: RequestInit) => Response | Promise<Response>) =>
  async (url: string, init?: RequestInit): Promise<Response> =>
    change(url, await fetch(url, init), init);

const isToken = (url: string): boolean => url.endsWith('/token');

/** Changes the JSON that the token endpoint answers. */
const withTokens = (change: (body: Record<string, unknown>) => Record<string, unknown>) =>
  changed(async (url, response) => (isToken(url) ? Response.json(change(await response.json())) : response));

/** A callback of ada, not yet completed. */
async function begun(provider: TestedProvider, client: ProviderClient) {
  const { url, pending } = await client.begin();
  return { pending, callback: await provider.callback(url) };
}

const failure = (promise: Promise<unknown>): Promise<ProviderError> =>
  promise.then(
    () => Promise.reject(new Error('It did not fail.')),
    (error) => (error instanceof ProviderError ? error : Promise.reject(error)),
  );

describe('a sign-in', () => {
  it('has a state, a nonce and an S256 challenge of its own each time [s-security-30]', async () => {
    const provider = await startProvider();
    const client = provider.client(acme);
    const seen = new Set<string>();
    for (let count = 0; count < 50; count++) {
      const { url, pending } = await client.begin();
      expect(url.searchParams.get('code_challenge_method')).toBe('S256');
      expect(url.searchParams.get('redirect_uri')).toBe(callbackUrl);
      expect(url.href).not.toContain(pending.codeVerifier);
      for (const one of [pending.state, pending.nonce, pending.codeVerifier]) seen.add(one);
    }
    expect(seen.size).toBe(150);
  });

  it('refuses a callback with another state, without one, with two, or of another issuer (mix-up)', async () => {
    const provider = await startProvider();
    const client = provider.client(acme);
    const { callback, pending } = await begun(provider, client);
    const wrong = (change: (parameters: URLSearchParams) => void): URL => {
      const url = new URL(callback);
      change(url.searchParams);
      return url;
    };
    const all = [
      wrong((parameters) => parameters.set('state', 'other')),
      wrong((parameters) => parameters.delete('state')),
      wrong((parameters) => parameters.append('state', pending.state)),
      wrong((parameters) => parameters.set('iss', 'https://evil.example')),
      wrong((parameters) => parameters.delete('iss')),
    ];
    for (const one of all)
      expect(await failure(client.complete(one, pending))).toMatchObject({
        code: 'invalid-response',
        message: 'The response of Acme does not belong to this sign-in. Start again in your application.',
        cause: { step: 'callback' },
      });
    expect(provider.events.filter(({ type }) => type.startsWith('token'))).toEqual([]);
    expect((await client.complete(callback, pending)).user.subject).toBe('ada');
  });

  it('refuses an ID token with another nonce, of another issuer, for another client, or none', async () => {
    const provider = await startProvider();
    const client = provider.client(acme);
    const { callback, pending } = await begun(provider, client);
    expect(await failure(client.complete(callback, { ...pending, nonce: 'other' }))).toMatchObject({
      code: 'invalid-response',
      cause: { step: 'id-token' },
    });
    for (const claims of [{ iss: 'https://evil.example' }, { aud: 'other' }, { exp: 1 }, undefined]) {
      const fetch = withTokens(({ id_token: idToken, ...body }) =>
        claims === undefined ? body : { ...body, id_token: forged(String(idToken), claims) },
      );
      const forging = provider.client(acme, { fetch });
      const { callback: next, pending: own } = await begun(provider, forging);
      expect(await failure(forging.complete(next, own))).toMatchObject({
        code: 'invalid-response',
        message: 'Acme sent an answer that is not valid. The log of the server says why.',
        cause: { step: 'id-token' },
      });
    }
  });

  it('says that the user, or a policy, did not allow it', async () => {
    const provider = await startProvider();
    const client = provider.client({ ...acme, settings: { access: 'Assign the user to the app.' } });
    const { url, pending } = await client.begin();
    const denied = new URL(`${callbackUrl}?error=access_denied&state=${pending.state}`);
    denied.searchParams.set('iss', provider.issuer);
    const plain = await failure(client.complete(denied, pending));
    expect([plain.code, plain.message]).toEqual(['denied', 'The sign-in at Acme was not allowed.']);
    denied.searchParams.set('error_description', 'Policy evaluation failed');
    expect((await failure(client.complete(denied, pending))).message).toBe(
      'The sign-in at Acme was not allowed. If a policy refused it: Assign the user to the app.',
    );
    expect(url.origin).toBe(provider.issuer);
  });
});

/** The same token with other claims; its signature is not checked, as it came from the token endpoint. */
function forged(token: string, claims: object): string {
  const [header, payload = '', signature] = token.split('.');
  const changed = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), ...claims };
  return [header, Buffer.from(JSON.stringify(changed)).toString('base64url'), signature].join('.');
}

describe('wrong settings', () => {
  it('are named in one sentence: the secret, the issuer, the callback, the scopes', async () => {
    const provider = await startProvider();
    const wrongSecret = provider.client({ ...acme, clientSecret: 'wrong' });
    const { callback, pending } = await begun(provider, wrongSecret);
    expect(await failure(wrongSecret.complete(callback, pending))).toMatchObject({
      code: 'misconfigured',
      message: 'Acme refused the client ID or its secret. Check clientId and clientSecret.',
      cause: { step: 'token', status: 401, error: 'invalid_client' },
    });
    const noIssuer = provider.client(acme, {
      fetch: changed((url, response) => (url.includes('well-known') ? new Response('', { status: 404 }) : response)),
    });
    expect((await failure(noIssuer.begin())).message).toBe(
      `Acme has no OpenID Connect configuration at ${provider.issuer}/.well-known/openid-configuration. Check issuer.`,
    );
    const otherIssuer = provider.client(acme, {
      fetch: changed(async (_url, response) =>
        Response.json({ ...(await response.json()), issuer: 'https://real.example' }),
      ),
    });
    expect(await failure(otherIssuer.begin())).toMatchObject({
      code: 'misconfigured',
      message: `The issuer of Acme is https://real.example, not ${provider.issuer}. Check issuer.`,
    });
  });

  it('names the callback to register, with the place of the provider', async () => {
    const settings = keycloak({ ...credentials, url: 'https://login.example', realm: 'acme' });
    const text = `Keycloak refused the callback address. Register ${callbackUrl} as its callback URL. It is one of "Valid redirect URIs" of the client.`;
    const provider = await startProvider();
    const client = provider.client(settings, {
      fetch: changed((url, response) =>
        isToken(url)
          ? Response.json({ error: 'invalid_grant', error_description: 'Incorrect redirect_uri' }, { status: 400 })
          : response,
      ),
    });
    const { callback, pending } = await begun(provider, client);
    expect((await failure(client.complete(callback, pending))).message).toBe(text);
    const hub = github({ ...credentials, url: provider.issuer });
    const mismatch = new URL(`${callbackUrl}?error=redirect_uri_mismatch`);
    const gitHub = provider.client(hub);
    const own = (await gitHub.begin()).pending;
    mismatch.searchParams.set('state', own.state);
    expect((await failure(gitHub.complete(mismatch, own))).message).toMatch(
      /^GitHub refused the callback address\. Register http:.* It is the "Authorization callback URL"/,
    );
  });
});

describe('findProblems', () => {
  it('finds nothing where all is right, and each wrong setting without a user', async () => {
    const provider = await startProvider();
    expect(await provider.client(acme).findProblems()).toEqual([]);
    expect(await provider.client({ ...acme, clientSecret: 'wrong' }).findProblems()).toEqual([
      { setting: 'client', text: 'Acme refused the client ID or its secret. Check clientId and clientSecret.' },
    ]);
    const other = provider.client(acme, { callbackUrl: 'http://127.0.0.1:5998/other' });
    expect(await other.findProblems()).toContainEqual({
      setting: 'callback',
      text: 'Acme refused the callback address. Register http://127.0.0.1:5998/other as its callback URL.',
    });
    const away = provider.client(acme, { fetch: () => Promise.reject(new TypeError('fetch failed')) });
    expect(await away.findProblems()).toEqual([
      { setting: 'provider', text: 'Acme cannot be reached. Try again later.' },
    ]);
  });

  it('finds scopes that the provider refuses by a redirect', async () => {
    const provider = await startProvider({ quirks: ['refresh-by-parameter'] });
    expect(await provider.client(acme).findProblems()).toEqual([
      { setting: 'request', text: 'Acme refused the scopes. Set scopes to those that it knows.' },
    ]);
    expect(await provider.client({ ...acme, scopes: ['openid'] }).findProblems()).toEqual([]);
  });

  it('works with GitHub, which answers errors with 200', async () => {
    const provider = await startProvider({ quirks: ['no-oidc'] });
    const settings = github({ ...credentials, url: provider.issuer });
    expect(await provider.client(settings).findProblems()).toEqual([]);
    const [problem] = await provider.client({ ...settings, clientSecret: 'wrong' }).findProblems();
    expect(problem).toMatchObject({ setting: 'client', text: expect.stringContaining('GitHub refused the client ID') });
  });
});

describe('later', () => {
  it('a check refreshes, and a refresh token that is not replaced remains', async () => {
    const provider = await startProvider();
    const client = provider.client(acme);
    const signedIn = await provider.signIn(client);
    const fetch = withTokens(({ refresh_token: _refreshToken, ...body }) => body);
    const next = await provider.client(acme, { fetch }).check(signedIn);
    expect(next.tokens.refreshToken).toBe(signedIn.tokens.refreshToken);
    expect(next.tokens.accessToken).not.toBe(signedIn.tokens.accessToken);
    expect((await client.refresh(next.tokens)).refreshToken).toEqual(expect.any(String));
  });

  it('sends the scopes where a provider wants them again', async () => {
    const provider = await startProvider({ quirks: ['scope-on-refresh'] });
    const client = provider.client(acme);
    expect((await client.check(await provider.signIn(client))).user.subject).toBe('ada');
  });

  it('ends a sign-in that was revoked there, or that is of another user now', async () => {
    const provider = await startProvider();
    const client = provider.client(acme);
    const signedIn = await provider.signIn(client);
    const other = { ...signedIn, tokens: { ...signedIn.tokens, idTokenSubject: 'grace' } };
    expect((await failure(client.check(other))).code).toBe('revoked');
    await client.revoke(signedIn.tokens);
    expect(await failure(client.check(signedIn))).toMatchObject({
      code: 'revoked',
      message: 'The sign-in at Acme has ended. Sign in again.',
      cause: { step: 'refresh', error: 'invalid_grant' },
    });
  });

  it('asks the userinfo endpoint where there is no refresh token', async () => {
    const provider = await startProvider({ users: { ada: { groups: ['staff'] } } });
    const client = provider.client(acme, { fetch: withTokens(({ refresh_token: _refreshToken, ...body }) => body) });
    const signedIn = await provider.signIn(client);
    expect((await client.check(signedIn)).user.roles).toEqual(['staff']);
    await client.revoke(signedIn.tokens);
    expect((await failure(client.check(signedIn))).code).toBe('revoked');
  });

  it('reads the user of GitHub again', async () => {
    const provider = await startProvider({ quirks: ['no-oidc'], users: { ada: { id: 1815 } } });
    const client = provider.client(github({ ...credentials, url: provider.issuer }));
    const signedIn = await provider.signIn(client);
    expect((await client.check(signedIn)).user.subject).toBe('1815');
    const other = { ...signedIn, user: { ...signedIn.user, subject: '1816' } };
    expect((await failure(client.check(other))).code).toBe('revoked');
    const forgotten = { ...signedIn, tokens: { ...signedIn.tokens, accessToken: 'unknown' } };
    expect((await failure(client.check(forgotten))).code).toBe('revoked');
  });

  it('a provider that cannot answer is unreachable: nothing is revoked for it', async () => {
    const provider = await startProvider();
    const signedIn = await provider.signIn(provider.client(acme));
    const answers = [
      () => new Response('', { status: 503 }),
      () => new Response('', { status: 429 }),
      () => Response.json({ error: 'temporarily_unavailable' }, { status: 400 }),
      () => Promise.reject(new TypeError('fetch failed')),
    ];
    for (const answer of answers) {
      const client = provider.client(acme, {
        fetch: (url, init) => (isToken(url) ? Promise.resolve(answer()) : fetch(url, init)),
      });
      expect((await failure(client.check(signedIn))).code).toBe('unreachable');
      expect((await failure(client.refresh(signedIn.tokens))).code).toBe('unreachable');
    }
    expect((await provider.client(acme).check(signedIn)).user.subject).toBe('ada');
  });
});

describe('answers are bounded', () => {
  it('in time, size and redirects, and http beyond this machine is refused', async () => {
    const never = (_url: string, init?: RequestInit) =>
      new Promise<Response>((_resolve, reject) =>
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)),
      );
    const provider = await startProvider();
    const late = await failure(provider.client(acme, { fetch: never, timeoutMs: 20 }).begin());
    expect([late.code, late.cause.reason]).toEqual(['unreachable', 'It did not answer within 20 ms.']);
    const large = provider.client(acme, { fetch: async () => new Response('x'.repeat(300_000)) });
    expect((await failure(large.begin())).cause.reason).toContain('more than 262144 bytes');
    const elsewhere = provider.client(acme, {
      fetch: async () => new Response(null, { status: 302, headers: { location: 'http://169.254.169.254/' } }),
    });
    expect((await failure(elsewhere.begin())).cause.reason).toContain('redirects (302)');
    const hosted = provider.client(acme, { callbackUrl: 'https://mcp.example.com/callback' });
    expect((await failure(hosted.begin())).cause.reason).toContain('must not name http URLs');
  });

  it('the endpoints are discovered once an hour, and again after a failure', async () => {
    const provider = await startProvider();
    let now = 0;
    let count = 0;
    let isAway = true;
    const client = provider.client(acme, {
      now: () => now,
      fetch: (url, init) => {
        count++;
        return isAway ? Promise.reject(new TypeError('fetch failed')) : fetch(url, init);
      },
    });
    await failure(client.begin());
    isAway = false;
    await Promise.all([client.begin(), client.begin(), client.begin()]);
    expect(count).toBe(2);
    now = 3_600_000;
    await client.begin();
    expect(count).toBe(3);
  });
});

describe('errors', () => {
  it('have no secret in them, whatever the provider quotes or breaks [s-auth-225@2025-03-26]', async () => {
    const provider = await startProvider();
    const signedIn = await provider.signIn(provider.client(acme));
    const { accessToken, refreshToken = '' } = signedIn.tokens;
    const secrets = [accessToken, refreshToken, credentials.clientSecret];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...secrets),
        fc.string(),
        fc.constantFrom(400, 401, 500),
        async (secret, text, status) => {
          const client = provider.client(acme, {
            fetch: changed((url, response) =>
              isToken(url)
                ? Response.json({ error: `${text}${secret}`, error_description: `${secret}${text}` }, { status })
                : response,
            ),
          });
          const error = await failure(client.check(signedIn));
          const shown = `${error.message}${error.stack}${JSON.stringify(error.cause)}`;
          for (const one of secrets) expect(shown).not.toContain(one);
        },
      ),
      { numRuns: 20, seed: 7 },
    );
  });

  it('of a user function are for the log alone, unless it refuses the user', async () => {
    const provider = await startProvider();
    const broken = (user: SignInProvider['user'] & object) =>
      failure(provider.signIn(provider.client({ ...acme, user })));
    const thrown = await broken(() => {
      throw new Error('database password is hunter2');
    });
    expect([thrown.code, thrown.message.includes('hunter2')]).toEqual(['misconfigured', false]);
    expect(thrown.cause.reason).toContain('hunter2');
    for (const wrong of [{}, { subject: '' }, { subject: 'a', roles: 'admin' }, { subject: 'a', claims: 'x' }])
      expect((await broken(() => wrong as never)).cause.reason).toMatch(/^user of Acme returned/);
  });
});
