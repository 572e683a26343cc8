/** A gateway whose users connect accounts: its issuer, a third party behind it, browsers and clients of users. */
import type { Client, ConnectOptions } from 'tenon';
import { oauth } from 'tenon/auth';
import type { DevAuthOptions } from 'tenon/dev-auth';
import { expect } from 'vitest';
import { startAuth } from '../../kit/auth/dev-auth.ts';
import { startProtected } from '../../kit/auth/protected-server.ts';
import { redirectUri } from '../../kit/auth/redirect-uri.ts';
import { clientOf, freePort, serving } from '../command/serving.ts';
import { Browser, formIn, locationOf } from './browser.ts';

interface StartOptions {
  /** Of the authorization server of the third party. */
  readonly third?: DevAuthOptions;
  /** Whether accounts are stored in a file. */
  readonly store?: boolean;
}

/** The clients of users that the issuer knows. */
const clients = ['editor', 'other'] as const;

/** The issuer of the callers, an upstream with an authorization server of its own, and a gateway between them. */
export async function started({ third: thirdOptions = {}, store = false }: StartOptions = {}) {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const issuer = await startAuth({
    clients: [
      { client_id: 'gateway', client_secret: 'planted-client', redirect_uris: [`${origin}/connect/signed-in`] },
      ...clients.map((client_id) => ({
        client_id,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'none',
      })),
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
  /** Until the third party has signed the user in, at the link of a call or on the page; returns its callback. */
  const leave = async (browser: Browser, user: string, link = `${origin}/connect/to/third`): Promise<URL> => {
    const question = await browser.get(link);
    const toThird = await browser.post(`${origin}/connect/to/third`, { ...formIn(question), answer: 'connect' });
    return third.server.signIn(locationOf(toThird), { user });
  };
  /** A client of the user, with an access token of the issuer. */
  const callerOf = (user: string, options: ConnectOptions = {}, client: (typeof clients)[number] = 'editor') =>
    clientOf(
      {
        url: gateway.url,
        auth: oauth({
          client: { clientId: client, issuer: issuer.server.issuer },
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
  /** Connects an account of the user, by the link that a call has got. */
  const connected = async (user: string, given?: string) => {
    const link = given ?? (await linkOf(await callerOf(user)));
    const { pathname, search } = new URL(link);
    const { browser } = await signedIn(user, pathname + search);
    expect(locationOf(await browser.get(await leave(browser, user, link)))).toBe(`${origin}/connect`);
    return browser;
  };
  return { origin, issuer, third, gateway, signedIn, leave, connected, callerOf };
}

/** The link in the error of a call. */
export const linkOf = async (caller: Client): Promise<string> => {
  const error = await caller.tools.call('third__whoami', {}).catch((thrown) => thrown);
  expect(error).toMatchObject({ data: { connectUrl: expect.any(String) } });
  return error.data.connectUrl;
};
