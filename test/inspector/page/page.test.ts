/** The page in Chromium, against a backend that a test writes: run, answer, compare, copy, by mouse and by keyboard. */
import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { executable, type OpenBrowser, startBrowser } from '../../browser/chromium.ts';
import type { FakeBackend } from './fake-backend.ts';
import { narrow, openPage, wide } from './open-page.ts';
import { startSample } from './sample.ts';

let browser: OpenBrowser;
beforeAll(async () => {
  if (executable !== undefined) browser = await startBrowser(executable);
});
afterAll(() => browser?.close());

async function opened(options: Parameters<typeof openPage>[2] = {}, own: Parameters<typeof startSample>[0] = {}) {
  const backend = await startSample(own);
  onTestFinished(() => backend.close());
  const { page, complaints } = await openPage(browser, backend, options);
  onTestFinished(() => page.close());
  return { backend, page, complaints };
}

const callsOf = (backend: FakeBackend, name: string): unknown[] =>
  backend.calls.filter((call) => call.name === name).map(({ body }) => body);

describe.skipIf(executable === undefined)('the page', () => {
  it('takes the token out of the address, opens the suggested tool and runs it by Ctrl+Enter [S32]', async () => {
    const { page, backend, complaints } = await opened();
    await page.getByRole('heading', { name: 'Weather' }).waitFor();
    expect(page.url()).not.toContain('token');
    expect(await page.getByLabel('city').inputValue()).toBe('Oslo');
    await page.keyboard.press('Control+Enter');
    await page.getByText('It is sunny in Oslo', { exact: true }).waitFor();
    expect(callsOf(backend, 'run')).toEqual([
      { client: 'c1', request: { kind: 'tool', name: 'weather', arguments: { city: 'Oslo' } } },
    ]);
    await page.getByRole('button', { name: 'Show in the timeline' }).click();
    await page.getByRole('region', { name: 'The chosen message' }).getByText('"Oslo"').waitFor();
    // The one response: a worker filters the rows, beside the page.
    await page.locator('.row.pair').waitFor();
    expect(complaints).toEqual([]);
  });

  it('answers a question of the server in its form, by the keyboard', async () => {
    const { page, backend } = await opened({ hash: '#section=tools&name=book' });
    await page.getByLabel('city').fill('Oslo');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: 'Answer it' }).press('Enter');
    await page.getByLabel('People').press('Enter');
    await page.getByText('is required').waitFor();
    await page.getByLabel('People').fill('2');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Booked Oslo for 2').waitFor();
    expect(callsOf(backend, 'answer')).toEqual([
      { question: 'q1', answer: { action: 'accept', content: { people: 2 } } },
    ]);
  });

  it('opens the same server with another version from the menu of its tab, and compares both results', async () => {
    const { page, backend } = await opened();
    await page.getByLabel('city').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText('It is sunny in Oslo', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Options of Tenon demo' }).press('Enter');
    await page.getByRole('menuitemradio').nth(2).press('Enter');
    // The tab appears before it is chosen, and then the list of its tools is loaded.
    await page.getByRole('navigation', { name: 'Clients' }).locator('.tab').nth(1).and(page.locator('.here')).waitFor();
    await page.getByLabel('city').waitFor();
    await page.keyboard.press('Control+Enter');
    const outcome = page.getByRole('region', { name: 'Result' });
    await outcome.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.getByText('Both results are the same.').waitFor();
    expect(await page.getByRole('region', { name: 'Earlier runs' }).getByRole('listitem').count()).toBe(2);
    expect(callsOf(backend, 'run')).toMatchObject([{ client: 'c1' }, { client: 'c2' }]);
  });

  it('makes one call for a double click', async () => {
    const { page, backend } = await opened();
    await page.getByRole('button', { name: /^Run/ }).dblclick();
    await page.getByText('It is sunny in Oslo', { exact: true }).waitFor();
    await page.keyboard.press('Control+Enter');
    // What a second click had sent would be here before it.
    await page.getByRole('region', { name: 'Earlier runs' }).getByRole('listitem').nth(1).waitFor();
    expect(callsOf(backend, 'run')).toHaveLength(2);
  });

  it('marks what is wrong in its place, and sends it anyway if the user wants to', async () => {
    const { page, backend } = await opened({ hash: '#section=tools&name=plan_trip' });
    await page.getByRole('button', { name: 'Add item' }).click();
    await page.getByLabel('days').fill('many');
    await page.getByText('expected a whole number').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText('is required').first().waitFor();
    expect(callsOf(backend, 'run')).toEqual([]);
    await page.getByLabel('Traveller').fill('ada@example.com');
    await page.getByLabel('days').fill('2');
    await page.getByLabel('city').fill('Oslo');
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    const json = page.getByLabel('Arguments as JSON');
    expect(JSON.parse(await json.inputValue())).toEqual({
      days: 2,
      pace: 'steady',
      stops: [{ city: 'Oslo' }],
      traveller: 'ada@example.com',
    });
    await json.fill('{"days": 99}');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: 'Send anyway' }).click();
    await page.getByText('Three days').waitFor();
    expect(callsOf(backend, 'run')).toEqual([
      { client: 'c1', request: { kind: 'tool', name: 'plan_trip', arguments: { days: 99 } } },
    ]);
  });

  it('shows tables, images, JSON and pages, completes arguments, and finds everything by the palette', async () => {
    const { page, complaints } = await opened();
    const open = async (words: string): Promise<void> => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: /Search commands/ }).fill(words);
      await page.keyboard.press('Enter');
    };
    await page.getByRole('heading', { name: 'Weather' }).waitFor();
    await open('query');
    await page.getByRole('heading', { name: 'Query' }).waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: 'celsius' }).click();
    await page.getByRole('button', { name: 'celsius' }).click();
    expect(await page.locator('tbody tr').first().innerText()).toContain('15');
    await open('picture');
    await page.getByRole('heading', { name: 'Picture' }).waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText('2 × 1').waitFor();
    await page.keyboard.press('Alt+3');
    await page.getByRole('button', { name: /Plan a day/ }).click();
    await page.getByRole('combobox', { name: 'city' }).fill('Ber');
    await page.getByRole('option', { name: 'Bergen' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await page.getByRole('combobox', { name: 'city' }).inputValue()).toBe('Bergen');
    expect(complaints).toEqual([]);
  });

  it('shows a command in full before it starts, and a link starts nothing', async () => {
    const { page, backend } = await opened({ hash: `#connect=${encodeURIComponent('node server.js "a b"')}` });
    await page.getByRole('button', { name: 'Connect…' }).waitFor();
    expect(callsOf(backend, 'connect')).toEqual([]);
    await page.getByLabel('Environment').fill('KEY=value');
    await page.getByRole('button', { name: 'Connect…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Start this program?' });
    await dialog.getByText('KEY=value').waitFor();
    expect(await dialog.innerText()).toContain('a b');
    expect(callsOf(backend, 'connect')).toEqual([]);
    await dialog.getByRole('button', { name: 'Start' }).click();
    await page.getByRole('navigation', { name: 'Clients' }).getByText('Tenon demo').nth(1).waitFor();
    expect(callsOf(backend, 'connect')).toMatchObject([{ nonce: 'n', target: { env: { KEY: 'value' } } }]);
  });

  it('asks for the new link when its key is not valid any more', async () => {
    const { page, backend } = await opened();
    await page.getByRole('heading', { name: 'Weather' }).waitFor();
    await page.evaluate('sessionStorage.clear()');
    await page.reload();
    await page.getByLabel('The link, or its token').fill(`${backend.url}/?token=wrong`);
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByText('The token is wrong.').waitFor();
    await page.getByLabel('The link, or its token').fill(`${backend.url}/?token=t`);
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('heading', { name: 'Weather' }).waitFor();
    expect(page.url()).not.toContain('token');
  });
});

