/** The page on a narrow screen: what went wrong is in view, and nothing is wider than the screen. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { executable, type OpenBrowser, startBrowser } from '../../browser/chromium.ts';
import { Refusal } from './fake-backend.ts';
import { narrow, openPage, wide } from './open-page.ts';
import { client, startSample } from './sample.ts';

let browser: OpenBrowser;
beforeAll(async () => {
  if (executable !== undefined) browser = await startBrowser(executable);
});
afterAll(() => browser?.close());

async function opened(hash = '', own: Parameters<typeof startSample>[0] = {}) {
  const backend = await startSample(own);
  onTestFinished(() => backend.close());
  const { page } = await openPage(browser, backend, { size: narrow, hash });
  onTestFinished(() => page.close());
  return { backend, page };
}

/** Whether all of an element is on the screen. */
const isOnScreen = (page: Page, selector: string): Promise<boolean> =>
  page.evaluate(`(({ left, right, top, bottom }) => left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight)(
    document.querySelector('${selector}').getBoundingClientRect())`);

describe.skipIf(executable === undefined)('a narrow screen', () => {
  it('shows why a client failed, that one is connecting, and how to connect again', async () => {
    const { page, backend } = await opened();
    const { protocolVersion: _version, capabilities: _capabilities, ...other } = client('c2', '');
    await page.getByLabel('city').waitFor();
    backend.emit({ type: 'client', client: { ...other, state: 'connecting' } });
    await page.evaluate("location.hash = '#client=c2&section=tools'");
    await page.getByRole('region', { name: 'tools' }).getByText('Connecting…').waitFor();
    const error = { code: 'connection-refused', message: 'It is not listening.', step: 'connect' };
    backend.emit({ type: 'client', client: { ...other, state: 'closed', error } });
    await page.getByRole('main').getByText('It is not listening.').waitFor();
    await page.getByRole('main').getByRole('button', { name: 'Connect again' }).click();
    await expect.poll(() => backend.calls.filter(({ name }) => name === 'reconnect').length).toBe(1);
    backend.emit({ type: 'client', client: { ...other, state: 'closed' } });
    await page.getByRole('main').getByText('Not connected.').waitFor();
  });

  it('shows why a capture was not opened, and closes it again', async () => {
    const { page } = await opened('', {
      answers: {
        openCapture: () => {
          throw new Refusal({
            code: 'invalid-capture',
            message: 'This is not a capture: its first line has no version.',
          });
        },
      },
    });
    await page.getByRole('button', { name: 'Timeline' }).click();
    const file = { name: 'a.mcp.ndjson', mimeType: 'text/plain', buffer: Buffer.from('nothing') };
    await page.getByLabel('Capture', { exact: true }).setInputFiles(file);
    await page.locator('.captures-error').waitFor();
    await expect.poll(() => isOnScreen(page, '.captures-error')).toBe(true);
    await page.locator('.captures-error').getByRole('button', { name: 'Close' }).click();
    await page.locator('.captures-error').waitFor({ state: 'detached' });
  });

  it('wraps or cuts what is long: names of fields, kinds of contents, and the heads of lanes', async () => {
    const long = 'n'.repeat(200);
    const inputSchema = { type: 'object', properties: { [long]: { type: 'string' } } };
    const link = { type: 'resource_link', uri: `note://${long}`, name: long, mimeType: `text/${long}` };
    const { page } = await opened('', {
      lists: { tools: [{ name: 'weather', title: 'Weather', inputSchema }] },
      result: { content: [link] },
    });
    await page.getByLabel(long).waitFor();
    await page.keyboard.press('Control+Enter');
    await page.locator('.resource-link').waitFor();
    const tooWide = "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.main'))";
    expect(await page.evaluate(tooWide)).toBe(0);
  });

  it('has two lanes at most, each with its name in one line', async () => {
    const { page, backend } = await opened();
    await page.getByLabel('city').waitFor();
    for (const at of [2, 3, 4]) {
      backend.emit({ type: 'client', client: { ...client(`c${at}`, '2025-06-18'), connections: [at] } });
      const row = { seq: 100 + at, ms: at, connection: at, client: `c${at}`, kind: 'message', summary: '' } as const;
      backend.emit({ type: 'row', row: { ...row, from: 'client', type: 'request', method: 'ping' } as never });
    }
    await page.getByRole('button', { name: 'Timeline' }).click();
    await page.getByRole('button', { name: 'Sequence' }).click();
    await page.locator('.lane-head', { hasText: 'c4' }).waitFor();
    expect(await page.locator('.lane-head').count()).toBe(2);
    const heights = "[...document.querySelectorAll('.lane-head')].map((head) => head.getBoundingClientRect().height)";
    for (const height of await page.evaluate<number[]>(heights)) expect(height).toBeLessThan(24);
    await page.locator('.lane-other', { hasText: 'c2 ping' }).waitFor();
    // Of several clients one can be chosen, and what was chosen, the search and the count are all shown.
    const cut = `[...document.querySelectorAll('.timeline-filters > *')].filter(
      (each) => each.scrollWidth > each.clientWidth + 1 || (each.matches('input') && each.clientWidth < 180)).length`;
    expect(await page.evaluate(cut)).toBe(0);
    // A long name leaves room for the arrow, by which alone a request differs from its response.
    const long = { seq: 200, ms: 200, connection: 4, client: 'c4', kind: 'message', summary: '' } as const;
    const method = 'notifications/subscriptions/acknowledged';
    backend.emit({ type: 'row', row: { ...long, from: 'server', type: 'notification', method } as never });
    await page.locator('.lane-text', { hasText: 'acknowledged' }).waitFor();
    const room = `(([arrow, text]) => [text.left - arrow.left, arrow.right - text.right])(
      ['.lane-arrow', '.lane-text'].map((each) => document.querySelector('#row-200 ' + each).getBoundingClientRect()))`;
    for (const space of await page.evaluate<number[]>(room)) expect(space).toBeGreaterThanOrEqual(12);
    await page.setViewportSize(wide);
    await expect.poll(() => page.locator('.lane-head').count()).toBe(4);
    await page.locator('.lane-other').waitFor({ state: 'detached' });
  });

  it('opens the timeline at its newest row, and leaves a chosen row in view', async () => {
    const row = { connection: 1, client: 'c1', kind: 'message', from: 'client', type: 'request', summary: '' };
    const rows = Array.from({ length: 200 }, (_, at) => ({ ...row, seq: at + 1, ms: at, method: `ping/${at + 1}` }));
    const { page } = await opened('', { rows: rows as never });
    await page.getByLabel('city').waitFor();
    await page.getByRole('button', { name: 'Timeline' }).click();
    await page.getByText('ping/200', { exact: true }).waitFor();
    await page.locator('#row-195').click();
    await page.getByRole('region', { name: 'The chosen message' }).waitFor();
    const isInView = `(([box, row]) => row.top >= box.top && row.bottom <= box.bottom + 1)(
      ['.rows', '#row-195'].map((each) => document.querySelector(each).getBoundingClientRect()))`;
    await expect.poll(() => page.evaluate(isInView)).toBe(true);
  });
});
