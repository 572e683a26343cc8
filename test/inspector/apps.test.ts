/** MCP Apps: the frame of an app has an origin of its own, its declared policy, and a bridge; hostile apps reach nothing. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, resource, type Server, tool } from 'tenon';
import { supportsApps } from 'tenon/extensions';
import { serveInspector } from 'tenon/inspector';
import { describe, expect, it, onTestFinished } from 'vitest';
import { appPolicy, readAppPolicy } from '../../src/inspector/apps/app-policy.ts';
import { proxyPage } from '../../src/inspector/apps/proxy-page.ts';
import { executable, startBrowser } from '../browser/chromium.ts';
import { send } from '../kit/http/raw-http.ts';
import { enter, type Page } from './page.ts';

const mimeType = 'text/html;profile=mcp-app';

const serverWith = (html: string, ui: object = {}): Server =>
  createServer({
    name: 'apps',
    version: '1',
    tools: {
      open: tool({}, () => 'open'),
      apps: tool({}, (_, ctx) => String(supportsApps(ctx))),
      hidden: tool({ _meta: { ui: { visibility: ['model'] } } }, () => 'hidden'),
    },
    resources: {
      'ui://app': resource({ mimeType }, () => [{ uri: 'ui://app', mimeType, text: html, _meta: { ui } }]),
      'ui://text': resource({ mimeType: 'text/html' }, () => 'no app'),
    },
  });

async function opened(server: Server, pageFolder?: string): Promise<Page & { readonly link: string }> {
  const service = await serveInspector({
    servers: { apps: server },
    start: { server: 'apps' },
    ...(pageFolder !== undefined && { pageFolder }),
  });
  onTestFinished(() => service.close());
  const page = await enter(service.url);
  onTestFinished(page.close);
  await page.event('client', (event) => event.client.state === 'ready');
  return { ...page, link: service.url };
}

describe('the policy of an app', () => {
  it('without declarations allows nothing but inline code [ext-apps-11]', () => {
    const policy = appPolicy(readAppPolicy(undefined), 'http://127.0.0.1:1');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("connect-src 'none'");
    expect(policy).toContain("frame-src 'none'");
    expect(policy).toContain("object-src 'none'");
    expect(policy).toContain('frame-ancestors http://127.0.0.1:1');
    expect(policy).not.toMatch(/https|\*/);
  });

  it('has the declared origins, and nothing else that a server has written there [ext-apps-10] [ext-apps-12]', () => {
    const declared = {
      connectDomains: ['https://api.example.com', 'wss://live.example.com:8443', "'unsafe-eval'", '*', 'https:'],
      resourceDomains: ['https://*.cdn.example', 'https://a.example; script-src *', 'data:', 1, 'javascript:alert(1)'],
      frameDomains: 'https://not-a-list.example',
      other: ['https://b.example'],
    };
    const policy = appPolicy(readAppPolicy(declared), 'http://127.0.0.1:1');
    expect(policy).toContain('connect-src https://api.example.com wss://live.example.com:8443;');
    expect(policy).toContain("script-src 'self' 'unsafe-inline' https://*.cdn.example;");
    expect(policy).toContain("frame-src 'none'");
    expect(policy).not.toMatch(/unsafe-eval|javascript|a\.example|not-a-list|b\.example| \*[ ;]/);
  });
});

