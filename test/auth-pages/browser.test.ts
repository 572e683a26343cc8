/** The pages in Chromium, wide and narrow, light and dark: no finding of axe, nothing wider than the window, and the form works. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { pageHeaders } from '../../src/auth-pages/page.ts';
import { executable, type OpenBrowser, startBrowser } from '../browser/chromium.ts';
import { scaled } from '../kit/long.ts';
import { samples } from './samples.ts';

let browser: OpenBrowser;
let site: Server;
const posted: { readonly origin: string | undefined; readonly body: string }[] = [];

beforeAll(async () => {
  if (executable === undefined) return;
  browser = await startBrowser(executable);
  site = createServer(async (request, response) => {
    if (request.method === 'POST') {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      posted.push({ origin: request.headers.origin, body });
      return void response.writeHead(303, { location: 'http://client.example:1/callback' }).end();
    }
    response.writeHead(200, pageHeaders).end(samples[(request.url ?? '').slice(1)] ?? '');
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await browser?.close();
  site?.closeAllConnections();
  site?.close();
});

const originOf = (): string => `http://auth.example:${(site.address() as AddressInfo).port}`;

async function opened(width: number, colorScheme: 'light' | 'dark'): Promise<Page> {
  const page = await browser.open('page.example');
  onTestFinished(() => page.close());
  await page.setViewportSize({ width, height: 844 });
  await page.emulateMedia({ colorScheme });
  return page;
}

describe.skipIf(executable === undefined)('the pages', () => {
  const looks = [
    [1280, 'light'],
    [390, 'dark'],
    [1280, 'dark'],
    [390, 'light'],
  ] as const;
  it.each(looks.slice(0, scaled(2, 4)))('are accessible and fit at %i pixels, %s', async (width, theme) => {
    const page = await opened(width, theme);
    for (const name of Object.keys(samples)) {
      await page.goto(`${originOf()}/${name}`);
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate<AxeResults>('axe.run(document)');
      expect([name, violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)]).toEqual([
        name,
        [],
      ]);
      expect([name, await page.evaluate('document.scrollingElement.scrollWidth')]).toEqual([name, width]);
      // For a person who looks at them: AUTH_PICTURES=folder.
      const folder = process.env.AUTH_PICTURES;
      if (folder !== undefined)
        await page.screenshot({ path: `${folder}/${name}-${width}-${theme}.png`, fullPage: true });
    }
  });

  it('post their form with the origin of the page, and a redirect to a client is followed', async () => {
    const page = await opened(390, 'light');
    await page.goto(`${originOf()}/consent`);
    const redirect = page.waitForRequest((request) => request.url().startsWith('http://client.example:1/callback'));
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Allow');
    await page.keyboard.press('Enter').catch(() => {});
    await redirect;
    expect(posted).toEqual([{ origin: originOf(), body: 'csrf=token&answer=allow' }]);
  });
});
