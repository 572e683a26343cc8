/** A gateway whose users connect accounts: its issuer, a third party behind it, browsers and clients of users. */
import type { ConnectOptions } from 'tenon';
import { oauth } from 'tenon/auth';
import type { DevAuthOptions } from 'tenon/dev-auth';
import { expect } from 'vitest';
import { startAuth } from '../../kit/auth/dev-auth.ts';
import { startProtected } from '../../kit/auth/protected-server.ts';
import { redirectUri } from '../../kit/auth/redirect-uri.ts';
import { clientOf, freePort, serving } from '../command/serving.ts';
import { Browser, csrfIn, locationOf } from './browser.ts';

interface StartOptions {
  /** Of the authorization server of the third party. */
  readonly third?: DevAuthOptions;
  /** Whether accounts are stored in a file. */
  readonly store?: boolean;
}

/** The issuer of the callers, an upstream with an authorization server of its own, and a gateway between them. */
export async function started({ third: thirdOptions = {}, store = false }: StartOptions = {}) {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const issuer = await startAuth({
    clients: [
      { client_id: 'gateway', client_secret: 'planted-client', redirect_uris: [`${origin}/connect/signed-in`] },
    ],
  });
  const third = await startProtected(() => thirdOptions);
  const gateway = await serving(
    `listen: ${port}
protect: { issuer: '${issuer.server.issuer}' }
connect: { clientId: gateway, secret: client }
secretsFile: secrets.yaml
${store ? 'store: sqlite:./gateway.db\nsecrets: [seal]\n' : ''}upstreams:
  third: { url: '${third.url}', prefix: third, auth: { type: oauth, issuer: '${third.server.issuer}' } }
`,
    { 'secrets.yaml': 'client: planted-client\nseal: what-a-test-seals-with-and-nothing-else\n' },
  );
  /** Signs the user in at the page, and returns where they end. */
  const signedIn = async (user: string, path = '/connect') => {
    const browser = new Browser();
    const toIssuer = locationOf(await browser.get(`${origin}${path}`));
    const back = await issuer.server.signIn(toIssuer, { user });
    const next = locationOf(await browser.get(back));
    expect(next).toBe(`${origin}${path}`);
    return { browser, page: await browser.get(next) };
  };
  /** Until the third party has signed the user in; returns its callback. */
  const leave = async (browser: Browser, user: string): Promise<URL> => {
    const question = await browser.get(`${origin}/connect/to/third`);
    const toThird = await browser.post(`${origin}/connect/to/third`, { csrf: csrfIn(question), answer: 'connect' });
    return third.server.signIn(locationOf(toThird), { user });
  };
  const connected = async (user: string) => {
    const { browser } = await signedIn(user);
    expect(locationOf(await browser.get(await leave(browser, user)))).toBe(`${origin}/connect`);
    return browser;
  };
  /** A client of the user, with an access token of the issuer. */
  const callerOf = (user: string, options: ConnectOptions = {}) =>
    clientOf(
      {
        url: gateway.url,
        auth: oauth({
          signIn: {
            prepare: async () => ({
              redirectUri,
              authorize: (page) => issuer.server.signIn(page, { user }),
              close: async () => {},
            }),
          },
        }),
      },
      options,
    );
  return { origin, issuer, third, gateway, signedIn, leave, connected, callerOf };
}
