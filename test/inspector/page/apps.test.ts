/** An app in the page: it gets the arguments and the result of its tool, and calls a tool after the user has allowed it. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { serveInspector } from '../../../src/inspector/index.ts';
import { createServer, resource, tool } from '../../../src/node/index.ts';
import { executable, type OpenBrowser, startBrowser } from '../../browser/chromium.ts';
import { openLink } from './open-page.ts';

let browser: OpenBrowser;
beforeAll(async () => {
  if (executable !== undefined) browser = await startBrowser(executable);
});
afterAll(() => browser?.close());

const mimeType = 'text/html;profile=mcp-app';
const csp = { connectDomains: ['https://api.example'] };

const html = `<!doctype html><title>Clock</title><p id="given"></p><p id="shown"></p><button>Again</button><p id="answer"></p><p id="refused"></p>
<script>
  const post = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  addEventListener('message', ({ data }) => {
    if (data.id === 1) {
      post({ method: 'ui/notifications/initialized' });
      for (const text of ['first thought', 'second thought'])
        post({ id: text, method: 'ui/update-model-context', params: { content: [{ type: 'text', text }] } });
      for (let n = 0; n < 40; n++) post({ id: 'read' + n, method: 'resources/read', params: { uri: 'ui://clock' } });
    }
    if (data.error?.message.startsWith('Too many')) document.querySelector('#refused').textContent = 'A read was refused';
    if (data.id === 2) document.querySelector('#answer').textContent = JSON.stringify(data.result ?? data.error);
    if (data.method === 'ui/notifications/tool-input') document.querySelector('#given').textContent = JSON.stringify(data.params.arguments);
    if (data.method === 'ui/notifications/tool-result') document.querySelector('#shown').textContent = data.params.content[0].text;
  });
  document.querySelector('button').onclick = () =>
    post({ id: 2, method: 'tools/call', params: { name: 'clock', arguments: { city: 'Bergen' } } });
  post({ id: 1, method: 'ui/initialize', params: { protocolVersion: '1', appInfo: { name: 'clock', version: '1' }, appCapabilities: {} } });
</script>`;

const server = createServer({
  name: 'clocks',
  version: '1',
  tools: {
    clock: tool(
      { inputSchema: z.object({ city: z.string().default('Oslo') }), _meta: { ui: { resourceUri: 'ui://clock' } } },
      ({ city }) => `noon in ${city}`,
    ),
  },
  resources: {
    'ui://clock': resource({ mimeType }, () => [{ uri: 'ui://clock', mimeType, text: html, _meta: { ui: { csp } } }]),
  },
});

describe.skipIf(executable === undefined)('an app', () => {
  it('shows the result of its tool, and calls a tool only after the user has allowed it [ext-apps-25][ext-apps-27][ext-apps-48][ext-apps-50][ext-apps-55][ext-apps-68]', async () => {
    const inspector = await serveInspector({ servers: { clocks: server }, start: { server: 'clocks' } });
    onTestFinished(() => inspector.close());
    const { page } = await openLink(browser, inspector.url);
    onTestFinished(() => page.close());
    await page.getByRole('region', { name: 'tools' }).getByRole('button', { name: 'clock' }).click();
    await page.getByRole('button', { name: 'Show it with its app' }).click();
    await page.getByRole('region', { name: 'apps' }).waitFor();
    await page.getByLabel('city').waitFor();
    await page.keyboard.press('Control+Enter');
    const app = page.frameLocator('iframe[title^="App"]').frameLocator('iframe');
    await app.getByText('noon in Oslo').waitFor();
    await app.getByText('A read was refused').waitFor();
    await page.getByText('second thought').waitFor();
    expect(await page.getByText('first thought').count()).toBe(0);
    await page.getByText('This app loads from elsewhere: https://api.example').waitFor();
    const outer = page.locator('iframe[title^="App"]');
    expect(await outer.getAttribute('sandbox')).toBe('allow-scripts allow-same-origin');
    expect(await app.locator('#given').innerText()).toBe('{"city":"Oslo"}');
    // A click that was meant for the app must not allow what appears below the pointer.
    await page.evaluate(`new MutationObserver(() => {
      const allow = document.querySelector('.app .question .button.primary');
      if (allow !== null) globalThis.couldClickAtOnce ??= !allow.disabled;
    }).observe(document.body, { childList: true, subtree: true })`);
    await app.getByRole('button', { name: 'Again' }).click();
    await page.getByText('The app wants to call the tool clock').waitFor();
    expect(await app.locator('#answer').innerText()).toBe('');
    expect(await page.evaluate('couldClickAtOnce')).toBe(false);
    await page.getByRole('button', { name: 'Refuse' }).click();
    await app.getByText('The user refused.').waitFor();
    await app.getByRole('button', { name: 'Again' }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await app.getByText('noon in Bergen').waitFor();
  });
});
