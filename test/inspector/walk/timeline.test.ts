/** The timeline as a person uses it: an edited request on a new connection, a moment of the past, a capture saved and opened again. */
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { executable } from '../../browser/chromium.ts';
import { oneBrowser } from './opened.ts';
import { createWalkServer } from './walk-server.ts';

const { inspect } = oneBrowser();

describe.skipIf(executable === undefined)('the timeline', () => {
  it('sends an edited request on a new connection, looks back, and opens its own capture again [S32]', async () => {
    const { page, open, run, outcome, timeline, complaints } = await inspect({
      servers: { walk: createWalkServer() },
      start: { server: 'walk' },
    });
    await open('tools', 'add');
    await page.getByLabel(/^a(?: |$)/).fill('2');
    await page.getByLabel(/^b(?: |$)/).fill('3');
    await run();
    await outcome.getByText('5', { exact: true }).waitFor();

    const calls = timeline.locator('.row', { hasText: 'tools/call add' });
    await calls.first().click();
    await timeline.getByRole('button', { name: 'Send again' }).click();
    const editor = timeline.getByLabel('The request to send');
    await editor.fill((await editor.inputValue()).replace('"b": 3', '"b": 40'));
    await timeline.getByRole('button', { name: 'Send on a new connection' }).click();
    await timeline.locator('.send-again').getByText('42', { exact: true }).waitFor();
    await calls.nth(3).waitFor();
    const texts = await calls.allInnerTexts();
    expect(texts.map((text) => /\bc\d\b/.exec(text)?.[0])).toEqual(['c1', 'c1', 'c2', 'c2']);
    await editor.fill('{ "jsonrpc": "2.0", "method": "ping" }');
    expect(complaints).toEqual([]);
    await timeline.getByRole('button', { name: 'Send on a new connection' }).click();
    await timeline.getByText('The message is not one JSON-RPC request.').waitFor();

    const moment = timeline.getByRole('slider', { name: 'Moment' });
    await moment.press('Home');
    await timeline.locator('.state-at').getByText('not known yet').first().waitFor();
    await moment.press('End');
    await timeline.locator('.state-at').getByText('tools, resources').first().waitFor();
    await timeline.getByRole('button', { name: 'Live' }).click();

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      timeline.getByRole('button', { name: /Save as a capture/ }).click(),
    ]);
    const name = download.suggestedFilename();
    expect(name).toMatch(/\.mcp\.ndjson$/);
    const buffer = await readFile(await download.path());
    await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'application/x-ndjson', buffer });
    await timeline.getByRole('button', { name: 'Close this capture' }).waitFor();
    await calls.nth(3).waitFor();
    await calls.first().click();
    await timeline.getByRole('region', { name: 'The chosen message' }).getByText('"add"').first().waitFor();
    await timeline.getByRole('button', { name: 'Close this capture' }).click();
    await timeline.getByLabel('Recording').waitFor({ state: 'detached' });
  });
});
