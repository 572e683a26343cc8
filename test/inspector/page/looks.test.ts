/** How the page looks where it once looked wrong: names that were cut alike, things that moved, and texts that contradicted each other. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { executable, type OpenBrowser, startBrowser } from '../../browser/chromium.ts';
import { layoutFaults } from './layout-faults.ts';
import { narrow, openPage, wide } from './open-page.ts';
import { client, question, startSample, tools } from './sample.ts';

let browser: OpenBrowser;
beforeAll(async () => {
  if (executable !== undefined) browser = await startBrowser(executable);
});
afterAll(() => browser?.close());

async function opened(
  hash: string,
  own: Parameters<typeof startSample>[0] = {},
  size: typeof wide | typeof narrow = wide,
) {
  const backend = await startSample(own);
  onTestFinished(() => backend.close());
  const { page } = await openPage(browser, backend, { hash, size });
  onTestFinished(() => page.close());
  await page.getByRole('navigation', { name: 'First steps' }).waitFor();
  return { backend, page };
}

describe.skipIf(executable === undefined)('the page', () => {
  it('shows the ends of long names that begin alike', async () => {
    const ends = ['comment', 'thread', 'thread_reply'];
    const [first] = tools;
    const named = ends.map((end) => ({ ...first, title: undefined, name: `enterprise_pull_request_review_${end}` }));
    const { page } = await opened('#section=tools', { lists: { tools: named } });
    for (const [at, end] of ends.entries()) {
      const tail = page.locator('.list-title').nth(at).locator('.cut > :last-child');
      expect(await tail.innerText()).toContain(end);
      const { x, width } = (await tail.boundingBox()) ?? { x: 0, width: 0 };
      const list = await page.locator('.list').boundingBox();
      expect(x + width).toBeLessThanOrEqual((list?.x ?? 0) + (list?.width ?? 0));
    }
  });

  it('shows in the list what was chosen elsewhere', async () => {
    const [first] = tools;
    const many = Array.from({ length: 60 }, (_, at) => ({ ...first, title: undefined, name: `tool_${at}` }));
    const { page } = await opened('#section=tools', { lists: { tools: many } });
    await page.locator('.list-row').first().waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('tool_55');
    await page.keyboard.press('Enter');
    const list = await page.locator('.list-rows').boundingBox();
    const row = page.locator('.list-row[aria-current=true]');
    await row.waitFor();
    const bottom = async () => ((box) => (box?.y ?? 0) + (box?.height ?? 0))(await row.boundingBox());
    await expect.poll(bottom).toBeLessThanOrEqual((list?.y ?? 0) + (list?.height ?? 0) + 1);
  });

  it('shows the hint of a step that is done already when it is chosen again', async () => {
    const { page } = await opened('#section=tools&name=weather');
    const steps = page.getByRole('navigation', { name: 'First steps' });
    await page.keyboard.press('Control+Enter');
    await steps.locator('.done').first().waitFor();
    const hint = steps.getByRole('status');
    const next = await hint.innerText();
    await steps.getByRole('button').first().click();
    await expect.poll(() => hint.innerText()).not.toBe(next);
  });

  it('offers no filter of rows above numbers, which it would not change', async () => {
    const { page } = await opened('#section=tools');
    const timeline = page.locator('.timeline');
    await timeline.getByRole('searchbox', { name: 'Search the timeline' }).waitFor();
    await timeline.getByText('Numbers', { exact: true }).click();
    await timeline.getByText('the last 5 minutes').waitFor();
    expect(await timeline.getByRole('searchbox').count()).toBe(0);
    expect(await timeline.getByRole('combobox', { name: 'Which rows' }).count()).toBe(0);
  });

  it('shows all rows of a capture, whichever client was chosen before', async () => {
    const { backend, page } = await opened('#section=tools');
    const timeline = page.getByRole('region', { name: 'Timeline' });
    backend.emit({ type: 'client', client: client('c2', 'another') });
    await timeline.getByLabel('Client', { exact: true }).selectOption('c2');
    await timeline.getByText('0 of 10 rows').waitFor();
    const recording = { id: 'f1', name: 'one', began: 0, firstSeq: 1, lastSeq: 10, rows: 10, isComplete: true };
    backend.emit({ type: 'recording', recording });
    await timeline.getByLabel('Recording').selectOption('f1');
    await timeline.locator('.row-method').first().waitFor();
    expect(await timeline.getByLabel('Client', { exact: true }).count()).toBe(0);
  });

  it('says once that there is no app, and what an app is', async () => {
    const { page } = await opened('#section=apps');
    await page.getByText('This server has no apps.').waitFor();
    await page.locator('.main').getByText('An app is a page that shows the results of a tool.').waitFor();
    expect(await page.getByText('Choose a tool').count()).toBe(0);
  });

  it.each([
    ['wide', wide],
    ['narrow', narrow],
  ] as const)('moves nothing when a call was copied: %s', async (_, size) => {
    const { page } = await opened('#section=resources&name=note://welcome', {}, size);
    const copy = page.getByRole('button', { name: 'Copy as', exact: true });
    const before = await copy.boundingBox();
    const read = await page.getByRole('button', { name: /^Read/ }).boundingBox();
    expect(Math.abs((before?.y ?? 0) - (read?.y ?? 99))).toBeLessThan(8);
    await copy.click();
    await page.getByRole('menuitem').first().click();
    await page.locator('.copied:not(:empty)').waitFor();
    expect(await copy.boundingBox()).toEqual(before);
  });

  it('leaves the log on the screen under a long question', async () => {
    const { backend, page } = await opened('#section=tools&name=weather');
    const asked = question('q1');
    if (asked.kind !== 'form') throw new Error('It is a form.');
    const message = 'Please read all of this. '.repeat(100);
    backend.emit({ type: 'question', question: { ...asked, request: { ...asked.request, message } } });
    await page.locator('.question').waitFor();
    const log = await page.locator('.logs').boundingBox();
    const timeline = await page.locator('.timeline').boundingBox();
    expect(log?.height).toBeGreaterThanOrEqual(120);
    expect((log?.y ?? 0) + (log?.height ?? 0)).toBeLessThanOrEqual((timeline?.y ?? 0) + 1);
    expect(await layoutFaults(page)).toEqual([]);
  });

  it('draws the ring of the first row whole, and the one of a result around its text', async () => {
    const { page } = await opened('#section=tools&name=weather');
    await page.keyboard.press('Control+Enter');
    await page.getByText('It is sunny in Oslo', { exact: true }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.press('ArrowDown');
    const style = (element: string, name: string, pseudo = '') =>
      page.evaluate<string>(`getComputedStyle(${element}, ${JSON.stringify(pseudo)}).${name}`);
    expect(await style('document.activeElement', 'outlineOffset')).toBe('-2px');
    await page.evaluate("document.querySelector('.outcome').focus()");
    expect(await style('document.activeElement', 'outlineStyle')).toBe('none');
    expect(Number.parseInt(await style('document.activeElement', 'left', '::before'), 10)).toBeLessThanOrEqual(-8);
  });
});
