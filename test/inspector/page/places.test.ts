/** Where the user is in the page: the back button, the focus after an answer, and a client that is not connected. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { executable, type OpenBrowser, startBrowser } from '../../browser/chromium.ts';
import { narrow, openPage, wide } from './open-page.ts';
import { client, startSample } from './sample.ts';

let browser: OpenBrowser;
beforeAll(async () => {
  if (executable !== undefined) browser = await startBrowser(executable);
});
afterAll(() => browser?.close());

async function opened(options: Parameters<typeof openPage>[2] = {}) {
  const backend = await startSample();
  onTestFinished(() => backend.close());
  const { page } = await openPage(browser, backend, options);
  onTestFinished(() => page.close());
  return { backend, page };
}

describe.skipIf(executable === undefined)('the place of the user', () => {
  it('is found again by the back button, from item to item and from section to section, also on a phone', async () => {
    const { page } = await opened({ size: narrow });
    const heading = (name: string) => page.getByRole('heading', { name, exact: true }).waitFor();
    await heading('Weather');
    const entries = await page.evaluate<number>('history.length');
    await page.getByRole('button', { name: 'Back to the list' }).click();
    await page.getByRole('button', { name: /^Query/ }).click();
    await heading('Query');
    await page.getByRole('button', { name: 'Server' }).click();
    await heading('Tenon demo');
    await page.getByRole('button', { name: 'Timeline' }).click();
    expect(await page.evaluate('history.length')).toBe(entries + 3);
    await page.goBack();
    await heading('Query');
    await page.goBack();
    await page.getByRole('button', { name: /^Query/ }).waitFor();
    await page.goBack();
    await heading('Weather');
    await page.goForward();
    await page.getByRole('button', { name: /^Query/ }).waitFor();
  });

  it('goes from an answered question to the result, on a phone too', async () => {
    const { page } = await opened({ size: narrow, hash: '#section=tools&name=book' });
    await page.getByLabel('city').fill('Oslo');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: 'Answer it' }).press('Enter');
    await page.getByLabel('People').fill('2');
    await page.keyboard.press('Enter');
    await page.getByText('Booked Oslo for 2').waitFor();
    const focused = "document.activeElement.getAttribute('aria-label')";
    await expect.poll(() => page.evaluate(focused)).toBe('Result');
  });

  it('of a client that is not connected says so, and connects again', async () => {
    const { page, backend } = await opened();
    await page.getByRole('heading', { name: 'Weather' }).waitFor();
    backend.emit({ type: 'client', client: { ...client('c1', '2025-06-18'), state: 'closed' } });
    await page.keyboard.press('Alt+3');
    await page.getByRole('main').getByText('Not connected.').waitFor();
    await page.getByRole('main').getByRole('button', { name: 'Connect again' }).click();
    await expect
      .poll(() => backend.calls.filter(({ name }) => name === 'reconnect').map(({ body }) => body))
      .toEqual([{ client: 'c1' }]);
  });

  it('is a tab among many: in view, without overlaps, with a menu that no edge cuts off', async () => {
    const { page, backend } = await opened({ size: narrow });
    await page.getByRole('heading', { name: 'Weather' }).waitFor();
    for (let at = 2; at <= 12; at++) backend.emit({ type: 'client', client: client(`c${at}`, '2025-06-18') });
    const tabs = page.getByRole('navigation', { name: 'Clients' }).locator('.tab');
    await tabs.nth(11).waitFor();
    for (const size of [narrow, wide]) {
      await page.setViewportSize(size);
      await page.evaluate("location.hash = '#client=c1&section=server'");
      await page.evaluate("location.hash = '#client=c12&section=server'");
      const edges =
        '[".tab:last-of-type", ".tab-add"].map((each) => document.querySelector(each).getBoundingClientRect())';
      const isBeside = `(([tab, add]) => tab.right <= add.left && add.right < innerWidth)(${edges})`;
      await expect.poll(() => page.evaluate(isBeside)).toBe(true);
      const widths = 'document.documentElement.scrollWidth - innerWidth';
      expect(await page.evaluate(widths)).toBe(0);
      const texts = '[...document.querySelectorAll(".tab")].every((tab) => tab.scrollWidth <= tab.clientWidth)';
      expect(await page.evaluate(texts)).toBe(true);
      await tabs
        .last()
        .getByRole('button', { name: /^Options of/ })
        .click();
      // What is cut off or covered is not what is found at its place.
      const isSeen = `(() => {
        const button = document.querySelector('.menu-list .danger');
        const { left, right, top, bottom } = button.getBoundingClientRect();
        return right <= innerWidth && button.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
      })()`;
      await page.getByRole('menuitem', { name: 'Remove' }).waitFor();
      expect(await page.evaluate(isSeen)).toBe(true);
      await page.keyboard.press('Escape');
    }
    backend.emit({ type: 'client-removed', client: 'c12' });
    await page.waitForURL(/client=c11/);
  });
});
