/** The recipe of a client in a browser: its page in Chromium, bundled as the README says, with the clicks of a user. */
import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { context as createBundle } from 'esbuild';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../examples/cluster/programs.ts';
import { root } from '../architecture/source-tree.ts';
import { executable, type OpenBrowser, startBrowser } from '../browser/chromium.ts';
import { emptyFolder, recipeFile, recipeFolder, replaced, startProgram } from './recipe.ts';

const source = join(recipeFolder('browser'), 'page');
/** What a browser takes of the package. */
const entries = ['auth', 'client', 'store'].map(
  (name) => [`tenon/${name}`, join(root, `src/${name}/index.ts`)] as const,
);

/** Serves the page as `npm run page` does, with this checkout as the package. Returns its port. */
async function servePage(server: string): Promise<number> {
  const folder = emptyFolder();
  const html = replaced(recipeFile('browser', 'page/index.html'), { 'http://127.0.0.1:3000/mcp': server });
  writeFileSync(join(folder, 'index.html'), html);
  const bundle = await createBundle({
    entryPoints: [join(source, 'main.ts')],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    outfile: join(folder, 'main.js'),
    alias: Object.fromEntries(entries),
    tsconfigRaw: {},
    logLevel: 'silent',
  });
  onTestFinished(() => bundle.dispose());
  return (await bundle.serve({ servedir: folder, host: '127.0.0.1', port: 0 })).port;
}

/** Starts the provider and the server of the recipe, and serves the page: the URLs of the page on two origins. */
async function startAll(): Promise<{ readonly page: string; readonly otherOrigin: string }> {
  const [port, providerPort] = [await freePort(), await freePort()];
  const ORIGIN = `http://127.0.0.1:${port}`;
  const pagePort = await servePage(`${ORIGIN}/mcp`);
  const PAGE = `http://localhost:${pagePort}`;
  const provider = await startProgram('browser', 'provider.ts', { ORIGIN, PROVIDER_PORT: String(providerPort) });
  await startProgram('browser', 'server.ts', { ORIGIN, PAGE, PORT: String(port), ISSUER: provider.url });
  return { page: `${PAGE}/`, otherOrigin: `http://127.0.0.1:${pagePort}/` };
}

const output = (page: Page) => page.locator('#output');
const click = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const shows = (page: Page, text: string) => output(page).getByText(text).waitFor();

it('the page type checks', () => {
  const folder = emptyFolder();
  const settings = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      lib: ['ES2023', 'DOM', 'DOM.Iterable', 'ESNext.Disposable'],
      paths: Object.fromEntries(entries.map(([name, path]) => [name, [path]])),
    },
    files: readdirSync(source)
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(source, name)),
    include: [],
    exclude: [],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  const tsc = join(root, 'node_modules/ts7/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
  expect([status, stdout]).toEqual([0, '']);
});

describe.skipIf(executable === undefined)('in Chromium', () => {
  let browser: OpenBrowser;
  beforeAll(async () => {
    browser = await startBrowser(executable as string);
  });
  afterAll(() => browser?.close());

  async function opened(url: string): Promise<{ readonly page: Page; readonly errors: string[] }> {
    const page = await browser.open('page.example');
    onTestFinished(() => page.close());
    const errors: string[] = [];
    page.on(
      'console',
      (message) => message.type() === 'error' && errors.push(`${message.text()} ${message.location().url}`),
    );
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(url);
    return { page, errors };
  }

  async function signIn(page: Page): Promise<void> {
    await click(page, 'Who am I?');
    await click(page, 'Allow');
    await click(page, 'ada');
    await click(page, 'Allow');
  }

  it('a user signs in by a redirect, calls with progress, reloads the page, and signs out', async () => {
    const urls = await startAll();
    const { page, errors } = await opened(urls.page);
    await signIn(page);
    await shows(page, 'provider:ada');
    expect(page.url()).toBe(urls.page);

    await click(page, 'Count');
    await shows(page, 'Counted to 10');
    expect(await page.locator('#progress').getAttribute('value')).toBe('1');

    await page.reload();
    await click(page, 'Who am I?');
    await shows(page, 'provider:ada');

    await click(page, 'Sign out');
    await shows(page, 'Signed out');
    // The browser itself reports the call that was refused, and that an access token is too short-lived to be revoked.
    expect(errors.filter((text) => !/ 401 .*\/mcp$| 400 .*\/revoke$/.test(text))).toEqual([]);
  });

  it('a page of an origin that is not listed reads nothing', async () => {
    const { otherOrigin } = await startAll();
    const { page } = await opened(otherOrigin);
    await click(page, 'Who am I?');
    await shows(page, 'Error');
    expect(new URL(page.url()).origin).toBe(new URL(otherOrigin).origin);
  });
});
