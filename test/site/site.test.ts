/** The site, built from this checkout and walked in Chromium as a reader does. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import axe, { type AxeResults } from 'axe-core';
import type { Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../architecture/source-tree.ts';
import { executable, type OpenBrowser, startBrowser } from '../browser/chromium.ts';
import { narrow, openLink, wide } from '../inspector/page/open-page.ts';
import { requires } from '../kit/requires.ts';
import { walkPlayground } from './playground-walk.ts';

const dist = join(root, 'site/dist');
/** `npm run test:system` installs VitePress before. */
const isInstalled = existsSync(join(root, 'site/node_modules/.tenon-lock'));

it('VitePress and a browser are installed', (context) => {
  requires(context, isInstalled ? undefined : 'VitePress is not installed: run `npm run site:build` once');
  requires(context, executable === undefined ? 'there is no Chromium: `apt-get install chromium`' : undefined);
  expect(isInstalled).toBe(true);
});

interface Folder {
  readonly url: string;
  close(): Promise<void>;
}

async function serve(): Promise<Folder> {
  const module: string = join(root, 'scripts/site/serve.mjs');
  const { serveFolder } = (await import(module)) as { serveFolder: (folder: string) => Promise<Folder> };
  return serveFolder(dist);
}

describe.skipIf(!isInstalled)('the built site', () => {
  // A build takes one minute on two quiet cores, and six beside other tests.
  beforeAll(async () => {
    await promisify(execFile)(process.execPath, [join(root, 'scripts/site-build.mjs')], { maxBuffer: 2 ** 26 });
  }, 1_800_000);

  const text = (path: string): string => readFileSync(join(dist, path), 'utf8');

  it('has its pages as Markdown for programs, a list of them, and all of them in one file', () => {
    const list = text('llms.txt');
    const links = [...list.matchAll(/\]\(\/([^)]+\.md)\)/g)].map(([, path]) => path as string);
    expect(links.length).toBeGreaterThan(80);
    expect(links.filter((path) => !existsSync(join(dist, path)))).toEqual([]);
    expect(text('llms-full.txt')).toContain('# Quickstart');
  });

  it('has a page for each entry point, with names, their comments and declarations', () => {
    const guard = text('api/guard.md');
    expect(guard).toContain('### auditFolder');
    expect(guard).toMatch(/### LimitOptions\n[\s\S]*?interface LimitOptions/);
    expect(text('api/tenon.html')).toContain('href="./server.html#createserver"');
  });

  it('has at most 17 MB', () => {
    const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).map((path) => statSync(join(dist, path)));
    expect(files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0)).toBeLessThan(17_000_000);
  });

  describe.skipIf(executable === undefined)('in Chromium', () => {
    let browser: OpenBrowser;
    let site: Folder;
    beforeAll(async () => {
      browser = await startBrowser(executable as string);
      site = await serve();
    });
    afterAll(async () => {
      await browser?.close();
      await site?.close();
    });

    const open = (path: string, look: Parameters<typeof openLink>[2]) => openLink(browser, `${site.url}${path}`, look);

    it.each([
      ['1280 pixels and light', wide, 'light'],
      ['390 pixels and dark', narrow, 'dark'],
    ] as const)('shows every kind of page at %s without a serious finding of axe', async (_, size, theme) => {
      const { page, complaints } = await open('', { size, theme });
      await page.getByRole('heading', { name: 'MCP for TypeScript' }).waitFor();
      expect(await isDark(page)).toBe(theme === 'dark');
      expect(await findings(page)).toEqual([]);
      for (const path of [
        'guide/quickstart',
        'guide/http',
        'guide/commands',
        'api/guard',
        'performance',
        'deploy/docker',
      ]) {
        await page.goto(`${site.url}${path}.html`);
        await page.locator('.vp-doc h1').waitFor();
        expect([path, await findings(page)]).toEqual([path, []]);
        expect([path, await overflowOf(page)]).toEqual([path, 0]);
      }
      expect(complaints).toEqual([]);
    });

    it.each([
      ['1280', wide],
      ['390', narrow],
    ] as const)('leads by search to a page of the guide and to a name of the API at %s pixels', async (_, size) => {
      const { page, complaints } = await open('', { size });
      for (const [query, title, path] of [
        ['rate limits', 'Rate limits', '/guide/rate-limits'],
        ['auditFolder', 'auditFolder', '/api/guard'],
      ] as const) {
        await page.locator('#local-search button').click();
        await page.locator('#localsearch-input').fill(query);
        const link = page.locator(`.result[href*="${path}"]`).first();
        await link.click();
        await page.waitForURL((url) => url.pathname.startsWith(path));
        await page.getByRole('heading', { name: title }).first().waitFor();
      }
      expect(complaints).toEqual([]);
    });

    it.each([
      ['1280 pixels and light', wide, 'light'],
      ['390 pixels and dark', narrow, 'dark'],
    ] as const)(
      'calls a tool, answers a form and compares two versions in the playground at %s',
      async (_, size, theme) => {
        const { page, complaints } = await open('', { size, theme });
        const files: string[] = [];
        page.on('response', (response) => void files.push(new URL(response.url()).pathname));
        await page.getByRole('link', { name: 'Try it in the browser' }).click();
        await page.getByRole('heading', { name: 'Playground' }).waitFor();
        expect(await findings(page)).toEqual([]);
        expect(await overflowOf(page)).toBe(0);
        const ofPlayground = (): string[] => files.filter((path) => path.startsWith('/playground/app/'));
        expect(ofPlayground()).toEqual([]);
        await walkPlayground(page);
        const frame = page.frames().find((each) => each.url().includes('/playground/app/')) as Frame;
        expect(await findings(frame)).toEqual([]);
        expect(await overflowOf(frame)).toBe(0);
        expect(complaints).toEqual([]);
        const sizes = ofPlayground().map((path) => compressed(join(dist, path)));
        expect(sizes.length).toBeGreaterThan(3);
        expect(sizes.reduce((sum, one) => sum + one, 0)).toBeLessThan(300_000);
      },
    );

    it('changes to dark and keeps it', async () => {
      const { page } = await open('guide/quickstart.html', { size: wide });
      expect(await isDark(page)).toBe(false);
      await page.locator('.VPSwitchAppearance').first().click();
      expect(await isDark(page)).toBe(true);
      await page.goto(`${site.url}api/index.html`);
      expect(await isDark(page)).toBe(true);
    });

    it('sends under 150 kB for its first page, compressed', async () => {
      const page = await browser.open('page.example');
      const files: string[] = [];
      page.on('request', (request) => {
        if (request.url().startsWith(site.url)) files.push(new URL(request.url()).pathname);
      });
      await page.setViewportSize(wide);
      await page.goto(site.url, { waitUntil: 'networkidle' });
      // Pages that the reader may open next are no part of the first.
      const next = await page.evaluate<string[]>(
        "[...document.querySelectorAll('link[rel=prefetch]')].map(({ href }) => new URL(href).pathname)",
      );
      const sent = files.filter((path) => !next.includes(path));
      const sizes = sent.map((path) => compressed(join(dist, path === '/' ? 'index.html' : path)));
      expect(sent.length).toBeGreaterThan(5);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(150_000);
    });
  });
});

/** What a server sends of a file: pictures are compressed already. */
function compressed(file: string): number {
  const bytes = readFileSync(file);
  return Math.min(bytes.length, gzipSync(bytes).length);
}

const isDark = (page: Page): Promise<boolean> => page.evaluate("document.documentElement.classList.contains('dark')");

/** Pixels that the page is wider than its window. */
const overflowOf = (page: Page | Frame): Promise<number> =>
  page.evaluate('Math.max(0, document.documentElement.scrollWidth - innerWidth)');

/** Serious and critical findings, as one line each. */
async function findings(page: Page | Frame): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>('axe.run(document)');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}
