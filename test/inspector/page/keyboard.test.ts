/** A walk without a mouse: every place of the page is reached by Tab and arrows, lists are one Tab stop, and all is named. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { executable, type OpenBrowser, startBrowser } from '../../browser/chromium.ts';
import { openPage } from './open-page.ts';
import { startSample } from './sample.ts';

let browser: OpenBrowser;
beforeAll(async () => {
  if (executable !== undefined) browser = await startBrowser(executable);
});
afterAll(() => browser?.close());

async function opened(hash = '') {
  const backend = await startSample();
  onTestFinished(() => backend.close());
  const { page, complaints } = await openPage(browser, backend, { hash });
  onTestFinished(() => page.close());
  await page.getByLabel('city').waitFor();
  return { backend, page, complaints };
}

const isFocused = async (locator: Locator): Promise<boolean> =>
  (await locator.and(locator.page().locator(':focus')).count()) > 0;

/** Presses Tab until something has the focus. Fails if Tab does not lead there. */
async function tabTo(page: Page, locator: Locator, key = 'Tab'): Promise<void> {
  await locator.first().waitFor();
  for (let presses = 0; presses < 80; presses++) {
    if (await isFocused(locator)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${key} does not lead to ${locator}`);
}

/** The names of everything that Tab stops at, once around the page. */
async function stops(page: Page): Promise<string[]> {
  const names: string[] = [];
  const name =
    "(() => { const { activeElement: e } = document; return e === document.body ? '' : `${e.closest('[aria-label]:not(button, input)')?.getAttribute('aria-label')}: ${e.getAttribute('aria-label') ?? e.labels?.[0]?.textContent ?? e.textContent}`; })()";
  for (let presses = 0; presses < 120; presses++) {
    await page.keyboard.press('Tab');
    const found = await page.evaluate<string>(name);
    if (found === '' && names.length > 0) return names;
    if (found !== '') names.push(found);
  }
  return names;
}

describe.skipIf(executable === undefined)('the keyboard', () => {
  it('stops once at each list, and arrows, Home and End move inside of it', async () => {
    const { page } = await opened();
    await page.keyboard.press('Control+Enter');
    await page.getByText('It is sunny in Oslo', { exact: true }).waitFor();
    const all = await stops(page);
    for (const list of ['tools', 'First steps', 'Clients', 'Messages'])
      expect([list, all.filter((name) => name.startsWith(`${list}: `)).length]).toEqual([
        list,
        // Besides the list: search and fetch; Close; Connect; none.
        { tools: 3, 'First steps': 2, Clients: 2, Messages: 1 }[list],
      ]);
    expect(all.filter((name) => /: *$/.test(name))).toEqual([]);

    // The open tool is the stop of its list.
    const rows = page.locator('.list-row');
    await page.keyboard.press('/');
    await tabTo(page, rows);
    expect(await isFocused(page.locator('.list-row', { hasText: 'Weather' }))).toBe(true);
    await page.keyboard.press('End');
    expect(await isFocused(rows.last())).toBe(true);
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    expect(await isFocused(rows.nth(1))).toBe(true);
    // What had the focus last is where Tab comes back to.
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    expect(await isFocused(rows.nth(1))).toBe(true);
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowUp');
    expect(await isFocused(page.getByLabel('Search tools'))).toBe(true);
  });

  it('opens the palette by Ctrl+K, with Caps Lock too', async () => {
    const { page } = await opened();
    const palette = page.getByRole('combobox', { name: /Search commands/ });
    await page.keyboard.press('Control+k');
    await palette.waitFor();
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'detached' });
    await page.evaluate("void dispatchEvent(new KeyboardEvent('keydown', { key: 'K', code: 'KeyK', ctrlKey: true }))");
    await palette.waitFor();
    expect(await palette.isVisible()).toBe(true);
  });

  it('finds, fills in, runs, copies, looks back, pins, resizes, and opens a version', async () => {
    const { page, complaints } = await opened();
    const press = (...keys: readonly string[]): Promise<void> =>
      keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
    const outcome = page.getByRole('region', { name: 'Result', exact: true });

    // Find, fill in, run.
    await press('/');
    await page.keyboard.type('weather');
    await press('ArrowDown', 'Enter');
    await tabTo(page, page.getByLabel('city'));
    await press('Control+a');
    await page.keyboard.type('Oslo');
    await press('Control+Enter');
    await outcome.getByText('It is sunny in Oslo', { exact: true }).waitFor();

    // Copy the result, and the call.
    await tabTo(page, outcome.getByRole('button', { name: /^Copy the result/ }));
    await tabTo(page, page.getByRole('button', { name: 'Copy as', exact: true }), 'Shift+Tab');
    await press('Enter');
    await page.getByRole('menuitem').first().waitFor();
    await press('ArrowDown', 'Escape');
    expect(await isFocused(page.getByRole('button', { name: 'Copy as', exact: true }))).toBe(true);

    // Look back: choose a message, pin it, move the moment.
    await tabTo(page, page.getByRole('listbox', { name: 'Messages' }));
    await press('ArrowUp', 'p');
    await page.locator('.pinned-row').first().waitFor();
    await tabTo(page, page.getByRole('slider', { name: 'Moment' }));
    await press('Home');
    await page.locator('.state-at').first().waitFor();

    // Another view of the timeline, the theme and the width of a pane.
    await tabTo(page, page.getByRole('button', { name: 'Sequence' }), 'Shift+Tab');
    await press('Enter');
    await page.locator('.lanes').first().waitFor();
    await tabTo(page, page.locator('.edge-list'), 'Shift+Tab');
    const width = async (): Promise<number> => (await page.locator('.list').boundingBox())?.width ?? 0;
    const before = await width();
    await press('ArrowRight');
    await expect.poll(width).toBeGreaterThan(before);

    // The menu of a client: another version of the same server.
    await tabTo(page, page.locator('.tab > button'), 'Shift+Tab');
    await press('ArrowRight', 'Enter');
    await page.getByRole('menuitemradio').first().waitFor();
    await press('ArrowDown', 'Enter');
    await page.locator('.tab').nth(1).waitFor();
    expect(complaints).toEqual([]);
  });
});
