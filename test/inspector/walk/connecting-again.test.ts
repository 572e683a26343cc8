/** A connection that failed is edited: its fields are filled in, a plain 401 asks for a header, and advice is about the page. */
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer, serveHttp, tool } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { apiError } from '../../../src/inspector/api-error.ts';
import { TenonError, type TenonErrorCode } from '../../../src/lib/errors/tenon-error.ts';
import { executable } from '../../browser/chromium.ts';
import { type Opened, oneBrowser } from './opened.ts';

const { inspect } = oneBrowser();

async function connect({ page }: Opened, target: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Clients' }).getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByLabel('URL or command').fill(target);
  await page.keyboard.press('Enter');
}

describe.skipIf(executable === undefined)('a client that failed', () => {
  it('is edited in its form, and the new one takes its place [S32]', async () => {
    const service = await serveHttp(
      createServer({ name: 'there', version: '1', tools: { here: tool({}, () => 'yes') } }),
      {
        port: 0,
      },
    );
    onTestFinished(() => service.close());
    const walker = await inspect();
    const { page, complaints } = walker;
    const tabs = page.getByRole('navigation', { name: 'Clients' }).locator('.tab');
    await connect(walker, service.url.replace('/mcp', '/wrong'));
    await page.getByRole('alert').first().waitFor();
    await page.getByRole('main').getByRole('button', { name: 'Edit' }).click();
    const field = page.getByLabel('URL or command');
    expect(await field.inputValue()).toBe(service.url.replace('/mcp', '/wrong'));
    expect(await page.evaluate('document.activeElement.id')).toBe('target');
    await field.fill(service.url);
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'tools' }).getByText('here').waitFor();
    await expect.poll(() => tabs.count()).toBe(1);
    expect(complaints.filter((text) => !text.includes('404'))).toEqual([]);
  });

  it('by a plain 401 offers the field of headers, with what was typed before', async () => {
    const keys: (string | undefined)[] = [];
    const server = createHttpServer((request, response) => {
      keys.push(request.headers['x-api-key']?.toString());
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"no key"}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const walker = await inspect();
    const { page } = walker;
    await connect(walker, `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
    await page.getByText('The server requires authentication (401), and offers no sign-in.').waitFor();
    await page.getByRole('button', { name: 'Add a header' }).click();
    expect(await page.evaluate('document.activeElement.id')).toBe('pairs');
    await page.keyboard.type('X-Api-Key: right');
    await page.getByRole('main').getByRole('button', { name: 'Connect' }).click();
    await page.getByRole('button', { name: 'Add a header' }).waitFor();
    await expect.poll(() => keys).toContain('right');
    await page.getByRole('button', { name: 'Add a header' }).click();
    // The backend does not return it: this tab remembers what was typed in it.
    expect(await page.getByLabel('Headers').inputValue()).toBe('X-Api-Key: right');
  });

  it('shows the servers that were found before the form, and reads variables before a command', async () => {
    const walker = await inspect({ servers: { mine: createServer({ name: 'mine', version: '1' }) } });
    const { page } = walker;
    await page.getByRole('button', { name: /^mine/ }).waitFor();
    const order = await page.evaluate<boolean>(
      "!!(document.querySelector('.offered').compareDocumentPosition(document.querySelector('.target-form')) & Node.DOCUMENT_POSITION_FOLLOWING)",
    );
    expect(order).toBe(true);
    await page.getByLabel('URL or command').fill('FOO=1 node x.js');
    await page.getByText('Sets FOO for the program').waitFor();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Start this program?' });
    await dialog.getByText('FOO=1').waitFor();
    expect(await dialog.innerText()).toMatch(/Program\s+node\s+Arguments\s+x\.js/);
  });
});

describe('advice', () => {
  const hintOf = (code: TenonErrorCode, hint: string): string | undefined =>
    apiError(new TenonError(code, 'It failed.', { hint })).hint;

  it('is about the page: options of the library are never named', () => {
    expect(hintOf('timeout', 'Raise the option "timeoutMs" of the call.')).toBe(
      'Look at the log of the server, then try again.',
    );
    const named = [
      'Pass `roots` in "handlers".',
      'Start again with connect().',
      'Set "cwd" to a folder.',
      'Raise limits.maxItems.',
    ];
    expect(named.map((hint) => hintOf('invalid-argument', hint))).toEqual(named.map(() => undefined));
    expect(hintOf('invalid-argument', 'Check the path, and that this user may read the file.')).toContain(
      'Check the path',
    );
  });
});