describe('an app that declares addresses of the network of its user', () => {
  const declared = [
    'http://127.0.0.1:8080',
    'ws://localhost:9229',
    'http://2130706433',
    'https://10.1.2.3',
    'https://printer.local',
    'http://router',
    'http://*.localhost',
    'http://169.254.169.254',
  ];

  it('gets none of them before the user has allowed them by name [S24]', async () => {
    const csp = { connectDomains: [...declared, 'https://api.example.com'], frameDomains: [declared[0]] };
    const page = await opened(serverWith('<p>hi</p>', { csp }));
    const first = await page.call('openApp', { client: 'c1', uri: 'ui://app' });
    expect(first.privateOrigins).toEqual(declared);
    expect(first.csp).toEqual({ connectDomains: ['https://api.example.com'] });
    const { headers } = await send(first.frame, { method: 'GET' });
    const inForce = `${headers['content-security-policy']} ${headers['connection-allowlist']}`;
    for (const origin of declared) expect(inForce.replace(/frame-ancestors \S+/, '')).not.toContain(origin);
    const privateOrigins = ['http://127.0.0.1:8080', 'http://127.0.0.1:1'];
    const second = await page.call('openApp', { client: 'c1', uri: 'ui://app', privateOrigins });
    expect(second.csp?.connectDomains).toEqual(['http://127.0.0.1:8080', 'https://api.example.com']);
    expect(second.privateOrigins).toEqual(declared.slice(1));
  });
});

describe('the page between the inspector and an app', () => {
  /** Runs its script with what it uses of a browser. */
  function running() {
    const posted: { readonly method?: string }[] = [];
    const parent = { postMessage: (data: object) => void posted.push(data) };
    const inner = { postMessage() {} };
    const frame = { setAttribute() {}, contentWindow: inner, remove() {} };
    const document = { createElement: () => frame, body: { append() {} } };
    let receive = (_event: object): void => {};
    const addEventListener = (_type: string, listener: typeof receive): void => void (receive = listener);
    const [, script = ''] = /<script>([^]*)<\/script>/.exec(proxyPage('http://127.0.0.1:1')) ?? [];
    const turns: (() => void)[] = [];
    const setTimeout = (run: () => void): number => turns.push(run);
    new Function('parent', 'document', 'addEventListener', 'setTimeout', script)(
      parent,
      document,
      addEventListener,
      setTimeout,
    );
    const method = 'ui/notifications/sandbox-resource-ready';
    receive({ source: parent, origin: 'http://127.0.0.1:1', data: { method, params: { html: '' } } });
    posted.length = 0;
    return { posted, send: (data: unknown) => receive({ source: inner, origin: 'null', data }) };
  }
  const removed = [expect.objectContaining({ method: 'ui/notifications/sandbox-app-removed' })];

  it.each<[string, () => unknown]>([
    ['a text', () => ({ method: 'ui/message', params: { text: 'x'.repeat(1_000_001) } })],
    ['many texts', () => ({ params: Array.from({ length: 100 }, () => 'x'.repeat(20_000)) })],
    ['many values', () => ({ params: Array.from({ length: 600_000 }, () => 1) })],
    ['a long name', () => ({ params: { ['x'.repeat(1_000_001)]: 1 } })],
    ['bytes', () => ({ params: new Uint8Array(8) })],
  ])('closes an app that sends a large message: %s [S24]', (_, large) => {
    const { posted, send } = running();
    send(large());
    expect(posted).toEqual(removed);
  });

  it('passes on a message of usual size, and closes an app of which too much waits [S24]', () => {
    const { posted, send } = running();
    const usual = { method: 'ui/message', params: { text: 'x'.repeat(900_000) } };
    send(usual);
    expect(posted).toEqual([usual]);
    for (let count = 1; count < 20; count++) send({ method: 'ping' });
    for (let count = 0; count < 5; count++) send(usual);
    expect(posted.at(-1)).toEqual(removed[0]);
  });
});

