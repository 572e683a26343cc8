/** The first five minutes with the demo, as the README lists them and a person walks them: run, answer, compare, kill, look back, paste. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { root } from '../../architecture/source-tree.ts';
import { executable, type OpenBrowser, startBrowser } from '../../browser/chromium.ts';
import { type Demo, startDemo } from '../../examples/demo-program.ts';
import { withTimeout } from '../../kit/with-timeout.ts';
import { layoutFaults } from '../page/layout-faults.ts';
import { narrow, openLink, wide } from '../page/open-page.ts';
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

/** A page that is walked: on a narrow screen one pane is shown at a time. */
interface Walked extends Walker {
  readonly isNarrow: boolean;
  readonly steps: Locator;
  /** Clicks a step of the strip, and waits until it is the next one, or done. */
  step(title: string): Promise<void>;
  /** Shows the timeline, or what is in its place. */
  show(pane: 'Timeline' | 'Tools' | 'Activity'): Promise<void>;
}

function walked(page: Page, isNarrow: boolean): Walked {
  const steps = page.getByRole('navigation', { name: 'First steps' });
  return {
    ...walk(page),
    isNarrow,
    steps,
    async step(title) {
      await steps.getByRole('button', { name: title }).click();
      // What only reads may be done at once.
      await steps.locator('.next, .done', { hasText: title }).waitFor();
    },
    async show(pane) {
      if (isNarrow) await page.locator('.rail').getByRole('button', { name: pane }).click();
    },
  };
}

const isTicked = ({ steps }: Walked, title: string): Promise<void> =>
  steps.locator('.done', { hasText: title }).waitFor();

async function answer({ page, outcome, questions, run }: Walked, city: string): Promise<void> {
  await page.getByLabel('city').waitFor();
  expect(await page.getByLabel('city').inputValue()).toBe(city);
  await run();
  await page.getByRole('button', { name: 'Answer it' }).waitFor();
  await page.keyboard.press('Alt+a');
  await questions.getByText(`How many go to ${city}?`).waitFor();
  await questions.locator('input:focus').waitFor();
  await page.keyboard.type('2');
  await page.keyboard.press('Control+Enter');
  await outcome.getByText(`Booked ${city} for 2`, { exact: true }).waitFor();
}

/** Starts the report, kills the process in the middle as the hint says, and starts it again: the page finds it. */
async function killAndContinue(walker: Walked, demo: Demo): Promise<Demo> {
  const { page, outcome, tasks, run, steps, show } = walker;
  await walker.step('Kill a task');
  await page.getByLabel('pauseMs').waitFor();
  expect(await page.getByLabel('pauseMs').inputValue()).toBe('3000');
  expect(await steps.locator('code').innerText()).toBe(`kill -9 ${demo.child.pid}`);
  // Long enough for a busy machine to see a chapter and to kill the process before the last one.
  await page.getByLabel('chapters').fill('6');
  await page.getByLabel('pauseMs').fill('1500');
  await run();
  await outcome.getByText(/Chapter \d+ of 6/).waitFor();
  await demo.kill();
  await page.getByText('The program that serves this page does not answer.').waitFor();
  const again = startLasting(new URL(await demo.printed('ready ')).port);
  await page.getByText(/^The program was started again at /).waitFor();
  await outcome.getByText('Chapter 6', { exact: true }).waitFor();
  // Chapters of the first process were not written again.
  for (const { child } of [demo, again])
    await outcome
      .getByRole('cell', { name: String(child.pid), exact: true })
      .first()
      .waitFor();
  await show('Activity');
  await tasks.getByText('completed').first().waitFor();
  await page.getByRole('button', { name: 'Close this note' }).click();
  await show('Tools');
  return again;
}

async function lookBack({ page, timeline, step, outcome, run, show }: Walked): Promise<void> {
  await show('Tools');
  await step('Copy as command');
  await page.getByLabel('city').waitFor();
  await run();
  await outcome.getByText('It is sunny in Oslo', { exact: true }).waitFor();
  await step('Look back');
  const moment = timeline.getByRole('slider', { name: 'Moment' });
  await moment.press('Home');
  await timeline.locator('.state-at').getByText('not known yet').first().waitFor();
  await moment.press('End');
  await timeline.locator('.state-at').getByText('tools, resources').first().waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: /Save as a capture/ }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/\.mcp\.ndjson$/);
  expect(await readFile(await download.path(), 'utf8')).toContain('It is sunny in Oslo');
}

/** What the page complains about when its backend is killed. */
const broken = /ERR_CONNECTION_(?:REFUSED|RESET)|ERR_INCOMPLETE|ERR_EMPTY|401|404/;