/** Serious and critical findings, as one line each. */
async function findings(page: Page): Promise<string[]> {
  // Trusted Types allow no script as text: it runs by the debugger, outside the page's policy.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>('axe.run(document)');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
}

describe.skipIf(executable === undefined)('accessibility', () => {
  it.each([
    ['wide and light', wide, 'light'],
    ['narrow and dark', narrow, 'dark'],
  ] as const)('axe has no serious finding: %s', async (_, size, theme) => {
    const { page, backend } = await opened({ size, theme });
    backend.emit({ type: 'log', client: 'c1', level: 'warning', data: 'slow' });
    await page.getByRole('heading', { name: 'Weather' }).waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText('It is sunny in Oslo', { exact: true }).waitFor();
    expect(await findings(page)).toEqual([]);
    const places = [
      ['#client=c1&section=tools&name=plan_trip', 'Plan a trip'],
      ['#client=c1&section=server', 'Tenon demo'],
      ['#section=connect', 'Connect to a server'],
    ] as const;
    for (const [hash, name] of places) {
      await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
      await page.locator('.item-pane').getByRole('heading', { name, exact: true }).waitFor();
      expect(await findings(page)).toEqual([]);
    }
  });

  it('axe has no serious finding in the palette, in a question, and in every view of the timeline', async () => {
    const { page } = await opened({ hash: '#section=tools&name=book' });
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await page.getByLabel('city').fill('Oslo');
    await page.keyboard.press('Control+Enter');
    await page.getByText('How many go to Oslo?').last().waitFor();
    expect(await findings(page)).toEqual([]);
    for (const view of ['Sequence', 'Numbers', 'Compare', 'List']) {
      await timeline.getByRole('button', { name: view, exact: true }).click();
      expect([view, await findings(page)]).toEqual([view, []]);
    }
    await timeline.locator('.row').first().click();
    await timeline.locator('.details').waitFor();
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Control+k');
    await page.locator('#commands [role=option]').first().waitFor();
    expect(await findings(page)).toEqual([]);
  });
});