describe('an app', () => {
  it('gets a frame on another origin with its policy, and is read by resources/read [ext-apps-15] [ext-apps-17] [ext-apps-24]', async () => {
    const page = await opened(
      serverWith('<p>hi</p>', { csp: { connectDomains: ['https://api.example'] }, prefersBorder: true }),
    );
    const app = await page.call('openApp', { client: 'c1', uri: 'ui://app' });
    expect(app).toMatchObject({
      html: '<p>hi</p>',
      prefersBorder: true,
      csp: { connectDomains: ['https://api.example'] },
    });
    expect(app.origin).not.toBe(page.origin);
    const { status, headers, text } = await send(app.frame, { method: 'GET' });
    expect(status).toBe(200);
    expect(headers['content-security-policy']).toBe(app.policy);
    expect(app.policy).toContain(`frame-ancestors ${page.origin}`);
    expect(headers['connection-allowlist']).toBe('(response-origin "https://api.example/*" "wss://api.example/*")');
    expect(headers['permissions-policy']).toContain('camera=()');
    expect(text).toContain('sandbox-');
    expect((await send(app.frame, { method: 'GET', headers: { host: 'evil.example' } })).status).toBe(404);
    expect((await send(`${app.origin}/other`, { method: 'GET' })).status).toBe(404);
    expect((await send(page.link, { method: 'GET' })).headers['content-security-policy']).toContain(
      `frame-src ${app.origin};`,
    );
    await page.call('closeApp', { app: app.app });
    expect((await send(app.frame, { method: 'GET' })).status).toBe(404);
  });

  it.each([
    ['ui://text', 'invalid-request'],
    ['file:///etc/passwd', 'invalid-request'],
  ])('is not %s', async (uri, code) => {
    const page = await opened(serverWith(''));
    expect(await page.answer('openApp', { client: 'c1', uri })).toMatchObject({ ok: false, error: { code } });
  });

  it.each(['2025-06-18', '2025-11-25', '2026-07-28'])(
    'is announced to servers under %s [ext-apps-01] [ext-apps-02]',
    async (protocolVersion) => {
      const page = await opened(serverWith(''));
      const { client } = await page.call('duplicate', { client: 'c1', options: { protocolVersion } });
      await page.event('client', (event) => event.client.id === client.id && event.client.state === 'ready');
      const request = { kind: 'tool' as const, name: 'apps', arguments: {} };
      const { run } = await page.call('run', { client: client.id, request });
      await page.event('run', (event) => event.run.id === run.id && event.run.status === 'done');
      const { result } = await page.call('result', { run: run.id });
      expect(result).toMatchObject({ content: [{ text: 'true' }] });
    },
  );

  it('calls only tools of its own server that are for apps [ext-apps-22] [ext-apps-23]', async () => {
    const page = await opened(serverWith(''));
    await page.call('duplicate', { client: 'c1' });
    await page.event('client', (event) => event.client.id === 'c2' && event.client.state === 'ready');
    const { app } = await page.call('openApp', { client: 'c1', uri: 'ui://app' });
    const run = (client: string, name: string, by: string) =>
      page.answer('run', { client, request: { kind: 'tool', name, arguments: {}, app: by } });
    expect(await run('c1', 'open', app)).toMatchObject({ ok: true });
    expect(await run('c1', 'hidden', app)).toMatchObject({ error: { message: 'The tool "hidden" is not for apps.' } });
    expect(await run('c2', 'open', app)).toMatchObject({ error: { message: expect.stringContaining('own server') } });
    expect(await run('c1', 'open', 'guessed')).toMatchObject({ error: { code: 'not-found' } });
  });
});

/** A page that does what the inspector's page does with an app. */
const host = `
addEventListener('message', ({ data, origin, source }) => {
  const frame = document.querySelector('iframe');
  if (source !== frame?.contentWindow) return;
  (window.received ??= []).push({ data, origin });
  if (data.method === 'ui/notifications/sandbox-proxy-ready')
    source.postMessage({ method: 'ui/notifications/sandbox-resource-ready', params: { html: window.html } }, origin);
});
window.show = (frame, html) => {
  window.html = html;
  const element = document.createElement('iframe');
  element.setAttribute('sandbox', 'allow-scripts allow-same-origin');
  element.src = frame;
  document.body.append(element);
};
`;

