/** Requests of a server, answered in the page: sampling, roots, URL elicitation, and tasks that wait for input. */
import { describe, expect, it } from 'vitest';
import { executable } from '../../browser/chromium.ts';
import { scaled } from '../../kit/long.ts';
import { type Opened, oneBrowser } from './opened.ts';
import { createWalkServer } from './walk-server.ts';

const { inspect } = oneBrowser();
/** The newest version; in `npm run test:long` the last one with sessions too. */
const versions = [undefined, '2025-11-25'].slice(0, scaled(1, 2));

const walked = (protocolVersion?: string) =>
  inspect({
    servers: { walk: createWalkServer() },
    start: { server: 'walk', ...(protocolVersion !== undefined && { protocolVersion }) },
  });

describe.skipIf(executable === undefined)('a request of the server', () => {
  it('for sampling is answered with a text, edited as JSON, or refused [S32]', async () => {
    const { page, open, run, outcome, questions, complaints } = await walked();
    await open('tools', 'think');
    await run();
    await questions.getByText('An idea?').waitFor();
    await questions.getByText('Be brief.').waitFor();
    await page.getByLabel('Message of the model').fill('A boat');
    await page.getByLabel('Name of the model').fill('me');
    await questions.getByRole('button', { name: 'Send' }).click();
    await outcome.getByText('me said {"type":"text","text":"A boat"}').waitFor();

    await run();
    await page.getByLabel('Message of the model').fill('A draft');
    await questions.getByRole('button', { name: 'JSON' }).click();
    const json = page.getByLabel('Message of the model as JSON');
    const draft = await json.inputValue();
    expect(JSON.parse(draft)).toMatchObject({ role: 'assistant', content: { text: 'A draft' } });
    expect(complaints).toEqual([]);
    await json.fill('{ "role": "assistant" }');
    await questions.getByRole('button', { name: 'Send' }).click();
    await questions.getByText('The message needs role, content and model.').waitFor();
    await json.fill(draft.replace('A draft', 'A raft').replace('inspector', 'edited'));
    await json.press('Control+Enter');
    await outcome.getByText('edited said {"type":"text","text":"A raft"}').waitFor();

    await run();
    await questions.getByRole('button', { name: 'Refuse' }).click();
    await outcome.getByText('The user refused').first().waitFor();
    expect(await questions.getByRole('article').count()).toBe(0);
  });

  it.each(versions)('for roots gets those that are set in the page: %s', async (version) => {
    const { page, open, go, run, outcome, complaints } = await walked(version);
    await open('tools', 'folders');
    await run();
    await outcome.getByText('no roots').waitFor();
    await go('server');
    const roots = page.getByRole('textbox', { name: 'Roots' });
    await roots.fill('not a URI');
    await page.getByRole('button', { name: 'Set roots' }).click();
    await page.getByRole('alert').getByText('"not a URI" is not the URI of a folder.').waitFor();
    await roots.fill('file:///home/ada/one\nfile:///home/ada/two');
    await page.getByRole('button', { name: 'Set roots' }).click();
    await page.getByText('The roots are set.').waitFor();
    await open('tools', 'folders');
    await run();
    await outcome.getByText('file:///home/ada/one and file:///home/ada/two').waitFor();
    expect(complaints).toEqual([]);
  });

  it('to open a URL shows all of it, and opens nothing by itself', async () => {
    const { page, open, run, outcome, questions, complaints } = await walked();
    await open('tools', 'visit');
    await run();
    await questions.getByText('Pay the order').waitFor();
    await questions.getByText('https://shop.example/pay?order=7').waitFor();
    expect(page.context().pages()).toHaveLength(1);
    await questions.getByRole('button', { name: 'Decline' }).click();
    await outcome.getByText('decline', { exact: true }).waitFor();
    await run();
    await page.context().route('https://shop.example/**', (route) => route.fulfill({ body: 'paid' }));
    const [shop] = await Promise.all([
      page.context().waitForEvent('page'),
      questions.getByRole('link', { name: 'Open shop.example' }).click(),
    ]);
    await shop.waitForURL('https://shop.example/pay?order=7');
    expect(await shop.evaluate('window.opener')).toBe(null);
    await outcome.getByText('accept', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });
});

/** Declines the task of a call, sends the call again on another connection, and opens the task that this begins. */
async function sendAgain({ page, open, run, outcome, questions, tasks, timeline }: Opened): Promise<void> {
  await open('tools', 'approve');
  await run();
  await questions.getByText('Who approves?').waitFor();
  await questions.getByRole('button', { name: 'Decline' }).click();
  await outcome.getByText('decline', { exact: true }).waitFor();
  await timeline.locator('.row', { hasText: 'tools/call approve' }).first().click();
  await timeline.getByRole('button', { name: 'Send again' }).click();
  await timeline.getByRole('button', { name: 'Send on a new connection' }).click();
  await tasks.getByRole('listitem').nth(1).waitFor();
  await tasks
    .getByRole('button', { name: /working|input required/ })
    .first()
    .click();
  await page.getByRole('heading', { name: 'Task', exact: true }).waitFor();
}

describe.skipIf(executable === undefined)('a task', () => {
  it('that waits for input and that no run follows any more is answered at the side [S32]', async () => {
    const { page, open, go, run, outcome, questions, tasks } = await walked();
    await open('tools', 'approve');
    await run();
    await questions.getByText('Who approves?').waitFor();
    await tasks.getByText('input required').waitFor();
    await go('server');
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await questions.getByText('Who approves?').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Connect again' }).click();
    await page.getByRole('button', { name: 'Disconnect' }).waitFor();
    await tasks.getByRole('button', { name: 'Answer it' }).click();
    await questions.getByText('Who approves?').waitFor();
    await page.getByLabel('name').fill('Grace');
    await page.keyboard.press('Control+Enter');
    await open('tools', 'approve');
    await outcome.getByText('approved by Grace').waitFor();
    await expect.poll(() => tasks.getByText('completed').count()).toBe(1);
  });

  it('that a request of the timeline has begun with `task` is opened, followed and answered', async () => {
    const walker = await walked('2025-11-25');
    const { page, outcome, questions } = walker;
    await sendAgain(walker);
    await page.getByRole('button', { name: 'Follow it' }).click();
    await questions.getByText('Who approves?').waitFor();
    await page.getByLabel('name').fill('Ada');
    await page.keyboard.press('Control+Enter');
    await outcome.getByText('approved by Ada').waitFor();
    expect(await questions.getByRole('article').count()).toBe(0);
  });

  it('that a request of the timeline has begun without it is followed by that alone, and asks once', async () => {
    const walker = await walked();
    const { page, questions, tasks, timeline } = walker;
    await sendAgain(walker);
    await tasks.getByText('input required').waitFor();
    await questions.getByText('Who approves?').waitFor();
    expect(await page.getByRole('button', { name: 'A run follows it' }).isDisabled()).toBe(true);
    expect(await tasks.getByRole('button', { name: 'Answer it' }).count()).toBe(0);
    await page.getByLabel('name').fill('Ada');
    await page.keyboard.press('Control+Enter');
    await timeline.locator('.send-again').getByText('approved by Ada').waitFor();
    expect(await questions.getByRole('article').count()).toBe(0);
  });

  it.each(versions)('is cancelled at the side: %s', async (version) => {
    const { page, open, run, outcome, tasks } = await walked(version);
    await open('tools', 'endless');
    await run();
    await tasks.getByText('working').waitFor();
    await tasks.getByRole('button', { name: 'Cancel the task endless' }).click();
    await tasks.getByText('cancelled').waitFor();
    await outcome
      .getByText(/cancelled/i)
      .first()
      .waitFor();
    // The task is cancelled before the run that follows it ends.
    await expect.poll(() => page.getByRole('progressbar').count()).toBe(0);
  });
});
