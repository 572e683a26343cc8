/** The first five minutes with the demo, as the README lists them and a person walks them: run, answer, compare, kill, look back, paste. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { root } from '../../architecture/source-tree.ts';
import { executable, type OpenBrowser, startBrowser } from '../../browser/chromium.ts';
import { type Demo, startDemo } from '../../examples/demo-program.ts';
import { withTimeout } from '../../kit/with-timeout.ts';
import { openLink } from '../page/open-page.ts';
import { type Walker, walk } from './walker.ts';

const older = '2025-06-18';

let browser: OpenBrowser;
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-minutes-'));
  if (executable !== undefined) browser = await startBrowser(executable);
});
afterAll(async () => {
  await browser?.close();
  await rm(folder, { recursive: true, force: true });
});

/** The demo with a store that lasts, as `DEMO_STORE=sqlite:… npm start`. */
function startLasting(port = '0'): Demo {
  const demo = startDemo([], { PORT: port, DEMO_STORE: `sqlite:${join(folder, 'demo.db')}`, DEMO_SECRET: '' });
  onTestFinished(() => void demo.child.kill('SIGKILL'));
  return demo;
}

const linkOf = (demo: Demo): Promise<string> => withTimeout(demo.printed('inspector '), 'the link');

/** Pastes a line into a shell in the folder of the checkout. */
async function paste(line: string): Promise<string> {
  const module: string = join(root, 'scripts/own-command.mjs');
  (await import(module)).linkOwnCommand(join(root, 'node_modules/.bin'));
  return (await promisify(execFile)('sh', ['-c', line], { cwd: root })).stdout;
}

async function answerBook({ page, outcome, questions }: Walker, city: string): Promise<void> {
  await page.getByLabel('city').fill(city);
  await page.keyboard.press('Control+Enter');
  await questions.getByText(`How many go to ${city}?`).waitFor();
  await page.getByLabel('people').fill('2');
  await page.getByRole('button', { name: 'Accept' }).click();
  await outcome.getByText(`Booked ${city} for 2`, { exact: true }).waitFor();
}

/** Starts the report, kills the process in the middle, starts it again on the same port, and opens the new link. */
async function killAndContinue(walker: Walker, demo: Demo): Promise<Demo> {
  const { page, outcome, tasks } = walker;
  await walker.open('tools', 'Long report');
  await page.getByLabel('chapters').fill('8');
  // Long enough for a busy machine to see a chapter and to kill the process before the last one.
  await page.getByLabel('pauseMs').fill('1500');
  await walker.run();
  await tasks.getByText('working').waitFor();
  await outcome.getByText(/Chapter \d+ of 8/).waitFor();
  await demo.kill();
  await page.getByText('The program that serves this page does not answer.').waitFor();
  const again = startLasting(new URL(await demo.printed('ready ')).port);
  await page.getByRole('heading', { name: 'The program was started again' }).waitFor();
  await page.getByLabel('The link, or its token').fill(await linkOf(again));
  await page.getByRole('button', { name: 'Open' }).click();
  await tasks.getByRole('button', { name: /long_report (?:working|completed)/ }).waitFor();
  await page.getByRole('heading', { name: 'Long report' }).waitFor();
  await outcome.getByText('Chapter 8', { exact: true }).waitFor();
  await tasks.getByText('completed').waitFor();
  // Chapters of the first process were not written again.
  await outcome
    .getByRole('cell', { name: String(demo.child.pid), exact: true })
    .first()
    .waitFor();
  await outcome
    .getByRole('cell', { name: String(again.child.pid), exact: true })
    .first()
    .waitFor();
  return again;
}

describe.skipIf(executable === undefined)('the first five minutes', () => {
  it('run, answer, compare two versions, kill and continue a task, look back, save, and paste the command [S32]', async () => {
    const demo = startLasting();
    const { page, complaints } = await openLink(browser, await linkOf(demo));
    const walker = walk(page);
    const { outcome, timeline } = walker;
    const { origin } = new URL(page.url());
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin });

    // 1. The page is connected, `weather` is open and filled in.
    await page.getByLabel('city').waitFor();
    expect(await page.getByLabel('city').inputValue()).toBe('Oslo');
    await walker.run();
    await outcome.getByText('It is sunny in Oslo', { exact: true }).waitFor();
    await outcome.getByRole('button', { name: 'Show in the timeline' }).click();
    expect(await page.locator('.row.pair .row-method').innerText()).toContain('tools/call weather');

    // 2. `book` requests input.
    await walker.open('tools', 'Book');
    await answerBook(walker, 'Bergen');

    // 3. The same server with another version: both conversations side by side.
    await page.getByRole('button', { name: 'Options of Tenon demo' }).click();
    await page.getByRole('menuitemradio', { name: older }).click();
    // The tab appears before it is chosen, and then the client is connected and the list of its tools is loaded.
    await page.locator('.tab.here').getByText(older).waitFor();
    await page.getByLabel('city').waitFor();
    await answerBook(walker, 'Berlin');
    await outcome.getByText(older).waitFor();
    await timeline.getByRole('button', { name: 'Sequence' }).click();
    await timeline.locator('.lane-arrow', { hasText: 'elicitation/create' }).first().waitFor();
    expect(await timeline.locator('.lane-head').count()).toBeGreaterThanOrEqual(2);
    await timeline.getByRole('button', { name: 'List' }).click();

    // 4. A task outlives the process: the complaints of the page are about the connection that broke.
    await page
      .getByRole('navigation', { name: 'Clients' })
      .getByRole('button', { name: /Tenon demo/ })
      .first()
      .click();
    expect(complaints).toEqual([]);
    const again = await killAndContinue(walker, demo);
    expect(
      complaints.filter((text) => !/ERR_CONNECTION_(?:REFUSED|RESET)|ERR_INCOMPLETE|ERR_EMPTY|401|404/.test(text)),
    ).toEqual([]);
    complaints.length = 0;

    // 5. Look back, and save the capture.
    await walker.open('tools', 'Weather');
    await walker.run();
    await outcome.getByText('It is sunny in Oslo', { exact: true }).waitFor();
    await timeline.getByRole('slider', { name: 'Moment' }).press('Home');
    await timeline.locator('.state-at').getByText('not known yet').first().waitFor();
    await timeline.getByRole('slider', { name: 'Moment' }).press('End');
    await timeline.locator('.state-at').getByText('tools, resources').first().waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: /Save as a capture/ }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.mcp\.ndjson$/);
    expect(await readFile(await download.path(), 'utf8')).toContain('It is sunny in Oslo');

    // 6. The command in the clipboard gives the same result in a terminal.
    await page.getByRole('button', { name: 'Copy as', exact: true }).click();
    await Promise.all([
      // It disappears again.
      page.getByText('Copied as tenon command').waitFor(),
      page.getByRole('menuitem', { name: 'Copy as tenon command' }).click(),
    ]);
    const command = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(command).toBe(await again.printed('npx tenon ').then((words) => `npx tenon ${words}`));
    expect(await paste(command)).toContain('It is sunny in Oslo');
    expect(complaints).toEqual([]);
  }, 240_000);
});
