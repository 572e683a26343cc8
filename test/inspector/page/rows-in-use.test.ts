/** Rows in daily use: pinned, cleared and brought back, copied, and read from a moment of the past. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { executable, type OpenBrowser, startBrowser } from '../../browser/chromium.ts';
import { openPage } from './open-page.ts';
import { startSample } from './sample.ts';

let browser: OpenBrowser;
beforeAll(async () => {
  if (executable !== undefined) browser = await startBrowser(executable);
});
afterAll(() => browser?.close());

async function opened() {
  const backend = await startSample();
  onTestFinished(() => backend.close());
  const { page } = await openPage(browser, backend);
  onTestFinished(() => page.close());
  const { origin } = new URL(page.url());
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
  const timeline = page.getByRole('region', { name: 'Timeline' });
  await timeline.getByText('9 of 10 rows').waitFor();
  return { page, timeline, copied: () => page.evaluate<string>('navigator.clipboard.readText()') };
}

describe.skipIf(executable === undefined)('a row', () => {
  it('is pinned by a button or a key, and stays above whatever is filtered', async () => {
    const { page, timeline } = await opened();
    await timeline.locator('#row-6').click();
    await timeline.getByRole('button', { name: 'Pin: it stays above the list' }).click();
    await timeline.getByRole('listbox').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('p');
    const pinned = timeline.getByRole('list', { name: 'Pinned messages' }).getByRole('listitem');
    expect(await pinned.count()).toBe(2);
    await timeline.getByLabel('Which rows').selectOption('errors');
    await timeline.getByText('1 of 10 rows').waitFor();
    await pinned.first().getByRole('button').first().click();
    await timeline.getByRole('region', { name: 'The chosen message' }).getByText('"weather"').waitFor();
    await pinned.first().getByRole('button', { name: 'Unpin' }).click();
    expect(await pinned.count()).toBe(1);
  });

  it('is copied as indented JSON, and a result as its text', async () => {
    const { page, timeline, copied } = await opened();
    await timeline.locator('#row-6').click();
    const copy = timeline.getByRole('button', { name: 'Copy the message' });
    await copy.click();
    await timeline.getByText('Copied').waitFor();
    expect(JSON.parse(await copied())).toMatchObject({ method: 'tools/call' });
    expect(await copied()).toContain('\n  "method"');
    await page.getByLabel('city').focus();
    await page.keyboard.press('Control+Enter');
    const outcome = page.getByRole('region', { name: 'Result' });
    await outcome.getByRole('button', { name: 'JSON' }).click();
    await outcome.getByRole('button', { name: 'Copy the result' }).click();
    await expect.poll(copied).toContain('"resource_link"');
  });

  it('is cleared away with the others, and brought back', async () => {
    const { timeline } = await opened();
    await timeline.getByRole('button', { name: 'Clear the timeline' }).click();
    await timeline.getByText('0 of 10 rows').waitFor();
    await timeline.getByRole('button', { name: 'Show the earlier ones again' }).click();
    await timeline.getByText('9 of 10 rows').waitFor();
    expect(await timeline.locator('.row').count()).toBeGreaterThan(5);
  });

  it('of a moment is the last that is lit, with what led to it above, also if the filter hides its own', async () => {
    const { page, timeline } = await opened();
    await timeline.getByRole('slider', { name: 'Moment' }).focus();
    for (let steps = 0; steps < 3; steps++) await page.keyboard.press('ArrowLeft');
    const lit = timeline.locator('.row:not(.later)');
    await expect.poll(() => lit.last().getAttribute('id')).toBe('row-7');
    expect(await timeline.locator('.row.chosen').getAttribute('id')).toBe('row-7');
    expect(await lit.first().getAttribute('id')).toBe('row-2');
    await timeline.getByLabel('Which rows').selectOption('notifications');
    await timeline.getByText('1 of 10 rows').waitFor();
    expect(await timeline.locator('.row.later').count()).toBe(1);
    await timeline.getByLabel('Which rows').selectOption('all');
    await expect.poll(() => timeline.locator('.row.chosen').getAttribute('id')).toBe('row-7');
  });

  it('begins with the time of day, and its columns have names', async () => {
    const { timeline } = await opened();
    const clock = await timeline.locator('#row-6 .row-time').innerText();
    expect(clock).toMatch(/^\d\d:\d\d:\d\d\.\d{3}$/);
    expect(await timeline.locator('.row-heads').innerText()).toMatch(/Time\s+Client\s+Method\s+Kind\s+Took\s+Content/);
  });
});
