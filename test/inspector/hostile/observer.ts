/** Watches a browser for everything that a hostile server must not achieve: what runs, leaves, covers, or stops the page. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { BrowserContext, ConsoleMessage, Page, Request, Response } from 'playwright-core';
import { withTimeout } from '../../kit/with-timeout.ts';

/** An address that nothing may reach: connections and datagrams are counted, whatever they carry. */
export interface Elsewhere {
  readonly origin: string;
  readonly udpPort: number;
  readonly reached: string[];
  close(): void;
}

export async function listenElsewhere(): Promise<Elsewhere> {
  const reached: string[] = [];
  const tcp: Server = createServer((socket) => {
    reached.push('a connection');
    socket.on('error', () => undefined).destroy();
  });
  const udp: Socket = createSocket('udp4', () => reached.push('a datagram'));
  await Promise.all([once(tcp.listen(0, '127.0.0.1'), 'listening'), once(udp.bind(0, '127.0.0.1'), 'listening')]);
  return {
    origin: `http://elsewhere.example:${(tcp.address() as AddressInfo).port}`,
    udpPort: udp.address().port,
    reached,
    close() {
      tcp.close();
      udp.close();
    },
  };
}

export interface Observer {
  /** Names what is tried from now on. */
  during(attack: string): void;
  /** Looks at the page as it is now, and returns all findings so far. */
  look(): Promise<readonly string[]>;
}

/** Elements that only a hostile text could have made. */
const foreign =
  'script:not([src]), object, embed, style, base, meta[http-equiv], form[action], a[href^="javascript" i], a[href^="data" i], iframe:not(.app iframe), [onclick], [onerror], [onload], [srcdoc]';

/** Runs in the page. What is the page's own stays on top, no policy was relaxed, and nothing foreign is there. */
const inspect = `(() => {
  const found = [];
  const points = [...document.querySelectorAll('.top h1, .palette-button, .top .icon-button, .rail button')]
    .map((element) => [element, element.getBoundingClientRect()])
    .filter(([, { width }]) => width > 0);
  if (points.length < 7) found.push('covered: the page has lost its own parts');
  for (const [element, { left, top, width, height }] of points) {
    const shown = document.elementFromPoint(left + width / 2, top + height / 2);
    if (shown?.closest('.top, .rail') == null) found.push('covered: ' + (element.textContent || element.className));
  }
  if (document.scrollingElement.scrollHeight > innerHeight + 1 || document.scrollingElement.scrollWidth > innerWidth + 1)
    found.push('covered: the page is larger than the window');
  for (const element of document.querySelectorAll(${JSON.stringify(foreign)})) found.push('element: ' + element.outerHTML.slice(0, 100));
  // A browser could open them as pages of the inspector, which run what is in them.
  for (const type of globalThis.blobTypes) if (/^$|html|xml/.test(type)) found.push('blob: of the type ' + type);
  if ('polluted' in {}) found.push('polluted: Object.prototype');
  return found;
})()`;

/** Runs before the page does, and records the types of the blobs that it makes. */
const recordBlobs = `
  globalThis.blobTypes = [];
  const make = URL.createObjectURL;
  URL.createObjectURL = (blob) => (blobTypes.push(blob.type), make.call(URL, blob));
`;

