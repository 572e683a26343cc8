/** A sign-in in Chromium, wide and narrow: from the first request of a client over consent and provider to a call of a tool. */
import type { Page } from 'playwright-core';
import { connect } from 'tenon';
import { oauth, type SignIn } from 'tenon/auth';
import { github } from 'tenon/auth-server';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { executable, type OpenBrowser, patienceMs, startBrowser } from '../../browser/chromium.ts';
import { redirectUri, startSignInServer } from '../../kit/auth-server/sign-in-server.ts';

let browser: OpenBrowser;
beforeAll(async () => {
  if (executable !== undefined) browser = await startBrowser(executable);
});
afterAll(() => browser?.close());

async function opened(width: number, colorScheme: 'light' | 'dark'): Promise<Page> {
  const page = await browser.open('page.example');
  onTestFinished(() => page.close());
  await page.setViewportSize({ width, height: 844 });
  await page.emulateMedia({ colorScheme });
  return page;
}

/** Titles and addresses of the pages, in their order; for a person who looks at them: AUTH_PICTURES=folder. */
async function look(page: Page, seen: string[], name: string): Promise<void> {
  seen.push(`${new URL(page.url()).pathname.split('/')[1]}: ${await page.title()}`);
  const folder = process.env.AUTH_PICTURES;
  if (folder !== undefined)
    await page.screenshot({ path: `${folder}/flow-${name}-${seen.length}.png`, fullPage: true });
}

/** The user of a client of Tenon, in Chromium. */
const userIn = (page: Page, answer: 'Allow' | 'Deny', seen: string[], name = ''): SignIn => ({
  prepare: async () => ({
    redirectUri,
    async authorize(url) {
      // Nothing listens there: the request is enough.
      const back = page.waitForRequest((request) => request.url().startsWith(redirectUri), { timeout: patienceMs });
      await page.goto(url.href);
      await look(page, seen, name);
      await page.getByRole('button', { name: answer, exact: true }).click();
      if (answer === 'Allow') {
        await page.getByRole('button', { name: 'ada' }).waitFor();
        await look(page, seen, name);
        await page.getByRole('button', { name: 'ada' }).click();
        await page.getByRole('heading', { name: 'Allow access' }).waitFor();
        await look(page, seen, name);
        await page.getByRole('button', { name: 'Allow', exact: true }).click();
      }
      return new URL((await back).url());
    },
    close: async () => {},
  }),
});

const timeouts = { requestMs: patienceMs } as const;

describe.skipIf(executable === undefined)('in Chromium', () => {
  it.each([
    [1280, 'light'],
    [390, 'dark'],
  ] as const)('a user allows a client at %i pixels, %s, and it calls a tool', async (width, theme) => {
    const server = await startSignInServer();
    const page = await opened(width, theme);
    const complaints: string[] = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    const seen: string[] = [];
    const auth = oauth({ signIn: userIn(page, 'Allow', seen, `${width}-${theme}`), timeouts });
    const client = await connect({ url: server.resource, auth });
    onTestFinished(() => client.close());
    expect(JSON.stringify(await client.tools.call('whoami', {}))).toContain('dev:ada');
    expect(seen).toEqual(['consent: Allow access?', 'interaction: Sign in', 'interaction: Allow access']);
    expect(complaints.filter((text) => !text.includes('ERR_CONNECTION_REFUSED'))).toEqual([]);
  });

  it('a user denies a client, and the provider receives nothing', async () => {
    const server = await startSignInServer();
    const page = await opened(390, 'light');
    const visited: string[] = [];
    page.on('request', (request) => visited.push(new URL(request.url()).origin));
    const auth = oauth({ signIn: userIn(page, 'Deny', []), timeouts });
    await expect(connect({ url: server.resource, auth })).rejects.toMatchObject({
      message: expect.stringContaining('access_denied'),
    });
    expect(visited).not.toContain(server.provider.issuer);
  });

  it('a window that a client opened can still report back to it', async () => {
    const server = await startSignInServer();
    const page = await opened(1280, 'light');
    const client = await server.register();
    const opening = page.waitForEvent('popup');
    await page.evaluate(`void window.open(${JSON.stringify(server.authorization(client).href)})`);
    const popup = await opening;
    await popup.getByRole('button', { name: 'Allow' }).waitFor();
    expect(await popup.evaluate('window.opener !== null')).toBe(true);
  });

  it('a remembered consent counts for an address that the user opens, and not for a link of another site', async () => {
    const server = await startSignInServer({ options: { consent: 'remember' } });
    const page = await opened(1280, 'light');
    const url = server.authorization(await server.register()).href;
    await page.route(`${redirectUri}**`, (route) => route.fulfill({ body: 'back at the client' }));
    const user = await userIn(page, 'Allow', []).prepare({} as never);
    await user.authorize(new URL(url), {} as never);
    await page.getByText('back at the client').waitFor();
    await page.goto(url);
    await page.waitForURL(`${server.provider.issuer}/**`);
    await page.goto(browser.origin('attacker.example'));
    await page.evaluate(`location.assign(${JSON.stringify(url)})`);
    await page.getByRole('heading', { name: 'Allow access?' }).waitFor();
    expect(new URL(page.url()).origin).toBe(server.issuer);
  });

  it('the page of an error names the wrong setting', async () => {
    const provider = { quirks: ['no-oidc'] } as const;
    const server = await startSignInServer({
      provider,
      options: { signIn: github({ clientId: 'tenon', clientSecret: 'wrong' }), fetch: refuseClient },
    });
    const page = await opened(390, 'light');
    await page.goto(server.authorization(await server.register()).href);
    // The real GitHub is not reachable from here: its redirect is made by hand.
    const toProvider = page.waitForRequest(/github\.com/);
    await page.route(/github\.com/, (route) => {
      const state = new URL(route.request().url()).searchParams.get('state') ?? '';
      return route.fulfill({ status: 302, headers: { location: `${server.issuer}/callback?code=c&state=${state}` } });
    });
    await page.getByRole('button', { name: 'Allow' }).click();
    await toProvider;
    const text = 'GitHub refused the client ID or its secret. Check clientId and clientSecret.';
    await page.getByText(text).waitFor();
    const seen: string[] = [];
    await look(page, seen, 'error');
    const { id } = server.events.find(({ type }) => type === 'failed') ?? {};
    expect(await page.locator('main').innerText()).toContain(id);
  });
});

const refuseClient = async (): Promise<Response> => Response.json({ error: 'incorrect_client_credentials' });