it.skipIf(executable === undefined)(
  'in Chromium a hostile app reaches neither the inspector, nor storage, nor the network; messages pass [ext-apps-26] [ext-apps-27] [ext-apps-28] [ext-apps-30] [ext-apps-32] [ext-apps-66] [ext-apps-67]',
  async () => {
    const requested: string[] = [];
    const elsewhere = createHttpServer((request, response) => {
      requested.push(request.url ?? '');
      response.end('');
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void elsewhere.close());
    const other = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
    const hostile = `<!doctype html><body><img src="${other}/image"><iframe src="${other}/frame"></iframe><script>
      const tries = {
        parent: () => parent.document.title,
        top: () => top.location.href,
        navigateTop: () => { top.location.href = '${other}/top'; },
        storage: () => localStorage.length,
        cookie: () => document.cookie,
        popup: () => { if (open('${other}/popup') === null) throw new Error('blocked'); },
        socket: () => { new WebSocket('${other.replace('http', 'ws')}/socket'); throw new Error('blocked'); },
      };
      const outcome = {};
      for (const [name, run] of Object.entries(tries)) {
        try { run(); outcome[name] = 'worked'; } catch { outcome[name] = 'refused'; }
      }
      parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/sandbox-forged' }, '*');
      fetch('${other}/fetch').then(() => 'worked', () => 'refused').then((fetched) => {
        navigator.sendBeacon?.('${other}/beacon');
        parent.postMessage({ jsonrpc: '2.0', id: 1, method: 'ui/initialize', params: { ...outcome, fetched } }, '*');
      });
      addEventListener('message', ({ data }) => {
        if (data.id !== 1) return;
        parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/initialized', params: data.result }, '*');
        location.href = '${other}/away';
      });
    </script>`;
    const pageFolder = mkdtempSync(join(tmpdir(), 'tenon-host-page-'));
    onTestFinished(() => rmSync(pageFolder, { recursive: true }));
    mkdirSync(join(pageFolder, 'assets'));
    writeFileSync(join(pageFolder, 'index.html'), '<!doctype html><body><script src="/assets/host.js"></script>');
    writeFileSync(join(pageFolder, 'assets', 'host.js'), host);
    const backend = await opened(serverWith(hostile), pageFolder);
    const app = await backend.call('openApp', { client: 'c1', uri: 'ui://app' });
    const browser = await startBrowser(executable ?? '');
    onTestFinished(() => browser.close());
    const page = await browser.open('page.example');
    await page.goto(backend.link);
    await page.evaluate(
      ({ frame, html }) => (globalThis as never as { show(...args: string[]): void }).show(frame, html),
      app,
    );
    const received = (method: string) =>
      page
        .waitForFunction(
          (wanted) =>
            ((globalThis as { received?: { data: { method?: string }; origin: string }[] }).received ?? []).find(
              ({ data }) => data.method === wanted,
            ),
          method,
        )
        .then((handle) => handle.jsonValue());
    expect(await received('ui/notifications/sandbox-proxy-ready')).toMatchObject({ origin: app.origin });
    expect(await received('ui/initialize')).toMatchObject({
      origin: app.origin,
      data: {
        params: {
          parent: 'refused',
          top: 'refused',
          storage: 'refused',
          cookie: 'refused',
          popup: 'refused',
          socket: 'refused',
          fetched: 'refused',
        },
      },
    });
    await page.evaluate((origin) => {
      const frame = (globalThis as never as { frames: { postMessage(data: object, origin: string): void }[] })
        .frames[0];
      frame?.postMessage({ jsonrpc: '2.0', id: 1, result: { hostContext: 'light' } }, origin);
    }, app.origin);
    expect(await received('ui/notifications/initialized')).toMatchObject({
      data: { params: { hostContext: 'light' } },
    });
    const all = await page.evaluate(() => JSON.stringify((globalThis as { received?: unknown }).received));
    expect(all).not.toContain('sandbox-forged');
    const methods = (JSON.parse(all) as { data: { method: string } }[]).map(({ data }) => data.method);
    expect(methods).toEqual(['ui/notifications/sandbox-proxy-ready', 'ui/initialize', 'ui/notifications/initialized']);
    expect(new URL(page.url()).origin).toBe(backend.origin);
    expect(requested).toEqual([]);
  },
);
