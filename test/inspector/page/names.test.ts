/** What a screen reader says: names of controls and rows are whole, say what they are for, and results are announced. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { executable, type OpenBrowser, startBrowser } from '../../browser/chromium.ts';
import { openPage } from './open-page.ts';
import { client, rows, startSample, tools } from './sample.ts';

let browser: OpenBrowser;
beforeAll(async () => {
  if (executable !== undefined) browser = await startBrowser(executable);
});
afterAll(() => browser?.close());

async function opened(hash = '', own: Parameters<typeof startSample>[0] = {}) {
  const backend = await startSample(own);
  onTestFinished(() => backend.close());
  const { page } = await openPage(browser, backend, { hash });
  onTestFinished(() => page.close());
  await page.getByRole('navigation', { name: 'First steps' }).waitFor();
  return { backend, page };
}

describe.skipIf(executable === undefined)('a screen reader', () => {
  it('reads a name that is cut in the middle as one word', async () => {
    const name = 'enterprise_pull_request_review_comment';
    const [first] = tools;
    const { page } = await opened('#section=tools', { lists: { tools: [{ ...first, title: undefined, name }] } });
    await page.getByRole('button', { name: `${name} The weather in a city`, exact: true }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: /^Same server with 2025-06-18/ }).waitFor();
    await page.getByRole('combobox', { name: /Search commands/ }).fill('nothing is called so');
    await page.getByRole('status').getByText('Nothing matches.').waitFor();
  });

  it('reads of a lane what its arrow shows, and a client that came back or was removed has one lane with its name', async () => {
    const { backend, page } = await opened();
    await page.getByLabel('city').waitFor();
    backend.emit({ type: 'client', client: { ...client('c2', '2025-06-18'), connections: [2, 5] } });
    for (const [at, connection] of [2, 5].entries())
      backend.emit({
        type: 'row',
        row: { ...(rows[5] as (typeof rows)[number]), seq: 101 + at, connection, client: 'c2' },
      });
    await page.getByRole('button', { name: 'Sequence' }).click();
    const heads = page.locator('.lane-head strong');
    await expect.poll(() => heads.allInnerTexts()).toEqual(['c1 2026-07-28', 'c2 2025-06-18']);
    await page
      .getByRole('option', { name: /tools\/call weather request to the server of c2/ })
      .first()
      .waitFor();
    await page.getByRole('option', { name: /tools\/call weather response from the server of c1 2 ms/ }).waitFor();
    backend.emit({ type: 'client-removed', client: 'c2' });
    await expect.poll(() => heads.allInnerTexts()).toEqual(['c1 2026-07-28', 'c2']);
  });

  it('reads the sizes of panes as they are, and names that say what a control is for', async () => {
    const { page } = await opened('#section=tools&name=plan_trip');
    await page.getByRole('checkbox', { name: 'null as note', exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Log', exact: true }).waitFor();
    for (const [label, pane] of [
      ['Width of the list', '.list'],
      ['Width of the activity', '.aside'],
    ] as const) {
      const box = await page.locator(pane).boundingBox();
      const edge = page.getByRole('separator', { name: label });
      expect(await edge.getAttribute('aria-valuenow')).toBe(String(Math.round(box?.width ?? 0)));
    }
    await page.locator('#row-6').click();
    await page.getByRole('button', { name: /^All parts \{\d\}$/ }).waitFor();
    await page.getByRole('button', { name: 'Close the message' }).click();
    await page.locator('.details').waitFor({ state: 'detached' });
  });
});
