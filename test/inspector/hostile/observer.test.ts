/** The observer reports everything that a hostile server must not achieve: each is planted once. */
import { serveInspector } from 'tenon/inspector';
import { describe, expect, it, onTestFinished } from 'vitest';
import { executable, startBrowser } from '../../browser/chromium.ts';
import { listenElsewhere, observe } from './observer.ts';

/** What is reported, and the code that does it. `ELSEWHERE` and `ORIGIN` stand for origins. */
const faults: readonly (readonly [reported: string, code: string])[] = [
  ['script: ran', `hostileRan()`],
  ['script: ran', `add('iframe', { srcdoc: '<script>hostileRan()</' + 'script>' })`],
  ['dialog: planted', `setTimeout(alert, 0, 'planted')`],
  ['request: ELSEWHERE/image', `new Image().src = 'ELSEWHERE/image'`],
  ['request: ELSEWHERE/style', `add('link', { rel: 'stylesheet', href: 'ELSEWHERE/style' })`],
  [
    'request: ELSEWHERE/worker',
    `new Worker(URL.createObjectURL(new Blob(['fetch("ELSEWHERE/worker")'], { type: 'text/javascript' })))`,
  ],
  ['worker: blob:', `new Worker(URL.createObjectURL(new Blob([''], { type: 'text/javascript' })))`],
  ['element: <iframe', `add('iframe', { src: 'ELSEWHERE/frame' })`],
  ['left: a connection', `fetch('ELSEWHERE/fetch').catch(() => 0)`],
  ['left: a datagram', `sendDatagram()`],
  ['popup: ', `open('about:blank')`],
  ['download: planted.txt', `add('a', { href: 'data:,x', download: 'planted.txt' }).click()`],
  ['error: planted', `setTimeout(() => { throw new Error('planted') }) //# sourceURL=ORIGIN/planted.js`],
  ['element: <style>', `add('style', {})`],
  ['element: <meta', `add('meta', { 'http-equiv': 'content-security-policy', content: '' })`],
  ['element: <p onclick', `add('p', { onclick: 'x' })`],
  ['covered: Tenon', `add('div', { style: 'position: fixed; inset: 0; z-index: 9' })`],
  ['covered: the page is larger', `add('div', { style: 'height: 9000px' })`],
  ['covered: the page has lost', `document.querySelector('.rail').remove()`],
  ['blob: of the type image/svg+xml', `URL.createObjectURL(new Blob([''], { type: 'image/svg+xml' }))`],
  ['polluted: Object.prototype', `Object.prototype.polluted = true`],
  ['navigation: ', `location.href = 'about:blank#planted'`],
];

const tools = `
  globalThis.add = (name, fields) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(fields)) element.setAttribute(key, value);
    document.body.append(element);
    return element;
  };
  globalThis.sendDatagram = async () => {
    const connection = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:UDP' }] });
    connection.createDataChannel('x');
    await connection.setLocalDescription(await connection.createOffer());
  };
`;

async function opened(answerMs?: number) {
  const elsewhere = await listenElsewhere();
  const inspector = await serveInspector();
  const browser = await startBrowser(executable ?? '');
  onTestFinished(async () => {
    await browser.close();
    await inspector.close();
    elsewhere.close();
  });
  const { url } = inspector;
  const { origin } = new URL(url);
  const page = await browser.open('page.example');
  const observer = await observe(page, origin, elsewhere, answerMs);
  return { elsewhere, url, origin, page, observer };
}

describe.skipIf(executable === undefined)('the observer of hostile servers', () => {
  it('reports each planted fault', async () => {
    const { elsewhere, url, origin, page, observer } = await opened();
    const filled = (text: string): string =>
      text
        .replaceAll('ELSEWHERE', elsewhere.origin)
        .replaceAll('ORIGIN', origin)
        .replaceAll('UDP', String(elsewhere.udpPort));
    const devtools = await page.context().newCDPSession(page);
    // Otherwise the policy of the page would refuse what is planted.
    await devtools.send('Page.setBypassCSP', { enabled: true });
    await page.goto(url);
    await page.locator('.rail').waitFor();
    await page.evaluate(filled(tools));
    expect(await observer.look()).toEqual([]);
    for (const [at, [reported, code]] of faults.entries()) {
      observer.during(`fault ${at}`);
      await page.evaluate(`{ ${filled(code)}\n}; undefined`);
      await expect
        .poll(() => observer.look())
        .toContainEqual(expect.stringContaining(`fault ${at}: ${filled(reported)}`));
      await page.evaluate(`for (const each of document.querySelectorAll('body > :not(#page)')) each.remove()`);
    }
  });

  it('reports a page that has stopped', async () => {
    const { url, page, observer } = await opened(1000);
    await page.goto(url);
    await page.locator('.rail').waitFor();
    await page.evaluate('setTimeout(() => { for (;;); })');
    await expect.poll(() => observer.look()).toContainEqual(expect.stringContaining('stopped: '));
  });

  it('reports a policy that was relaxed', async () => {
    const { url, origin, page, observer } = await opened();
    await page.route(`${origin}/?*`, async (route) => {
      const response = await route.fetch();
      const policy = response.headers()['content-security-policy']?.replace("'self'", "'self' https://a.example");
      await route.fulfill({ response, headers: { ...response.headers(), 'content-security-policy': policy ?? '' } });
    });
    await page.goto(url);
    await page.locator('.rail').waitFor();
    expect(await observer.look()).toEqual([expect.stringContaining('policy: ')]);
  });
});
