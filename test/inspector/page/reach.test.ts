/** What the keyboard, a screen reader and the palette reach, and what belongs to which server. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { executable, type OpenBrowser, startBrowser } from '../../browser/chromium.ts';
import { openPage } from './open-page.ts';
import { client, startSample } from './sample.ts';

let browser: OpenBrowser;
beforeAll(async () => {
  if (executable !== undefined) browser = await startBrowser(executable);
});
afterAll(() => browser?.close());

async function opened(hash = '') {
  const backend = await startSample();
  onTestFinished(() => backend.close());
  const { page } = await openPage(browser, backend, { hash });
  onTestFinished(() => page.close());
  return { backend, page };
}

describe.skipIf(executable === undefined)('the page', () => {
  it('finds resources, templates and prompts by the palette before their sections were visited', async () => {
    const { page } = await opened();
    await page.getByLabel('city').waitFor();
    await page.keyboard.press('Control+k');
    for (const name of ['Note: welcome', 'A note in capitals', 'Plan a day']) {
      await page.getByRole('combobox', { name: /Search commands/ }).fill(name);
      await page.getByRole('option', { name }).waitFor();
    }
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Plan a day' }).waitFor();
    expect(page.url()).toContain('section=prompts');
  });

  it('goes to a section by Alt and a digit, whatever character the keyboard types for it', async () => {
    const { page } = await opened();
    await page.getByLabel('city').waitFor();
    const press = (init: object) =>
      page.evaluate(`void dispatchEvent(new KeyboardEvent('keydown', ${JSON.stringify(init)}))`);
    await press({ altKey: true, key: '™', code: 'Digit2' });
    await page.getByRole('region', { name: 'resources' }).waitFor();
    // AltGr is Ctrl and Alt.
    await press({ altKey: true, ctrlKey: true, key: '£', code: 'Digit3' });
    expect(page.url()).toContain('section=resources');
    await press({ altKey: true, key: '¡', code: 'Digit1' });
    await page.getByRole('region', { name: 'tools' }).waitFor();
  });

  it('reads the description and the problem of a field aloud with it', async () => {
    const { page } = await opened();
    const city = page.getByLabel('city');
    const described =
      "document.activeElement.getAttribute('aria-describedby').split(' ').map((id) => document.getElementById(id)?.textContent)";
    await city.focus();
    expect(await page.evaluate(described)).toEqual(['Where']);
    await city.fill('');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: 'Send anyway' }).waitFor();
    expect(await page.evaluate(described)).toEqual(['Where', expect.stringMatching(/./)]);
  });

  it('gives the focus to the first field that is wrong, and brings a result into view', async () => {
    const { page } = await opened('#section=tools&name=plan_trip');
    await page.getByLabel('note').last().focus();
    await page.keyboard.press('Control+Enter');
    const focused = "document.activeElement.id.endsWith('traveller')";
    await expect.poll(() => page.evaluate(focused)).toBe(true);
    await page.keyboard.type('ada@example.com');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Three days').waitFor();
    const isInView = `(([pane, head]) => head.top >= pane.top && head.bottom <= pane.bottom)(
      ['.main', '.outcome-head'].map((each) => document.querySelector(each).getBoundingClientRect()))`;
    await expect.poll(() => page.evaluate(isInView)).toBe(true);
  });

  it('does not show the results of another server for a tool of the same name', async () => {
    const { page, backend } = await opened();
    await page.getByLabel('city').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText('It is sunny in Oslo', { exact: true }).waitFor();
    const other = {
      ...client('c2', '2025-06-18'),
      label: 'Other',
      shown: 'https://other.example/mcp',
      connections: [2],
    };
    backend.emit({ type: 'client', client: other });
    await page
      .getByRole('navigation', { name: 'Clients' })
      .getByRole('button', { name: /^ready Other/ })
      .click();
    await page.waitForURL(/client=c2/);
    await page.getByRole('button', { name: /^Weather/ }).click();
    await page.getByLabel('city').waitFor();
    expect(await page.getByRole('region', { name: 'Earlier runs' }).count()).toBe(0);
    await page.keyboard.press('Control+Enter');
    await page.getByRole('region', { name: 'Earlier runs' }).waitFor();
    expect(await page.getByRole('region', { name: 'Earlier runs' }).getByRole('listitem').count()).toBe(1);
  });
});
