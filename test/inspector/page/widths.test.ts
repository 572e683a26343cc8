/** The layout at every width: nothing overlaps, is cut, or is wider than the screen, wherever a person is. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { executable, type OpenBrowser, startBrowser } from '../../browser/chromium.ts';
import { layoutFaults } from './layout-faults.ts';
import { openPage } from './open-page.ts';
import { client, rows, startSample } from './sample.ts';

const widths = [320, 390, 480, 600, 700, 768, 820, 900, 1024, 1100, 1280, 1920];

let browser: OpenBrowser;
beforeAll(async () => {
  if (executable !== undefined) browser = await startBrowser(executable);
});
afterAll(() => browser?.close());

/** Three clients, one with a long name, and a message of each. */
async function opened(hash = '') {
  const backend = await startSample();
  onTestFinished(() => backend.close());
  const { page } = await openPage(browser, backend, { hash });
  onTestFinished(() => page.close());
  await page.locator('.main > *').waitFor();
  for (const at of [2, 3]) {
    const label = at === 3 ? 'http://127.0.0.1:30123/a/very/long/path/to/a/server/mcp' : 'Tenon demo';
    const other = { ...client(`c${at}`, '2025-06-18'), label, connections: [at] };
    backend.emit({ type: 'client', client: other });
    backend.emit({ type: 'row', row: { ...(rows[5] as (typeof rows)[number]), seq: 100 + at, client: `c${at}` } });
  }
  await page.locator('.tab').nth(2).waitFor();
  return { backend, page };
}

/** The faults at every width, each with the width and the pane. */
async function faults(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    const panes = width > 760 ? [''] : ['', 'Activity', 'Timeline'];
    for (const pane of panes) {
      if (pane !== '') await page.locator('.rail').getByRole('button', { name: pane }).click();
      // Components follow the width in their next frame.
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
      found.push(...(await layoutFaults(page)).map((fault) => `${width} ${pane}: ${fault}`));
    }
    if (width <= 760) await page.keyboard.press('Alt+1');
  }
  return found;
}

describe.skipIf(executable === undefined)('the layout at all widths has no fault', () => {
  it('with a result, and three clients', async () => {
    const { page } = await opened();
    await page.keyboard.press('Control+Enter');
    await page.getByText('It is sunny in Oslo', { exact: true }).waitFor();
    expect(await faults(page)).toEqual([]);
  });

  it('while a question waits, and with the activity open', async () => {
    const { page } = await opened('#section=tools&name=book');
    await page.getByLabel('city').fill('Oslo');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: 'Answer it' }).waitFor();
    expect(await faults(page)).toEqual([]);
    await page.setViewportSize({ width: 1000, height: 800 });
    await page.getByRole('button', { name: 'Answer it' }).click();
    await page.getByLabel('People').waitFor();
    expect(await faults(page)).toEqual([]);
  });

  it('with a chosen row, in lanes, and with a maximised timeline', async () => {
    const { page } = await opened();
    await page.locator('.row').nth(4).click();
    await page.locator('.details .tree').waitFor();
    expect(await faults(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Sequence' }).click();
    await page.locator('.lane-head').first().waitFor();
    expect(await faults(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Maximise the timeline' }).click();
    expect(await faults(page)).toEqual([]);
  });

  it.each(['#section=tools&name=plan_trip', '#section=server', '#section=connect', '#section=resources'])(
    'at %s',
    async (hash) => {
      const { page } = await opened(hash);
      expect(await faults(page)).toEqual([]);
    },
  );
});
