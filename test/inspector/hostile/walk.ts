/** Walks through the page as a person does who looks at everything that a server offers. */
import type { Page } from 'playwright-core';
import { scaled } from '../../kit/long.ts';
import { hostileApps, type Surroundings } from './apps.ts';
import { hostileBlocks, hostileUrls } from './blocks.ts';
import type { Observer } from './observer.ts';
import { resultTexts } from './replies.ts';
import type { HostileServer } from './server.ts';
import { shown } from './texts.ts';

export interface Walk {
  readonly page: Page;
  readonly observer: Observer;
  readonly server: HostileServer;
  readonly around: Surroundings;
}

/** Chooses a section of the rail. */
const go = (page: Page, section: string): Promise<void> =>
  page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: section, exact: true }).click();

const row = (page: Page, at: number) => page.locator('.list-row').nth(at);

const runIt = async (page: Page): Promise<void> => {
  await page.locator('.item-head').waitFor();
  await page.keyboard.press('Control+Enter');
};

/** The result of a tool has as many texts: one of so many shows all of them. */
const openEvery = scaled(resultTexts, 1);

async function runTool(page: Page): Promise<void> {
  await runIt(page);
  await page.locator('.result .parts').waitFor();
  await page.getByRole('button', { name: 'Show in the timeline' }).click();
  await page.locator('.details .tree').waitFor();
}

/** Each text as a tool: its form, its result in all views, its messages in the timeline, its log lines. */
export async function walkTools({ page, observer, server }: Walk): Promise<void> {
  await go(page, 'Tools');
  const names = await page.locator('.list-row').count();
  for (const [at, text] of server.texts.entries()) {
    if (at % openEvery !== 0 && at !== server.texts.length - 1) continue;
    observer.during(`the tool ${shown(text)}`);
    await row(page, names - server.texts.length + at).click();
    await runTool(page);
    await observer.look();
  }
  for (const look of ['JSON', 'Schema', 'Form']) {
    observer.during(`arguments as ${look}`);
    await page.getByRole('group', { name: 'Arguments as' }).getByRole('button', { name: look }).click();
    await observer.look();
  }
  for (const look of ['JSON', 'Result']) {
    observer.during(`the result as ${look}`);
    await page.getByRole('group', { name: 'How to show the result' }).getByRole('button', { name: look }).click();
    await observer.look();
  }
}

/** Chooses one of the tools that are there for what a server does on its own. */
async function special({ page, observer }: Walk, name: string): Promise<void> {
  observer.during(name);
  await go(page, 'Tools');
  await page
    .locator('.list-row', { hasText: new RegExp(`^${name}$|^${name}${name}$`) })
    .first()
    .click();
  await runIt(page);
}

export async function walkBlocks(walk: Walk): Promise<void> {
  const { page, observer, around } = walk;
  await special(walk, 'long');
  await page.locator('.prose').first().waitFor();
  await observer.look();
  await special(walk, 'blocks');
  await page.locator('.resource-link').first().waitFor();
  await observer.look();
  const links = hostileBlocks(around.elsewhere).filter(({ type }) => type === 'resource_link');
  for (const [at, { uri }] of links.entries()) {
    observer.during(`the link ${String(uri)}`);
    await page.locator('.resource-link').nth(at).click();
    await page.locator('.item-head').waitFor();
    if (at % scaled(links.length, 1) === 0) {
      await page.locator('.run-bar .button.primary').click();
      await page.locator('.result').waitFor();
    }
    await observer.look();
    await go(page, 'Tools');
    await page.locator('.resource-link').first().waitFor();
  }
}

/** Questions of the server: all of them at once. */
export async function walkQuestions(walk: Walk): Promise<readonly (string | undefined)[]> {
  const { page, observer, server, around } = walk;
  const counts = [
    ['forms', server.texts.length],
    ['samples', server.texts.length],
    ['urls', hostileUrls(around.elsewhere).filter(([, host]) => host !== undefined).length],
  ] as const;
  let hosts: readonly (string | undefined)[] = [];
  for (const [name, count] of counts) {
    await special(walk, name);
    await page
      .locator('.question')
      .nth(count - 1)
      .waitFor();
    if (name === 'urls')
      hosts = await page
        .locator('.question')
        .evaluateAll((all) =>
          all.map((each) =>
            (each.querySelector('a.button') as { textContent: string } | null)?.textContent?.replace('Open ', ''),
          ),
        );
    await observer.look();
    await page.getByRole('button', { name: 'Cancel', exact: true }).last().scrollIntoViewIfNeeded();
    await page.locator('.running').getByRole('button', { name: 'Cancel' }).click();
    await page.locator('.question').first().waitFor({ state: 'detached' });
  }
  return hosts;
}

/** What a server sends on its own: log messages, progress, errors, tasks, and changes of its lists. */
export async function walkActivity(walk: Walk): Promise<void> {
  const { page, observer, server } = walk;
  await special(walk, 'slow');
  await page.locator('.log-row').nth(server.texts.length).waitFor();
  await observer.look();
  await page.locator('.running').getByRole('button', { name: 'Cancel' }).click();
  for (const name of ['fails', 'pollutes']) {
    await special(walk, name);
    await page.locator('.notice.bad').waitFor();
    await observer.look();
  }
  await special(walk, 'task');
  await page.locator('.task-text').first().waitFor();
  await observer.look();
  observer.during('changed lists');
  await server.changeLists();
  await page.locator('.list-change').waitFor();
  await observer.look();
}

export async function walkRest({ page, observer }: Walk): Promise<void> {
  for (const room of ['Resources', 'Prompts']) {
    observer.during(room);
    await go(page, room);
    await row(page, 1).click();
    await page.locator('.item-head').waitFor();
    await observer.look();
    await page.locator('.run-bar .button.primary').click();
    await page.locator('.result .parts').waitFor();
    await observer.look();
  }
  observer.during('completions');
  await page.locator('.completion input').first().fill('a');
  await page.locator('.completion li').first().waitFor();
  await observer.look();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  observer.during('a template');
  await go(page, 'Resources');
  await page.locator('.list-heading + .list-row').click();
  await page.locator('.expanded').waitFor();
  await observer.look();
  observer.during('the server');
  await go(page, 'Server');
  await page.locator('.facts').waitFor();
  await observer.look();
  observer.during('the palette');
  await page.keyboard.press('Control+k');
  await page.locator('.palette li').first().waitFor();
  await page.keyboard.press('Escape');
  for (const look of ['State', 'Message']) {
    observer.during(`the timeline: ${look}`);
    await page.getByRole('group', { name: 'Part of the message' }).getByRole('button', { name: look }).click();
    await page.locator('.details .tree').first().waitFor();
    await observer.look();
  }
}

/** Runs each app, and returns what it reports. */
export async function walkApps({ page, observer, around }: Walk): Promise<readonly string[]> {
  const reports: string[] = [];
  await go(page, 'Apps');
  for (const [at, { name, shows = '"done"' }] of hostileApps(around).entries()) {
    observer.during(`an app that ${name}`);
    await row(page, at).click();
    // The pane of the app before is gone: a slow machine would run that one again.
    await page.locator('.item-head', { hasText: `app ${name}` }).waitFor();
    await runIt(page);
    const reported = page.locator('.app').getByText(shows).first();
    await reported.waitFor();
    reports.push(await reported.innerText());
    await observer.look();
  }
  return reports;
}
