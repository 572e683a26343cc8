/** `tenon inspect`: the page on a server, on a capture, or on nothing yet. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { typed } from '../cli/terminal.ts';
import { deferred } from '../kit/deferred.ts';
import { enter, type Page } from './page.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tenon-inspect-'));
  writeFileSync(
    join(folder, '.mcp.json'),
    JSON.stringify({ mcpServers: { files: { command: 'npx', args: ['files'] } } }),
  );
  const lines = [
    { capture: 1, by: 'tenon', made: '2026-11-17T00:00:00.000Z', redaction: 1 },
    { kind: 'message', from: 'client', m: { jsonrpc: '2.0', id: 1, method: 'ping' }, seq: 1, ms: 0, connection: 1 },
  ];
  writeFileSync(join(folder, 'empty.mcp.ndjson'), '');
  writeFileSync(join(folder, 'one.mcp.ndjson'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Types the command, visits the page, and ends it by Ctrl+C. */
async function inspected(words: string, visit: (page: Page) => Promise<void>, own: object = {}): Promise<number> {
  const interrupt = new AbortController();
  const printed = deferred<string>();
  const running = typed(`tenon inspect ${words}`.trim(), {
    signal: interrupt.signal,
    out: (text) => printed.resolve(text),
    ...own,
  });
  const line = await Promise.race([printed.promise, running.then(({ err }) => Promise.reject(new Error(err)))]);
  expect(line).toMatch(/^inspector http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}\n/);
  const page = await enter(line.trim().split(' ')[1] ?? '');
  try {
    await visit(page);
  } finally {
    page.close();
    interrupt.abort();
  }
  return (await running).code;
}

describe('tenon inspect', () => {
  it('opens the page on a server, with the protocol version that was typed [S32]', async () => {
    const code = await inspected('./server.ts --protocol-version 2025-06-18', async (page) => {
      const { client } = await page.event('client', (event) => event.client.state === 'ready');
      expect(client).toMatchObject({ server: { name: 'typed' }, protocolVersion: '2025-06-18' });
    });
    expect(code).toBe(0);
  });

  it('opens the page on a capture', async () => {
    await inspected(
      'one.mcp.ndjson',
      async (page) => {
        const { first, recordings } = await page.call('overview', {});
        expect(first).toEqual({ recording: 'f1' });
        expect(recordings[1]).toMatchObject({ name: 'one.mcp.ndjson', rows: 1, isComplete: false });
      },
      { cwd: folder },
    );
  });

  it('without a target offers the servers of configuration files, and starts none', async () => {
    await inspected(
      '',
      async (page) => {
        const { targets } = await page.call('offered', {});
        expect(targets).toMatchObject([{ name: 'files', shown: 'npx files', source: { client: 'project' } }]);
        expect((await page.call('overview', {})).clients).toEqual([]);
      },
      { cwd: folder },
    );
  });

  it.each([
    ['missing.mcp.ndjson', /There is no file .*missing\.mcp\.ndjson/],
    ['empty.mcp.ndjson', /This is not a capture/],
    ['--port x', /--port cannot be "x"/],
  ])('refuses %s', async (words, message) => {
    const { code, err } = await typed(`tenon inspect ${words}`, { cwd: folder });
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });
});