/** A page that does not answer within `answerMs` has stopped. Default: as long as other waits of tests. */
export async function observe(page: Page, origin: string, elsewhere: Elsewhere, answerMs?: number): Promise<Observer> {
  const context: BrowserContext = page.context();
  const findings = new Set<string>();
  let current = 'opening the page';
  const report = (what: string): void => void findings.add(`${current}: ${what}`);
  let appsOrigin = '-';
  const isOwn = (url: string): boolean =>
    [`${origin}/`, `${appsOrigin}/`].some((own) => url.startsWith(own)) ||
    /^(?:(?:blob|data|about|chrome-error):|$)/.test(url);

  await page.addInitScript(recordBlobs);
  await context.exposeBinding('hostileRan', ({ frame }) => report(`script: ran in ${frame.url().slice(0, 60)}`));
  const deciding = new Set<Promise<unknown>>();
  context.on('request', (request: Request) => {
    if (isOwn(request.url())) return;
    const attack = current;
    const decided = problemOf(request).then((problem) =>
      isRefused(problem) ? undefined : findings.add(`${attack}: request: ${request.url()} ${problem}`),
    );
    deciding.add(decided);
  });
  context.on('response', (response: Response) => {
    const policy = response.headers()['content-security-policy'];
    if (response.url().startsWith(`${origin}/`) && response.request().resourceType() === 'document') {
      appsOrigin = /frame-src (http:\/\/127\.0\.0\.1:\d+);/.exec(policy ?? '')?.[1] ?? '-';
      if (!isPagePolicy(policy)) report(`policy: ${policy}`);
    }
    if (response.url().startsWith(`${appsOrigin}/`) && !isAppPolicy(policy)) report(`policy: ${policy}`);
  });
  context.on('page', (popup) => report(`popup: ${popup.url()}`));
  context.on('serviceworker', (worker) => report(`worker: ${worker.url()}`));
  page.on('worker', (worker) => !worker.url().startsWith(`${origin}/assets/`) && report(`worker: ${worker.url()}`));
  page.on('dialog', (dialog) => {
    report(`dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => undefined);
  });
  page.on('download', (download) => report(`download: ${download.suggestedFilename()}`));
  page.on('crash', () => report('stopped: the page has crashed'));
  // Errors of apps are their own.
  page.on('pageerror', (error) => error.stack?.includes(`${origin}/`) && report(`error: ${error.message}`));
  page.on('console', (message) => isErrorOf(origin, message) && report(`error: ${message.text()}`));
  page.on('framenavigated', (frame) => !isOwn(frame.url()) && report(`navigation: ${frame.url()}`));
  page.on('framenavigated', (frame) => {
    if (frame === page.mainFrame() && !frame.url().startsWith(`${origin}/`)) report(`navigation: ${frame.url()}`);
  });

  return {
    during(attack) {
      current = attack;
    },
    async look() {
      const found = await withTimeout(page.evaluate(inspect), 'the page', answerMs).catch((error) => [
        `stopped: ${(error as Error).message}`,
      ]);
      for (const what of found as string[]) report(what);
      await withTimeout(Promise.all(deciding), 'requests', answerMs).catch(() => report('request: one is not over'));
      for (const what of elsewhere.reached.splice(0)) report(`left: ${what}`);
      return [...findings];
    },
  };
}

/** What a sandbox refuses to an app is written to the console too, without an address of the page. */
const isErrorOf = (origin: string, message: ConsoleMessage): boolean =>
  message.type() === 'error' &&
  message.location().url.startsWith(origin) &&
  !message.text().startsWith('Failed to load resource');

/** How a request has failed; empty if it was answered. */
async function problemOf(request: Request): Promise<string> {
  const response = await request.response().catch(() => null);
  return response === null ? (request.failure()?.errorText ?? 'net::ERR_ABORTED') : '';
}

/** The browser did not send it. If it did and was aborted, the address elsewhere was reached. */
const isRefused = (problem: string): boolean => /^(?:csp|net::ERR_BLOCKED_BY_\w+|net::ERR_ABORTED)$/.test(problem);

const isPagePolicy = (policy = ''): boolean =>
  policy.startsWith("default-src 'none'; script-src 'self'; style-src 'self'; ") &&
  policy.endsWith("require-trusted-types-for 'script'; trusted-types inspector") &&
  !/unsafe|\*|example/.test(policy);

const isAppPolicy = (policy = ''): boolean =>
  policy.startsWith("default-src 'none'; script-src 'self' 'unsafe-inline'") && !/unsafe-eval|\*|example/.test(policy);
