/** The timeline follows the newest row until a person scrolls, drags or chooses, and follows it again by “Live”. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Row } from '../../../src/inspector/api.ts';
import { executable, type OpenBrowser, startBrowser } from '../../browser/chromium.ts';
import { openPage } from './open-page.ts';
import { rows, startSample } from './sample.ts';

let browser: OpenBrowser;
beforeAll(async () => {
  if (executable !== undefined) browser = await startBrowser(executable);
});
afterAll(() => browser?.close());

async function opened() {
  const row = { ...(rows[1] as Row), summary: '' };
  const first = Array.from(
    { length: 100 },
    (_, at): Row => ({ ...row, seq: at + 1, ms: at, method: `ping/${at + 1}` }),
  );
  const backend = await startSample({ rows: first });
  onTestFinished(() => backend.close());
  const { page } = await openPage(browser, backend);
  onTestFinished(() => page.close());
  let last = 1000;
  /** Sends new rows, and waits until the page has them. */
  const send = async (count: number): Promise<string> => {
    for (let at = 0; at < count; at++)
      backend.emit({ type: 'row', row: { ...row, seq: ++last, ms: last, method: `ping/${last}` } });
    await page.getByText(`${100 + last - 1000} rows`, { exact: true }).waitFor();
    return `ping/${last}`;
  };
  const isInView = (method: string): Promise<boolean> =>
    page.evaluate<boolean>(`(() => {
      const box = document.querySelector('.rows').getBoundingClientRect();
      return [...document.querySelectorAll('.row')].some((row) => {
        const { top, bottom } = row.getBoundingClientRect();
        return row.textContent.includes(${JSON.stringify(method)} ) && top >= box.top - 1 && bottom <= box.bottom + 1;
      });
    })()`);
  await page.getByText('ping/100', { exact: true }).waitFor();
  const live = page.getByRole('button', { name: 'Live' });
  return { page, send, isInView, live };
}

describe.skipIf(executable === undefined)('the newest row', () => {
  it('is followed from the start, not after scrolling away, and again after scrolling to the end', async () => {
    const { page, send, isInView, live } = await opened();
    const one = await send(30);
    await expect.poll(() => isInView(one)).toBe(true);
    await page.locator('.rows').hover();
    await page.mouse.wheel(0, -400);
    await expect.poll(() => live.getAttribute('aria-pressed')).toBe('false');
    expect(await isInView(await send(30))).toBe(false);
    await page.mouse.wheel(0, 100_000);
    await expect.poll(() => live.getAttribute('aria-pressed')).toBe('true');
    const two = await send(30);
    await expect.poll(() => isInView(two)).toBe(true);
  });

  it.each(['a row is chosen', 'the moment is dragged'])('is followed after %s only by Live', async (way) => {
    const { page, send, isInView, live } = await opened();
    if (way === 'a row is chosen') await page.locator('.row', { hasText: 'ping/98' }).click();
    else await page.getByRole('slider', { name: 'Moment' }).press('ArrowLeft');
    await page.locator('.row.chosen').waitFor();
    expect(await live.getAttribute('aria-pressed')).toBe('false');
    expect(await isInView(await send(60))).toBe(false);
    await live.click();
    await expect.poll(() => isInView('ping/1060')).toBe(true);
    const next = await send(60);
    await expect.poll(() => isInView(next)).toBe(true);
    expect(await page.locator('.row.chosen').count()).toBe(0);
  });
});
