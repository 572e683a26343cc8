/** What a server reports while the page is open, seen by a person: changed lists, updates, logs, progress, completions. */
import { describe, expect, it } from 'vitest';
import { executable } from '../../browser/chromium.ts';
import { oneBrowser } from './opened.ts';
import { createWalkServer } from './walk-server.ts';

const { inspect } = oneBrowser();

describe.skipIf(executable === undefined)('what a server reports', () => {
  it('is shown: logs by level, progress, a changed list with its differences, an updated resource [S32]', async () => {
    const { page, open, go, run, outcome, complaints } = await inspect({
      servers: { walk: createWalkServer() },
      start: { server: 'walk' },
    });
    const log = page.getByRole('region', { name: 'Log', exact: true });
    await open('tools', 'shout');
    await run();
    await log.getByText('a whisper').waitFor();
    await log.getByText('{"broken":"pipe"}').waitFor();
    // The page filters at once, and the server once it has the level.
    const levelSet = page.waitForResponse(/\/api\/logLevel$/);
    await log.getByLabel('Lowest level of the log').selectOption('warning');
    await log.getByText('a whisper').waitFor({ state: 'detached' });
    await levelSet;
    await run();
    await log.getByText('{"broken":"pipe"}').nth(1).waitFor();
    // The server has the level too: it does not send the whisper any more.
    await log.getByLabel('Lowest level of the log').selectOption('debug');
    expect(await log.getByText('a whisper').count()).toBe(1);

    await open('tools', 'halfway');
    await run();
    await outcome.getByText('three of four').waitFor();
    const bar = outcome.getByRole('progressbar');
    expect([await bar.getAttribute('value'), await bar.getAttribute('max')]).toEqual(['3', '4']);
    await outcome.getByRole('button', { name: 'Cancel' }).click();
    await outcome.getByText('Cancelled').waitFor();

    await open('resources', 'notes://one');
    await page.getByRole('button', { name: 'Subscribe' }).click();
    await page.getByRole('button', { name: 'Unsubscribe' }).waitFor();
    await open('tools', 'grow');
    await run();
    const change = page.getByText('The list has changed.').locator('..');
    await change.waitFor();
    expect(await change.innerText()).toMatch(/\+ grown\s+− shout/);
    await open('tools', 'grown');
    await run();
    await outcome.getByText('grown', { exact: true }).waitFor();
    await go('resources');
    await page.getByText(/^Updated at .*, and read again\.$/).waitFor();
    await outcome.getByText('a note').waitFor();
    await page.getByRole('region', { name: 'Earlier runs' }).getByRole('listitem').nth(1).waitFor();
    await page.getByRole('button', { name: 'Unsubscribe' }).click();
    await page.getByRole('button', { name: 'Subscribe', exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('completes the arguments of a prompt while a person types', async () => {
    const { page, open, run, outcome } = await inspect({
      servers: { walk: createWalkServer() },
      start: { server: 'walk', protocolVersion: '2025-06-18' },
    });
    await open('prompts', 'plan');
    const city = page.getByRole('combobox', { name: 'city' });
    await city.pressSequentially('Ber');
    const found = page.getByRole('listbox', { name: 'Suggestions for city' }).getByRole('option');
    // The suggestions for the letters before the last may be shown first.
    await expect.poll(() => found.allInnerTexts()).toEqual(['Bergen', 'Berlin']);
    await city.press('ArrowDown');
    await city.press('Enter');
    await run();
    await outcome.getByText('Plan a day in Bergen').waitFor();
  });
});
