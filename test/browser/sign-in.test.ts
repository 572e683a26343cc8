/** Whole flows of the OAuth client in a real browser, with the clicks of a person. */
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { connect, toText } from 'tenon';
import { deviceCode, type OAuthOptions, terminalSignIn } from 'tenon/auth';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { replaceRecord, type StoredTokens, tokensKey } from '../../src/auth/client/records.ts';
import { memoryCredentials } from '../../src/store/parts/memory-credentials.ts';
import { type ProtectedServer, startProtected } from '../kit/auth/protected-server.ts';
import { requires } from '../kit/requires.ts';
import { executable, patienceMs } from './chromium.ts';

it('a browser is installed', (context) => {
  requires(
    context,
    executable === undefined ? 'there is no Chromium: install one with `apt-get install chromium`' : undefined,
  );
  expect(executable).toBeTypeOf('string');
});

/** A person at a browser. They keep their session between sign-ins. */
interface Person {
  /** Titles of the pages that they saw, and what the last one said. */
  readonly pages: string[];
  lastText: string;
  /** The buttons that they click, one on each page. */
  clicks: string[];
  open(url: string): Promise<void>;
}

async function newPerson(browser: Browser): Promise<Person> {
  const context: BrowserContext = await browser.newContext();
  context.setDefaultTimeout(patienceMs);
  onTestFinished(() => context.close());
  const person: Person = {
    pages: [],
    lastText: '',
    clicks: [],
    async open(url) {
      const page: Page = await context.newPage();
      const look = async () => {
        person.pages.push(await page.title());
        person.lastText = await page.locator('body').innerText();
      };
      await page.goto(url);
      for (const name of person.clicks.splice(0)) {
        const button = page.getByRole('button', { name, exact: true });
        await button.waitFor();
        await look();
        await Promise.all([page.waitForNavigation(), button.click()]);
      }
      await look();
    },
  };
  return person;
}

describe.each(executable === undefined ? [] : [executable])('in %s', (executablePath) => {
  let browser: Browser;
  beforeAll(async () => {
    const args = ['--no-sandbox', '--no-proxy-server'];
    browser = await chromium.launch({ executablePath, args, timeout: patienceMs });
  });
  afterAll(() => browser?.close());

  /** The browser opens the page that the client prints. */
  async function start() {
    const server = await startProtected();
    const person = await newPerson(browser);
    const opened: Promise<void>[] = [];
    const onUrl = (url: URL) => void opened.push(person.open(url.href));
    const store = memoryCredentials();
    const signIn = terminalSignIn({ openBrowser: false, onUrl });
    const auth = server.auth({ signIn, store, clientMetadata: { name: 'Files <app>' } } satisfies OAuthOptions);
    /** Waits until the browser has shown the last page too. */
    const seen = () => Promise.all(opened);
    return { server, person, auth, store, seen };
  }

  const authorizations = ({ events }: ProtectedServer) => events.filter(({ type }) => type === 'authorized').length;

  it('a person signs in and allows the client, later more scopes; tokens are refreshed without them; after sign-out they sign in again [S21, S22]', async () => {
    const { server, person, auth, store, seen } = await start();
    person.clicks = ['ada', 'Allow'];
    const client = await connect({ url: server.url, auth });
    onTestFinished(() => client.close());
    expect(toText(await client.tools.call('whoami'))).toBe('ada');
    await seen();
    expect(person.pages.slice(0, 2)).toEqual(['Sign in', 'Allow access']);
    expect(person.lastText).toMatch(/close this/i);

    // Step-up: the person is still signed in at the authorization server.
    person.clicks = ['Allow'];
    expect(toText(await client.tools.call('write'))).toBe('written');
    await seen();
    expect([person.pages.filter((title) => title === 'Sign in').length, authorizations(server)]).toEqual([1, 2]);

    // Refresh: no page.
    await replaceRecord(store, tokensKey(server.server.issuer, server.url), (tokens) => ({
      ...(tokens as StoredTokens),
      refreshAt: 0,
    }));
    const second = await connect({ url: server.url, auth: server.auth({ store }) });
    expect(toText(await second.tools.call('write'))).toBe('written');
    await second.close();
    expect([server.redemptions('refresh_token'), authorizations(server)]).toEqual([1, 2]);

    await auth.signOut();
    expect(server.events.some(({ type }) => type === 'revoked')).toBe(true);
    person.clicks = ['Allow'];
    const third = await connect({ url: server.url, auth });
    expect(toText(await third.tools.call('whoami'))).toBe('ada');
    await third.close();
    await seen();
    expect(authorizations(server)).toBe(3);
  });

  it('a person who denies access ends the call with an error that says so', async () => {
    const { server, person, auth, seen } = await start();
    person.clicks = ['grace', 'Deny'];
    await expect(connect({ url: server.url, auth })).rejects.toMatchObject({
      code: 'authorization-failed',
      details: { error: 'access_denied' },
    });
    await seen();
    expect(server.redemptions('authorization_code')).toBe(0);
  });

  it('a person enters the code of a device, and allows it', async () => {
    const server = await startProtected();
    const person = await newPerson(browser);
    person.clicks = ['Continue', 'grace', 'Allow'];
    let opened: Promise<void> | undefined;
    const grant = deviceCode({
      onCode: ({ urlWithCode = '' }) => {
        opened = person.open(urlWithCode);
      },
    });
    const client = await connect({ url: server.url, auth: server.auth({ grant }) });
    onTestFinished(() => client.close());
    expect(toText(await client.tools.call('whoami'))).toBe('grace');
    await opened;
    expect(person.pages).toEqual(['Connect a device', 'Sign in', 'Allow access', 'Signed in']);
  });
});
