/** A hostile server cannot run anything in the page, load anything from elsewhere, cover it, or stop it. */
import { serveInspector } from 'tenon/inspector';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { executable, type OpenBrowser, startBrowser } from '../../browser/chromium.ts';
import { answer, scripted, session } from '../../kit/http/scripted-server.ts';
import { scaled } from '../../kit/long.ts';
import { wide } from '../page/open-page.ts';
import { hostileUrls } from './blocks.ts';
import { listenElsewhere, observe } from './observer.ts';
import { startHostileServer } from './server.ts';
import { tries } from './tries.ts';
import { type Walk, walkActivity, walkApps, walkBlocks, walkQuestions, walkRest, walkTools } from './walk.ts';

let browser: OpenBrowser;
beforeAll(async () => {
  if (executable !== undefined) browser = await startBrowser(executable);
});
afterAll(() => browser?.close());

/** The real page, connected through the real backend to a hostile server. */
async function opened(): Promise<Walk> {
  const elsewhere = await listenElsewhere();
  onTestFinished(() => elsewhere.close());
  const around = { elsewhere: elsewhere.origin, udpPort: elsewhere.udpPort, inspector: '' };
  const server = await startHostileServer(around);
  const inspector = await serveInspector({
    servers: { hostile: server.url },
    start: { server: 'hostile', protocolVersion: session },
  });
  onTestFinished(() => inspector.close());
  around.inspector = new URL(inspector.url).origin;
  const page = await browser.open('page.example');
  onTestFinished(() => page.close());
  const observer = await observe(page, around.inspector, elsewhere);
  await page.setViewportSize(wide);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto(inspector.url);
  await page.locator('.list-row').nth(server.texts.length).waitFor();
  return { page, observer, server, around };
}

describe.skipIf(executable === undefined)('a hostile server', () => {
  it(
    'runs, loads and covers nothing with its names, descriptions, schemas, results and resources [S32]',
    async () => {
      const walk = await opened();
      await walkTools(walk);
      await walkBlocks(walk);
      await walkRest(walk);
      expect(await walk.observer.look()).toEqual([]);
      expect(walk.server.texts.length).toBeGreaterThanOrEqual(40);
    },
    scaled(240_000, 600_000),
  );

  it('runs, loads and covers nothing with its questions, log messages, progress, errors, tasks and changes of lists [S32]', async () => {
    const walk = await opened();
    const hosts = await walkQuestions(walk);
    // Only these are asked for, and each button names the host that it leads to.
    expect(hosts).toEqual(hostileUrls(walk.around.elsewhere).flatMap(([, host]) => host ?? []));
    await walkActivity(walk);
    expect(await walk.observer.look()).toEqual([]);
  });

  it('reaches nothing with its apps, and they call no tool that the user has not allowed [ext-apps-26] [ext-apps-27] [ext-apps-28]', async () => {
    const walk = await opened();
    const reports = await walkApps(walk);
    expect(await walk.observer.look()).toEqual([]);
    expect(reports.slice(0, 2)).toEqual(Array(2).fill('message: {"done":"nothing"}'));
    const called = walk.server.posted('tools/call').map(({ message }) => (message.params as { name: string }).name);
    expect(called.filter((name) => !name.startsWith('app '))).toEqual([]);
    expect(tries.length).toBeGreaterThanOrEqual(40);
  });

  it('is not asked again and again for a list that cannot be read', async () => {
    const server = await scripted(({ message: { id, method }, response }) =>
      method === 'tools/list' ? answer(response, id, { tools: 5 }) : false,
    );
    const inspector = await serveInspector({ servers: { broken: server.url }, start: { server: 'broken' } });
    onTestFinished(() => inspector.close());
    const page = await browser.open('page.example');
    onTestFinished(() => page.close());
    await page.goto(inspector.url);
    const problem = page.getByRole('alert').filter({ hasText: 'Invalid result of tools/list' });
    await problem.waitFor();
    await page.keyboard.press('Alt+2');
    await page.getByRole('region', { name: 'resources' }).getByText('This server has no resources.').waitFor();
    await page.keyboard.press('Alt+1');
    await problem.waitFor();
    expect(server.posted('tools/list').length).toBe(1);
    await page.getByRole('button', { name: 'Fetch the list again' }).click();
    await server.until(({ message }) => message.method === 'tools/list', 2);
  });
});
