/** server-everything of npm, walked in the page: started as a command, every tool run, every resource and prompt opened. */
import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { executable } from '../../browser/chromium.ts';
import { scaled } from '../../kit/long.ts';
import { published } from '../../kit/peers/programs.ts';
import { type Opened, oneBrowser } from './opened.ts';

const { inspect } = oneBrowser();

interface ToolRow {
  readonly title: string;
  /** Texts by the name of their field. */
  readonly given?: Readonly<Record<string, string>>;
  /** Choices by the name of their field. */
  readonly chosen?: Readonly<Record<string, string>>;
  readonly shows: RegExp;
}

/** In `npm run test:system` the first ones. */
const tools: readonly ToolRow[] = [
  { title: 'Echo Tool', given: { message: 'hello' }, shows: /Echo: hello/ },
  { title: 'Get Sum Tool', given: { a: '2', b: '3' }, shows: /The sum of 2 and 3 is 5/ },
  { title: 'Get Structured Content Tool', chosen: { location: 'Chicago' }, shows: /temperature/ },
  { title: 'Trigger Elicitation Request Tool', shows: /Ada/ },
  { title: 'Trigger Sampling Request Tool', given: { prompt: 'hi' }, shows: /a message of a person/ },
  { title: 'Get Annotated Message Tool', chosen: { messageType: 'success' }, shows: /success/i },
  { title: 'Print Environment Tool', shows: /PATH/ },
  { title: 'Get Resource Links Tool', shows: /resource link/i },
  { title: 'Get Resource Reference Tool', shows: /resource reference/i },
  { title: 'Get Tiny Image Tool', shows: /image/i },
  { title: 'GZip File as Resource Tool', given: { data: 'data:text/plain,hello' }, shows: /README\.md\.gz/ },
  { title: 'Toggle Simulated Logging', shows: /logging/i },
  { title: 'Toggle Subscriber Updates', shows: /updat/i },
  { title: 'Trigger Long Running Operation Tool', given: { duration: '0.2', steps: '2' }, shows: /completed/i },
  { title: 'Get Roots List Tool', shows: /roots/i },
  { title: 'Trigger URL Elicitation Tool', given: { url: 'https://example.com/visit' }, shows: /declin/i },
  { title: 'Simulate Research Query', given: { topic: 'boats' }, shows: /boats/ },
  { title: 'Trigger Async Sampling Request Tool', given: { prompt: 'hi' }, shows: /a message of a person|task/i },
  { title: 'Trigger Async Elicitation Request Tool', shows: /Ada|task/i },
];
const few = 5;

async function connectToIt({ page }: Opened): Promise<void> {
  const { command, args } = published('server-everything', 'stdio');
  await page.getByLabel('URL or command').fill([command, ...args].map((word) => `"${word}"`).join(' '));
  await page.getByRole('button', { name: 'Connect…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Start this program?' });
  await dialog.getByText('server-everything').waitFor();
  await dialog.getByRole('button', { name: 'Start' }).click();
  await page.locator('.list-row').nth(10).waitFor();
}

/** Answers every question until the run is over: a name, a message, and no visit of another page. */
async function finish({ outcome, questions }: Opened): Promise<void> {
  const done = outcome.locator('.status:not(.busy)');
  const question = questions.locator('.question');
  const answer = question.getByRole('button', { name: /^(?:Send|Accept)$/ });
  for (;;) {
    await done.or(question).first().waitFor();
    if ((await question.count()) === 0) return;
    for (const text of await question.getByLabel('Message of the model').all())
      await text.fill('a message of a person');
    for (const name of await question.locator('input[id$=".name"]').all()) await name.fill('Ada');
    await answer
      .or(question.getByRole('button', { name: 'Decline' }))
      .first()
      .click();
    await question.first().waitFor({ state: 'detached' });
  }
}

async function runTool(walker: Opened, { title, given = {}, chosen = {}, shows }: ToolRow): Promise<void> {
  const { page, open, run, outcome } = walker;
  await open('tools', title);
  await page.getByRole('heading', { name: title }).waitFor();
  const field = (name: string) => page.locator(`.arguments [id$=".${name}"]`);
  for (const [name, text] of Object.entries(given)) await field(name).fill(text);
  for (const [name, label] of Object.entries(chosen)) await field(name).selectOption({ label });
  await run();
  await finish(walker);
  // The result is fetched once the run is over.
  const shown = async () => ({ title, text: await outcome.innerText() });
  await expect.poll(shown).toEqual({ title, text: expect.stringMatching(shows) });
}

/** A long title has a text for screen readers beside the one that is cut. */
const titlesOf = (rows: Locator): Promise<string[]> =>
  rows
    .locator('.list-title')
    .evaluateAll((titles) => titles.map((title) => (title.querySelector('.unseen') ?? title).textContent ?? ''));

/** Opens the rows of a room one after another, fills in what they need, and runs each. */
async function runAll(walker: Opened, room: 'resources' | 'prompts', most: number): Promise<number> {
  const { page, go, run, outcome } = walker;
  const values: Readonly<Record<string, string>> = { resourceType: 'Text', resourceId: '1' };
  await go(room);
  const rows = page.getByRole('region', { name: room, exact: true }).locator('.list-row');
  await rows.first().waitFor();
  const titles = (await titlesOf(rows)).slice(0, most);
  for (const [at, name] of titles.entries()) {
    await rows.nth(at).click();
    await page.getByRole('heading', { name, level: 2 }).waitFor();
    for (const field of await page.locator('.item-pane [role=combobox]').all()) {
      const name = (await field.getAttribute('aria-label')) ?? '';
      await field.fill(values[name] ?? 'Engineering');
    }
    await run();
    await outcome.locator('.status.good').waitFor();
  }
  return titles.length;
}

describe.skipIf(executable === undefined)('server-everything', () => {
  it('runs its tools, opens its resources and prompts, and answers its requests [S32]', async () => {
    const walker = await inspect();
    await connectToIt(walker);
    const shown = await titlesOf(walker.page.locator('.list-row'));
    expect(tools.map(({ title }) => title)).toEqual(expect.arrayContaining(shown));
    for (const row of tools.slice(0, scaled(few, tools.length))) await runTool(walker, row);
    const most = scaled(1, 100);
    const opened = [await runAll(walker, 'prompts', most), await runAll(walker, 'resources', most)];
    expect(Math.min(...opened)).toBeGreaterThanOrEqual(scaled(1, 4));
    expect(walker.complaints).toEqual([]);
  });
});
