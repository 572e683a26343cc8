/** `npm start`: the inspector is beside the demo, already connected to it. */
import { cpSync, lstatSync, mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { serveInspector } from 'tenon/inspector';
import { expect, it, onTestFinished } from 'vitest';
import { root } from '../architecture/source-tree.ts';
import { executable, startBrowser } from '../browser/chromium.ts';
import { startDemo } from '../examples/demo-program.ts';
import { withTimeout } from '../kit/with-timeout.ts';
import { enter } from './page.ts';

/** The lines that the demo prints, up to the command to paste. */
async function printed(...args: readonly string[]): Promise<readonly string[]> {
  const demo = startDemo(args);
  onTestFinished(() => void demo.child.kill('SIGKILL'));
  await withTimeout(demo.printed('npx tenon '), 'the lines of the demo');
  return demo.lines;
}

/** The lines that the demo had printed when `npm start` began to build the page. */
async function printedBeforeBuild(): Promise<readonly string[]> {
  const module: string = join(root, 'scripts/demo.mjs');
  const { runDemo } = await import(module);
  const lines: string[] = [];
  const whenBuilt = new Promise<readonly string[]>((resolve) => {
    const child = runDemo([], async () => resolve([...lines]), { output: 'pipe', env: { ...process.env, PORT: '0' } });
    onTestFinished(() => child.kill('SIGKILL'));
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  });
  return withTimeout(whenBuilt, 'the build of the page');
}

it('npm start prints ready, the link of the inspector, and a call to paste before it builds the page, which is connected to the demo [S32]', async () => {
  const [ready = '', link = '', call = ''] = await printedBeforeBuild();
  const [, url = ''] = /^ready (http:\/\/127\.0\.0\.1:\d+\/mcp)$/.exec(ready) ?? [];
  const { origin } = new URL(url);
  expect(link).toMatch(new RegExp(`^inspector ${origin}/\\?token=[\\w-]{43}$`));
  expect(call).toBe(`npx tenon call ${url} weather city=Oslo`);

  const status = await fetch(origin);
  expect(status.headers.get('content-type')).toContain('text/plain');
  expect(await status.text()).toContain('Sessions: 0');
  const shown = await fetch(origin, { headers: { accept: 'text/html' } });
  expect(shown.headers.get('content-type')).toContain('text/html');

  const page = await enter(link.split(' ')[1] ?? '');
  const { client } = await page.event('client', (event) => event.client.state === 'ready');
  expect(client).toMatchObject({ shown: url, transport: 'http' });
  const { suggestion, first } = await page.call('overview', {});
  expect([suggestion, first]).toEqual([{ tool: 'weather', arguments: { city: 'Oslo' } }, { client: client.id }]);
  const request = { kind: 'tool', name: suggestion?.tool ?? '', arguments: suggestion?.arguments ?? {} } as const;
  const { run } = await page.call('run', { client: client.id, request });
  await page.event('run', (event) => event.run.id === run.id && event.run.status === 'done');
  expect(JSON.stringify(await page.call('result', { run: run.id }))).toContain('Oslo');
  page.close();
});

it.skipIf(executable === undefined)('a page that is not built yet says so, and appears once it is', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-page-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const inspector = await serveInspector({ pageFolder: folder });
  onTestFinished(() => inspector.close());
  const browser = await startBrowser(executable ?? '');
  onTestFinished(() => browser.close());
  const page = await browser.open('page.example');
  const response = await page.goto(inspector.url);
  expect(response?.status()).toBe(503);
  await page.getByText('not built yet').waitFor();
  cpSync(join(root, 'dist/inspector'), folder, { recursive: true });
  await page.getByRole('region', { name: 'Timeline' }).waitFor();
});

it('with --guarded the link is printed too; the walk of a sign-in opens the one of --auth', async () => {
  const lines = await printed('--guarded');
  expect(lines.slice(0, 2)).toEqual([expect.stringMatching(/^ready /), expect.stringMatching(/^inspector .*token=/)]);
});

it('npx finds the command of a checkout, on Windows too', async () => {
  const module: string = join(root, 'scripts/own-command.mjs');
  const { linkOwnCommand } = await import(module);
  const bin = mkdtempSync(join(tmpdir(), 'tenon-bin-'));
  onTestFinished(() => rmSync(bin, { recursive: true }));
  linkOwnCommand(bin, 'linux');
  linkOwnCommand(bin, 'linux');
  linkOwnCommand(bin, 'win32');
  expect(readlinkSync(join(bin, 'tenon'))).toBe('../../scripts/tenon.mjs');
  expect(lstatSync(join(root, 'scripts/tenon.mjs')).mode & 0o100).toBe(0o100);
  expect(readFileSync(join(bin, 'tenon.cmd'), 'utf8')).toContain('scripts\\tenon.mjs" %*');
});
