/** The system's Chromium, started for one test file. It can open a page of any origin. */
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { chromium, type Page } from 'playwright-core';

/** `.ci/run` installs the first. */
const names = ['chromium', 'chromium-browser', 'google-chrome'];

export const executable: string | undefined = (process.env.PATH ?? '')
  .split(delimiter)
  .flatMap((folder) => names.map((name) => join(folder, name)))
  .find((path) => existsSync(path));

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-proxy-server',
  // Pages of other hosts, served by this machine.
  '--host-resolver-rules=MAP *.example 127.0.0.1',
];

/** Only a failing test waits this long, so it is enough for a busy machine. */
export const patienceMs = 60_000;

export interface OpenBrowser {
  /** The origin of the pages of a host. */
  origin(host: string): string;
  /** The page, and those that it opens, have `patienceMs` for each step. */
  open(host: string): Promise<Page>;
  close(): Promise<void>;
}

export async function startBrowser(executablePath: string): Promise<OpenBrowser> {
  const site = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<!doctype html><title>A page</title>');
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const { port } = site.address() as AddressInfo;
  const browser = await chromium.launch({ executablePath, args: flags, timeout: patienceMs });
  const origin = (host: string): string => `http://${host}:${port}`;
  return {
    origin,
    async open(host) {
      const page = await browser.newPage();
      page.context().setDefaultTimeout(patienceMs);
      await page.goto(origin(host));
      return page;
    },
    async close() {
      await browser.close();
      site.closeAllConnections();
      site.close();
    },
  };
}
