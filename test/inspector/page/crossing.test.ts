/** Answers that come late: what the user has done meanwhile, and what was fetched after them, stays. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { executable, type OpenBrowser, startBrowser } from '../../browser/chromium.ts';
import { deferred } from '../../kit/deferred.ts';
import { openPage } from './open-page.ts';
import { startSample, tools } from './sample.ts';

let browser: OpenBrowser;
beforeAll(async () => {
  if (executable !== undefined) browser = await startBrowser(executable);
});
afterAll(() => browser?.close());

async function opened(own: Parameters<typeof startSample>[0] = {}, hash = '') {
  const backend = await startSample(own);
  onTestFinished(() => backend.close());
  const { page, complaints } = await openPage(browser, backend, { hash });
  onTestFinished(() => page.close());
  return { backend, page, complaints };
}

/** Two frames: what an answer changes is shown. */
const shown = (page: Page): Promise<void> =>
  page.evaluate(
    () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  );

describe.skipIf(executable === undefined)('a late answer', () => {
  it('to an earlier request for a list does not replace the newer list', async () => {
    const first = deferred();
    let count = 0;
    const list = async () => {
      const items = count++ === 0 ? tools : [...tools, { ...tools[0], name: 'added', title: 'Added' }];
      if (items === tools) await first.promise;
      return { kind: 'tools', items } as never;
    };
    const { page, backend } = await opened({ answers: { list } });
    await expect.poll(() => count).toBe(1);
    backend.emit({ type: 'list-changed', client: 'c1', kind: 'tools' });
    const added = page.getByRole('region', { name: 'tools' }).getByRole('button', { name: 'Added' });
    await added.waitFor();
    const late = page.waitForResponse(/\/api\/list$/);
    first.resolve();
    await (await late).finished();
    await shown(page);
    expect(await added.count()).toBe(1);
    // Nothing was known before: all of it would be a change.
    expect(await page.getByText('The list has changed.').count()).toBe(0);
  });

  it('with suggestions leaves the one chosen that the user has chosen', async () => {
    const late = deferred();
    const cities = ['Bergen', 'Berlin', 'Oslo'];
    const complete = async ({ argument: { value } }: { argument: { value: string } }) => {
      if (value !== '') await late.promise;
      return { values: cities.filter((city) => city.startsWith(value)) };
    };
    const { page } = await opened({ answers: { complete } }, '#section=prompts&name=plan');
    const city = page.getByRole('combobox', { name: 'city' });
    const options = page.getByRole('listbox', { name: 'Suggestions for city' }).getByRole('option');
    await city.focus();
    await options.nth(2).waitFor();
    await city.pressSequentially('Ber');
    await city.press('ArrowDown');
    late.resolve();
    await options.nth(2).waitFor({ state: 'detached' });
    expect(await options.and(page.locator('[aria-selected=true]')).allInnerTexts()).toEqual(['Bergen']);
    await city.press('Enter');
    expect(await city.inputValue()).toBe('Bergen');
  });

  it('of the filter, after another recording was chosen, breaks no view', async () => {
    const { page, backend, complaints } = await opened();
    const timeline = page.getByRole('region', { name: 'Timeline' });
    const recording = { id: 'f1', name: 'one', began: 0, firstSeq: 1, lastSeq: 10, rows: 10, isComplete: true };
    backend.emit({ type: 'recording', recording });
    await timeline.getByRole('button', { name: 'Sequence' }).click();
    await timeline.locator('.lane-arrow').first().waitFor();
    await timeline.getByLabel('Recording').selectOption('f1');
    await timeline.getByRole('button', { name: 'Close this capture' }).waitFor();
    await timeline.locator('.lane-arrow').first().waitFor();
    expect(complaints).toEqual([]);
  });
});
