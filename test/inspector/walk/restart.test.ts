/** A program that is started again under an open page: the page finds it, and nothing that was shown is lost. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type InspectorService, serveInspector } from 'tenon/inspector';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ServeInspectorOptions } from '../../../src/inspector/options.ts';
import { executable } from '../../browser/chromium.ts';
import { type Opened, oneBrowser } from './opened.ts';
import { createWalkServer } from './walk-server.ts';

const { visit } = oneBrowser();

async function serve(more: ServeInspectorOptions): Promise<InspectorService> {
  const service = await serveInspector({ servers: { walk: createWalkServer() }, start: { server: 'walk' }, ...more });
  onTestFinished(() => service.close());
  return service;
}

/** Runs `add`, and returns its result. */
async function add({ page, open, run, outcome }: Opened, a: string, b: string): Promise<void> {
  await open('tools', 'add');
  await page.getByLabel(/^a(?: |$)/).fill(a);
  await page.getByLabel(/^b(?: |$)/).fill(b);
  await run();
  await outcome.getByText(String(Number(a) + Number(b)), { exact: true }).waitFor();
}

const history = ({ page }: Opened) => page.getByRole('region', { name: 'Earlier runs' }).getByRole('listitem');

describe.skipIf(executable === undefined)('after a restart', () => {
  it('the page finds the program by itself, with results, earlier messages, and the same tabs', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tenon-restart-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const tabsFile = join(folder, 'tabs.json');
    const first = await serve({ tabsFile });
    const walker = await visit(first.url);
    const { page, outcome, timeline } = walker;
    const tabs = page.getByRole('navigation', { name: 'Clients' }).locator('.tab');
    await page.getByRole('button', { name: 'Options of walk' }).click();
    await page.getByRole('menuitemradio').nth(2).click();
    await tabs.nth(1).waitFor();
    await add(walker, '20', '22');
    await first.close();

    await page.getByText('The program that serves this page does not answer.').waitFor();
    expect(await tabs.getByRole('img', { name: 'not known' }).count()).toBe(2);
    await outcome.getByText('42', { exact: true }).waitFor();
    const [lost] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save the messages' }).click(),
    ]);
    const saved = readFileSync(await lost.path(), 'utf8')
      .trim()
      .split('\n');
    expect(JSON.parse(saved[0] ?? '')).toMatchObject({ capture: 1 });
    expect(saved.join('\n')).toContain('"arguments":{"a":20,"b":22}');
    expect(JSON.parse(saved.at(-1) ?? '')).toMatchObject({ kind: 'end', events: saved.length - 2 });

    await serve({ tabsFile });
    await page.getByText(/^The program was started again at /).waitFor();
    await outcome.getByText('42', { exact: true }).waitFor();
    await expect.poll(() => tabs.getByRole('img', { name: 'ready' }).count()).toBe(2);
    await add(walker, '1', '2');
    expect(await history(walker).count()).toBe(2);
    await page.getByRole('button', { name: 'Show them' }).click();
    await timeline.locator('.row', { hasText: 'tools/call add' }).nth(1).waitFor();
    expect(await timeline.locator('.row', { hasText: '{"a":20,"b":22}' }).count()).toBe(1);
    expect(await timeline.locator('.row', { hasText: '{"a":1,"b":2}' }).count()).toBe(0);
  });

  it('a page that the program does not know asks for the new link, and goes on as it was', async () => {
    const first = await serve({});
    const port = first.port;
    const walker = await visit(first.url);
    const { page, outcome } = walker;
    await add(walker, '20', '22');
    await first.close();
    await page.getByText('The program that serves this page does not answer.').waitFor();
    const second = await serve({ port });
    await page.getByText('The program was started again.').waitFor();
    await outcome.getByText('42', { exact: true }).waitFor();
    await page.getByLabel('The link, or its token').fill('wrong');
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByText('The token of the link is not the one of this process.').waitFor();
    await page.getByLabel('The link, or its token').fill(second.url);
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByRole('button', { name: 'Show them' }).waitFor();
    await add(walker, '1', '2');
    expect(await history(walker).count()).toBe(2);
  });
});
