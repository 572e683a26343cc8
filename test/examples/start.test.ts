/** `npm start`: the demo over HTTP, as in the README. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../architecture/source-tree.ts';
import { send } from '../kit/http/raw-http.ts';

let child: ChildProcess;
let url: string;
/** What was printed besides, before the first line. */
let before = '';

beforeAll(async () => {
  child = spawn('npm', ['start'], {
    cwd: root,
    // From the sources, as for a user.
    env: { ...process.env, PORT: '0', TSX_TSCONFIG_PATH: undefined },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  child.stderr?.on('data', (text) => {
    before += text;
  });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`npm start exited with ${code}`)));
  const [line] = (await Promise.race([once(lines, 'line'), ended])) as [string];
  ended.catch(() => {});
  url = line.replace(/^ready /, '');
});

afterAll(() => {
  try {
    process.kill(-(child.pid as number), 'SIGKILL');
  } catch {
    // No process is left.
  }
});

test('the first line has the ready message with the URL', () => {
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
});

test('what it is doing is said from the first moment, on the other stream', () => {
  const lines = before.split('\n').filter((line) => line.startsWith('setup: '));
  expect(lines.slice(0, 1)).toEqual(['setup: looking at what the demo needs …']);
  expect(lines).toContain('setup: starting the demo …');
});

test('a client of the official SDK calls the demo at the printed URL [S20]', async () => {
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)) as Transport);
  const { content } = await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } });
  expect(content).toEqual([{ type: 'text', text: '{"sum":5}' }]);
  await client.close();
});

test('a plain page at the root shows the status', async () => {
  const page = await fetch(new URL('/', url));
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining(`is served at ${url}`)]);
});

test('the page and the endpoint refuse another host name', async () => {
  for (const path of ['/', '/mcp'])
    expect((await send(new URL(path, url).href, { method: 'GET', headers: { host: 'evil.example' } })).status).toBe(
      403,
    );
});

test('a SIGTERM to npm alone stops the server too', async () => {
  const output = child.stdout as NodeJS.ReadableStream;
  const over = once(output, 'close');
  child.kill('SIGTERM');
  // Every process of npm start holds the pipe open.
  await over;
  await expect(fetch(url)).rejects.toThrow('fetch failed');
});
