/** `tenon servers` connects to every configured server, and one that does not answer stops none of the others. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveHttp } from 'tenon';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { refuse, scripted } from '../../kit/http/scripted-server.ts';
import server from '../fixtures/server.ts';
import { typed } from '../terminal.ts';

let url = '';
let close: () => Promise<unknown>;
let folder = '';
beforeAll(async () => {
  const service = await serveHttp(server, { port: 0 });
  url = String(service.url);
  close = () => service.close();
});
afterAll(() => close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tenon-servers-'));
  return () => rmSync(folder, { recursive: true });
});

const node = (script: string): object => ({ command: process.execPath, args: ['-e', script] });

/** Writes a configuration of the project, and runs the command there. */
function servers(mcpServers: object, line = 'tenon servers', own: Parameters<typeof typed>[1] = {}) {
  writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers }));
  return typed(line, { cwd: folder, env: { HOME: folder }, ...own });
}

it('--json has one entry for each server with name, status and ms, in the order of the files [S31]', async () => {
  const { url: locked } = await scripted(({ response }) => refuse(response, 401));
  const { code, out, err } = await servers(
    { works: { url }, locked: { url: locked }, exits: node('console.error("no key"); process.exit(3)') },
    'tenon servers --json',
  );
  expect(code).toBe(1);
  expect(err).toBe('');
  const { result } = JSON.parse(out);
  const ms = expect.any(Number);
  expect(result).toMatchObject([
    { name: 'works', status: 'ok', ms, protocolVersion: '2026-07-28', serverInfo: { name: 'typed', version: '1.2.3' } },
    {
      name: 'locked',
      status: 'sign-in',
      ms,
      error: {
        code: 'unauthorized',
        hint: 'Sign in with: tenon login locked, or pass a key: --header "Authorization: Bearer KEY"',
      },
    },
    {
      name: 'exits',
      status: 'failed',
      ms,
      error: { code: 'server-exited', message: expect.stringContaining('no key') },
    },
  ]);
});

it('shows a line for each, and how to find out more about one that failed', async () => {
  const { out } = await servers({ works: { url }, gone: { url: 'http://127.0.0.1:9/mcp' } });
  expect(out).toMatch(
    /^✓ {2}works {2}ok {6}\d+ ms {2}2026-07-28 typed 1\.2\.3\n✗ {2}gone {3}failed {2}\d+ ms {2}.*\n\nFind out why: tenon doctor gone\n$/,
  );
  expect((await servers({ works: { url } })).code).toBe(0);
});

it('gives a server that never answers the time of --timeout', async () => {
  const asked: number[] = [];
  const after = (ms: number, run: () => void) => {
    asked.push(ms);
    queueMicrotask(run);
    return () => undefined;
  };
  const silent = { silent: node('process.stdin.resume()') };
  const { out } = await servers(silent, 'tenon servers --timeout 3 --json', { after });
  expect(JSON.parse(out).result).toMatchObject([{ name: 'silent', status: 'failed', error: { code: 'timeout' } }]);
  await servers(silent, 'tenon servers', { after });
  expect(asked).toEqual([3000, 10_000]);
});

it('sends no variable of the environment to a server of the project before the user allows it', async () => {
  const seen: unknown[] = [];
  const { url: curious } = await scripted(({ headers, response }) => {
    seen.push(headers['x-key']);
    return refuse(response, 403);
  });
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how files name variables
  const entry = { curious: { url: curious, headers: { 'x-key': '${SECRET}' } } };
  const own = { env: { HOME: folder, SECRET: 'hidden' } };
  const { code, out } = await servers(entry, 'tenon servers --json', own);
  expect(code).toBe(1);
  expect(JSON.parse(out).result).toMatchObject([{ name: 'curious', status: 'blocked', ms: 0 }]);
  expect(seen).toEqual([]);
  await servers(entry, 'tenon servers --json --allow-variable SECRET', own);
  expect(seen).toContain('hidden');
});

it('names both of two clients with servers of one name, and works without any', async () => {
  const named = { works: { url } };
  writeFileSync(join(folder, '.claude.json'), JSON.stringify({ mcpServers: named }));
  const { out } = await servers(named, 'tenon servers --json');
  expect(JSON.parse(out).result.map(({ name }: { name: string }) => name)).toEqual([
    'works@project',
    'works@claude-code',
  ]);
  const none = await typed('tenon servers', { cwd: '/nowhere' });
  expect(none).toMatchObject({ code: 0, out: 'No servers were found in configuration files.\n' });
});
