/** Opens the page of a fake backend in Chromium, and collects what it must not do: errors, and requests to other hosts. */
import type { Page } from 'playwright-core';
import type { OpenBrowser } from '../../browser/chromium.ts';
import type { FakeBackend } from './fake-backend.ts';

export const wide = { width: 1280, height: 800 } as const;
export const narrow = { width: 390, height: 844 } as const;

export interface OpenedPage {
  readonly page: Page;
  /** Errors of scripts and of the content policy, and requests that left the backend. */
  readonly complaints: string[];
}

export interface LookOptions {
  readonly size?: { readonly width: number; readonly height: number };
  readonly theme?: 'light' | 'dark';
  /** Runs in the page before its own scripts. */
  readonly script?: () => void;
}

/** With the link of a fake backend, and a place in the page. */
export const openPage = (
  browser: OpenBrowser,
  { url }: Pick<FakeBackend, 'url'>,
  { hash = '', ...look }: LookOptions & { readonly hash?: string } = {},
): Promise<OpenedPage> => openLink(browser, `${url}/?token=t${hash}`, look);

export async function openLink(
  browser: OpenBrowser,
  link: string,
  { size = wide, theme = 'light', script }: LookOptions = {},
): Promise<OpenedPage> {
  const { origin } = new URL(link);
  const page = await browser.open('page.example');
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !/^(?:blob|data):/.test(url)) complaints.push(`request to ${url}`);
  });
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
  if (script !== undefined) await page.addInitScript(script);
  await page.goto(link);
  return { page, complaints };
}
