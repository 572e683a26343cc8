/** The log: messages of servers and lines of stderr, each with its filter; searched, cleared, and there after a reload. */
import { serveInspector } from 'tenon/inspector';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { executable, type OpenBrowser, startBrowser } from '../../browser/chromium.ts';
import { openLink } from './open-page.ts';

let browser: OpenBrowser;
beforeAll(async () => {
  if (executable !== undefined) browser = await startBrowser(executable);
});
afterAll(() => browser?.close());

/** A server that logs a line of each kind, and then waits. */
const program = `
process.stderr.write('listening\\n');
let text = '';
process.stdin.on('data', (chunk) => {
  text += chunk;
  for (;;) {
    const end = text.indexOf('\\n');
    if (end === -1) return;
    const message = JSON.parse(text.slice(0, end));
    text = text.slice(end + 1);
    const send = (given) => console.log(JSON.stringify({ jsonrpc: '2.0', ...given }));
    if (message.method === 'initialize') {
      const capabilities = { logging: {} };
      send({ id: message.id, result: { protocolVersion: '2025-06-18', capabilities, serverInfo: { name: 'loud', version: '1' } } });
      send({ method: 'notifications/message', params: { level: 'warning', logger: 'disk', data: 'nearly full' } });
    } else if (message.id !== undefined) send({ id: message.id, result: {} });
  }
});
`;

describe.skipIf(executable === undefined)('the log', () => {
  it('has messages and stderr, is filtered, searched, cleared, and complete after a reload', async () => {
    const service = await serveInspector({
      servers: { loud: { command: process.execPath, args: ['-e', program] } },
      start: { server: 'loud', protocolVersion: '2025-06-18' },
    });
    onTestFinished(() => service.close());
    const { page } = await openLink(browser, service.url);
    onTestFinished(() => page.close());
    const log = page.getByRole('region', { name: 'Log' });
    const lines = log.getByRole('listitem');
    await log.getByText('nearly full').waitFor();
    await log.getByText('listening').waitFor();
    // In the order of their arrival: stderr and stdout are two pipes.
    const kinds = (await lines.allInnerTexts()).map((line) => line.replace(/^[\d:]+ /, ''));
    expect(kinds.sort()).toEqual(['stderr listening', 'warning disk nearly full']);
    await log.getByLabel('Which lines of the log').selectOption('process');
    expect(await lines.allInnerTexts()).toEqual([expect.stringContaining('listening')]);
    // Lines of a process have no level: a level hides none of them.
    await log.getByLabel('Lowest level of the log').selectOption('error');
    expect(await lines.count()).toBe(1);
    await log.getByLabel('Which lines of the log').selectOption('all');
    expect(await lines.count()).toBe(1);
    await log.getByLabel('Lowest level of the log').selectOption('debug');
    await log.getByLabel('Search the log').fill('DISK');
    expect(await lines.allInnerTexts()).toEqual([expect.stringContaining('nearly full')]);
    await log.getByRole('button', { name: 'Clear the log' }).click();
    expect(await lines.count()).toBe(0);
    await page.reload();
    await log.getByText('nearly full').waitFor();
    await log.getByText('listening').waitFor();
  });
});