describe.skipIf(executable === undefined)('the first five minutes', () => {
  it.each([
    ['a wide', wide],
    ['a narrow', narrow],
  ] as const)(
    'run, answer, compare two versions, kill and continue a task, look back, save, and paste the command on %s screen [S32]',
    async (_, size) => {
      const demo = startLasting();
      const { page, complaints } = await openLink(browser, await linkOf(demo), { size });
      onTestFinished(() => page.close());
      const walker = walked(page, size === narrow);
      const { outcome, timeline, step, run, show } = walker;
      const { origin } = new URL(page.url());
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin });

      // 1. The page is connected, `weather` is open and filled in.
      await page.getByLabel('city').waitFor();
      expect(await page.getByLabel('city').inputValue()).toBe('Oslo');
      await run();
      await outcome.getByText('It is sunny in Oslo', { exact: true }).waitFor();
      await outcome.getByRole('button', { name: 'Show in the timeline' }).click();
      expect(await page.locator('.row.pair .row-method').innerText()).toContain('tools/call weather');
      await isTicked(walker, 'Run weather');

      // 2. `book` requests input.
      await step('Answer book');
      await answer(walker, 'Bergen');
      await isTicked(walker, 'Answer book');

      // 3. The same server with another version: both conversations side by side.
      await step('Compare versions');
      await page.locator('.tab.here').getByText(older).waitFor();
      await answer(walker, 'Bergen');
      await outcome.getByText(older).waitFor();
      await isTicked(walker, 'Compare versions');
      await outcome.getByRole('button', { name: 'Compare' }).click();
      await outcome.getByRole('button', { name: 'All messages of both' }).click();
      await timeline.locator('.compare-pair.is-right', { hasText: 'elicitation/create' }).first().waitFor();
      await timeline.getByRole('button', { name: 'List' }).click();
      await show('Tools');
      if (size !== narrow) await timeline.getByRole('button', { name: 'Make the timeline small again' }).click();

      // 4. A task outlives the process: the complaints of the page are about the connection that broke.
      await page.locator('.tab').first().getByRole('button').first().click();
      expect(complaints).toEqual([]);
      const again = await killAndContinue(walker, demo);
      await isTicked(walker, 'Kill a task');
      expect(complaints.filter((text) => !broken.test(text))).toEqual([]);
      complaints.length = 0;

      // 5. Look back, and save the capture.
      await lookBack(walker);
      await isTicked(walker, 'Look back');

      // 6. The command in the clipboard gives the same result in a terminal.
      await step('Copy as command');
      await page.getByRole('button', { name: 'Copy as', exact: true }).click();
      await Promise.all([
        // It disappears again.
        page.getByText('Copied as tenon command').waitFor(),
        page.getByRole('menuitem', { name: 'Copy as tenon command' }).click(),
      ]);
      const command = await page.evaluate<string>('navigator.clipboard.readText()');
      expect(command).toBe(await again.printed('npx tenon ').then((words) => `npx tenon ${words}`));
      expect(await paste(command)).toContain('It is sunny in Oslo');
      await walker.steps.getByText('All steps are done.').waitFor();
      expect(complaints).toEqual([]);
    },
    240_000,
  );

  it('on a screen of 820 pixels: the main screen runs, is asked, answers, and looks back', async () => {
    const demo = startDemo();
    onTestFinished(() => void demo.child.kill('SIGKILL'));
    const { page, complaints } = await openLink(browser, await linkOf(demo), { size: { width: 820, height: 1180 } });
    onTestFinished(() => page.close());
    const walker = walked(page, false);
    const { outcome, step, run, timeline } = walker;
    await page.getByLabel('city').waitFor();
    await run();
    await outcome.getByText('It is sunny in Oslo', { exact: true }).waitFor();
    expect(await layoutFaults(page)).toEqual([]);
    await step('Answer book');
    await answer(walker, 'Bergen');
    await isTicked(walker, 'Answer book');
    expect(await layoutFaults(page)).toEqual([]);
    await step('Look back');
    await timeline.getByRole('slider', { name: 'Moment' }).press('Home');
    await timeline.locator('.state-at').getByText('not known yet').first().waitFor();
    expect(await layoutFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('of the guarded demo: a call, a refusal, its explanation, and the log', async () => {
    const demo = startDemo(['--guarded']);
    onTestFinished(() => void demo.child.kill('SIGKILL'));
    const { page, complaints } = await openLink(browser, await linkOf(demo));
    onTestFinished(() => page.close());
    const walker = walked(page, false);
    const { outcome, step, run, steps } = walker;
    await page.getByLabel('city').waitFor();
    await run();
    await outcome.getByText('It is sunny in Oslo', { exact: true }).waitFor();
    await step('See a refusal');
    expect(await page.getByLabel('city').inputValue()).toBe('Atlantis');
    await run();
    await outcome.getByText('The policy of the server does not allow this.').waitFor();
    await step('Read why');
    await outcome.getByText('Rule real-cities (line 13)').waitFor();
    await step('Read the log');
    await outcome.getByRole('cell', { name: 'deny by real-cities' }).first().waitFor();
    await steps.getByText('All steps are done.').waitFor();
    expect(complaints.filter((text) => !text.includes('403'))).toEqual([]);
  });
});
