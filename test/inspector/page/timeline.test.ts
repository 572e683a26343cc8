/** The timeline in the page: filters in a worker, a bounded number of rows, lanes, and the state at a moment. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { barPath, linePath, niceMaximum, stepPath } from '../../../apps/inspector/src/timeline/chart.ts';
import { filterRows, noFilter } from '../../../apps/inspector/src/timeline/rows/filter.ts';
import type { Row } from '../../../src/inspector/api.ts';
import { executable, type OpenBrowser, startBrowser } from '../../browser/chromium.ts';
import { scaled } from '../../kit/long.ts';
import { openPage } from './open-page.ts';
import { rows, startSample } from './sample.ts';

let browser: OpenBrowser;
beforeAll(async () => {
  if (executable !== undefined) browser = await startBrowser(executable);
});
afterAll(() => browser?.close());

async function opened(own: Parameters<typeof startSample>[0] = {}) {
  const backend = await startSample(own);
  onTestFinished(() => backend.close());
  const { page, complaints } = await openPage(browser, backend);
  onTestFinished(() => page.close());
  return { backend, page, complaints };
}

describe('the filter', () => {
  const seqs = (filter: Partial<typeof noFilter>): (number | undefined)[] =>
    [...filterRows(rows, { ...noFilter, ...filter })].map((place) => rows[place]?.seq);

  it('shows rows by kind, by client, and by what they show or what the backend found', () => {
    expect(seqs({ kind: 'all' })).toHaveLength(rows.length);
    expect(seqs({ kind: 'errors' })).toEqual([10]);
    expect(seqs({ kind: 'notifications' })).toEqual([8]);
    expect(seqs({ kind: 'calls', text: 'weather' })).toEqual([6, 7]);
    expect(seqs({ text: 'nowhere', found: [4] })).toEqual([4]);
    expect(seqs({ client: 'c2' })).toEqual([]);
  });

  it('filters what was appended alone, to the same result', () => {
    const whole = filterRows(rows, noFilter);
    const parts = [...filterRows(rows.slice(0, 5), noFilter), ...filterRows(rows, noFilter, 5)];
    expect(parts).toEqual([...whole]);
  });
});

it('a chart has a round maximum, a bar only where there is a number, and steps without ramps', () => {
  expect([0, 0.3, 1, 7, 12, 640].map(niceMaximum)).toEqual([1, 0.5, 1, 10, 20, 1000]);
  const points = [
    { x: 0, y: 0 },
    { x: 0.5, y: 2 },
    { x: 1, y: 4 },
  ];
  expect(barPath(points, 4)).toBe('M120 64V32M240 64V0');
  expect(linePath(points, 4)).toBe('M0 64L120 32L240 0');
  expect(stepPath(points, 4)).toBe('M0 64H120V32H240V0');
});

describe.skipIf(executable === undefined)('the timeline', () => {
  it('finds whole texts, shows lanes, and the state of connections at a moment [S32]', async () => {
    const { page, complaints } = await opened();
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await timeline.getByText('9 of 10 rows').waitFor();
    await timeline.getByLabel('Which rows').selectOption('all');
    await timeline.getByText('10 rows').waitFor();
    await timeline.getByLabel('Search the timeline').fill('only in the text');
    await timeline.getByText('1 of 10 rows').waitFor();
    await timeline.getByLabel('Search the timeline').fill('');
    await timeline.getByRole('button', { name: 'Sequence' }).click();
    await timeline.locator('.lane-arrow.from-client', { hasText: 'tools/call weather' }).waitFor();
    await timeline.getByRole('slider').focus();
    for (let steps = 0; steps < 8; steps++) await page.keyboard.press('ArrowLeft');
    await timeline.getByText('2, 0 requests, 0 errors').waitFor();
    expect(await timeline.locator('.row.later').count()).toBe(8);
    await timeline.getByRole('button', { name: 'Live' }).click();
    expect(await timeline.locator('.row.later').count()).toBe(0);
    await timeline.getByRole('button', { name: 'Numbers', exact: true }).click();
    await timeline.getByRole('img', { name: 'Open streams' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('has few rows in the document, and filters many in a worker [S32]', async () => {
    const count = scaled(12_000, 100_000);
    const many = Array.from(
      { length: count },
      (_, at): Row => ({ ...(rows[1] as Row), seq: at + 1, ms: at, summary: `message ${at}` }),
    );
    const { page } = await opened({ rows: many });
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await timeline.getByText(`${count} rows`, { exact: true }).waitFor();
    expect(await page.locator('.row').count()).toBeLessThan(60);
    expect(page.workers()).toHaveLength(1);
    await timeline.getByLabel('Search the timeline').fill(`message ${count - 1}`);
    await timeline.getByText(`1 of ${count} rows`).waitFor();
    expect(await page.locator('.row').count()).toBe(1);
  });
});
