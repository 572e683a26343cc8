/** What an inspector refuses: other hosts, origins, tokens and keys, large bodies, and commands that no one has confirmed. */
import { fileURLToPath } from 'node:url';
import { type InspectorService, serveInspector } from 'tenon/inspector';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Confirmations } from '../../src/inspector/clients/confirmations.ts';
import { type Headers, send } from '../kit/http/raw-http.ts';
import { enter, type Page } from './page.ts';

let service: InspectorService;
let page: Page;
let origin = '';
let token = '';
beforeAll(async () => {
  service = await serveInspector();
  page = await enter(service.url);
  origin = page.origin;
  token = new URL(service.url).searchParams.get('token') ?? '';
});
afterAll(async () => {
  page.close();
  await service.close();
});

const program = fileURLToPath(new URL('../kit/peers/programs/v1-server.mjs', import.meta.url));
const command = { kind: 'command', command: process.execPath, args: [program] } as const;

const called = (name: string, body: unknown, headers: Headers = {}) =>
  send(`${origin}/api/${name}`, {
    body,
    headers: { accept: undefined, origin, authorization: `Bearer ${page.key}`, ...headers },
  });

describe('an inspector', () => {
  it.each<[string, Headers]>([
    ['another host', { host: 'evil.example' }],
    ['a host that was rebound', { host: 'rebound.example:80' }],
    ['another port', { host: '127.0.0.1:1' }],
    ['no port', { host: '127.0.0.1' }],
    ['another origin', { origin: 'http://evil.example' }],
    ['the origin null', { origin: 'null' }],
    ['no origin', { origin: undefined }],
    ['the same name with another scheme', { origin: 'https://127.0.0.1' }],
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
    ['a page of another port', { 'sec-fetch-site': 'same-site' }],
  ])('refuses calls with %s [S32]', async (_, headers) => {
    const { status, json } = await called('overview', {}, headers);
    expect(status).toBe(403);
    expect(json).toMatchObject({ ok: false, error: { code: 'wrong-origin' } });
  });

  it('refuses its page to another host, also with the token', async () => {
    const { status, text } = await send(service.url, { method: 'GET', headers: { host: 'evil.example' } });
    expect(status).toBe(403);
    expect(text).not.toContain(token);
  });

  it.each<[string, string | undefined]>([
    ['no key', undefined],
    ['a wrong key', `Bearer ${'a'.repeat(43)}`],
    ['an empty key', 'Bearer '],
    ['the token instead of a key', 'TOKEN'],
    ['another scheme', 'Basic a2V5'],
    ['a very long key', `Bearer ${'a'.repeat(9000)}`],
  ])('refuses calls with %s', async (_, authorization) => {
    const given = authorization === 'TOKEN' ? `Bearer ${token}` : authorization;
    const { status, json } = await called('overview', {}, { authorization: given });
    expect([status, json.error]).toMatchObject([401, { code: 'wrong-key' }]);
  });

  it.each(['', 'x', 'a'.repeat(43)])('refuses to enter with the token %j', async (wrong) => {
    const { status, json } = await called('enter', { token: wrong }, { authorization: undefined });
    expect([status, json.error]).toMatchObject([401, { code: 'wrong-token' }]);
  });

  it('gives each tab a key of its own, as often as the link is opened', async () => {
    const again = await enter(service.url);
    again.close();
    expect(again.key).not.toBe(page.key);
    expect((await page.answer('overview', {})).ok).toBe(true);
  });

  it.each<[string, string, unknown, Headers, number, string]>([
    ['an unknown call', 'constructor', {}, {}, 404, 'unknown-call'],
    ['a body that is no object', 'overview', [], {}, 400, 'invalid-request'],
    ['a body that is no JSON', 'overview', '{', {}, 400, 'invalid-request'],
    ['a form, which needs no preflight', 'overview', '{}', { 'content-type': 'text/plain' }, 400, 'invalid-request'],
    ['a missing field', 'list', { client: 'c1' }, {}, 400, 'invalid-request'],
    ['a field of the wrong type', 'list', { client: 1, kind: 'tools' }, {}, 400, 'invalid-request'],
    ['an unknown field', 'overview', { surprise: 1 }, {}, 400, 'invalid-request'],
    ['an unknown kind of target', 'prepare', { target: { kind: '__proto__' } }, {}, 400, 'invalid-request'],
    [
      'a target with wrong fields',
      'prepare',
      { target: { kind: 'command', command: 'a' } },
      {},
      400,
      'invalid-request',
    ],
    ['an unknown client', 'remove', { client: 'c99' }, {}, 404, 'not-found'],
    ['an unknown offered server', 'prepare', { target: { kind: 'offered', name: 'toString' } }, {}, 404, 'not-found'],
  ])('refuses %s with an error that names it', async (_, name, body, headers, status, code) => {
    const answer = await called(name, body, headers);
    expect([answer.status, answer.json.error]).toMatchObject([status, { code }]);
  });

  it('refuses a body over the limit, whether its length is said or not', async () => {
    const large = { client: 'x'.repeat(4 * 1024 * 1024) };
    expect((await called('remove', large)).status).toBe(413);
    const chunked = await called('remove', large, { 'transfer-encoding': 'chunked' }).catch(() => ({ status: 413 }));
    expect(chunked.status).toBe(413);
  });

  it('sends a strict content policy with everything, and the page with Trusted Types', async () => {
    const { headers, status, text } = await send(service.url, { method: 'GET' });
    expect([200, 503]).toContain(status);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /);
    expect(headers['content-security-policy']).toContain("require-trusted-types-for 'script'");
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(text).not.toContain(token);
    const { headers: ofCall } = await called('overview', {});
    expect(ofCall).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
    expect(ofCall['access-control-allow-origin']).toBeUndefined();
  });

  it.each([
    '/../package.json',
    '/assets/../../package.json',
    '/assets/%2e%2e/x.js',
    '/.env',
    '/assets/',
    '/etc/passwd.js/x',
  ])('has no file at %s', async (path) => {
    const { status } = await send(origin, { method: 'GET' }).then(() => send(`${origin}${path}`, { method: 'GET' }));
    expect(status).toBe(404);
  });
});

describe('a command', () => {
  it('is started only after it was shown in full and confirmed, once, in the same tab', async () => {
    const { spawns } = await page.call('prepare', { target: { ...command, env: { API_KEY: 'k-1' } } });
    expect(spawns).toMatchObject({
      command: process.execPath,
      args: [program],
      env: { API_KEY: 'k-1' },
      cwd: process.cwd(),
    });
    const nonce = spawns?.nonce ?? '';
    const other = await enter(service.url);
    const refusals = [
      await page.answer('connect', { target: command }),
      await page.answer('connect', { target: command, nonce: 'guessed' }),
    ];
    for (const refusal of refusals)
      expect(refusal).toMatchObject({ ok: false, error: { code: 'confirmation-needed' } });
    const target = { ...command, env: { API_KEY: 'k-1' } };
    expect(await other.answer('connect', { target, nonce })).toMatchObject({ error: { code: 'confirmation-needed' } });
    // The attempt of the other tab has used it up.
    expect(await page.answer('connect', { target, nonce })).toMatchObject({ error: { code: 'confirmation-needed' } });
    other.close();
    expect((await page.call('overview', {})).clients).toEqual([]);
  });

  it('is not the one that was confirmed if anything of it differs', async () => {
    const spawn = { command: 'node', args: ['a'], env: { A: '1' }, cwd: '/x' };
    const now = { ms: 0 };
    const confirmations = new Confirmations(() => now.ms);
    const changes = [
      { command: 'sh' },
      { args: ['a', 'b'] },
      { args: ['b'] },
      { env: {} },
      { env: { A: '2' } },
      { cwd: '/y' },
    ];
    for (const change of changes) {
      const nonce = await confirmations.show(spawn, 't1');
      const used = confirmations.use(nonce, { ...spawn, ...change }, 't1');
      await expect(used).rejects.toThrow(/not the one that was confirmed/);
    }
    const late = await confirmations.show(spawn, 't1');
    now.ms += 5 * 60_000;
    await expect(confirmations.use(late, spawn, 't1')).rejects.toThrow(/expired/);
    const nonce = await confirmations.show(spawn, 't1');
    await confirmations.use(nonce, spawn, 't1');
    await expect(confirmations.use(nonce, spawn, 't1')).rejects.toThrow(/only after/);
  });

  it('that was confirmed runs, shows its output, and ends with its client; its variables are hidden', async () => {
    const target = { ...command, env: { API_KEY: 'k-99' } };
    const { spawns } = await page.call('prepare', { target });
    const { client } = await page.call('connect', { target, nonce: spawns?.nonce ?? '' });
    const ready = await page.event(
      'client',
      (event) => event.client.id === client.id && event.client.state === 'ready',
    );
    expect(ready.client).toMatchObject({ transport: 'stdio', target: { env: { API_KEY: '‹hidden›' } } });
    const started = await page.event('row', ({ row }) => row.kind === 'process' && row.summary.startsWith('started'));
    await page.call('remove', { client: client.id });
    await page.event('row', ({ row }) => row.connection === started.row.connection && row.summary.startsWith('exit'));
  });

  it('that does not exist fails with what to do', async () => {
    const target = { kind: 'command', command: 'no-such-program-here', args: [] } as const;
    const { spawns } = await page.call('prepare', { target });
    const { client } = await page.call('connect', { target, nonce: spawns?.nonce ?? '' });
    const failed = await page.event(
      'client',
      (event) => event.client.id === client.id && event.client.state === 'closed',
    );
    expect(failed.client.error).toMatchObject({ code: 'command-not-found', step: 'start', hint: expect.any(String) });
  });

  it('of a configuration file must be confirmed too', async () => {
    const configured = async () => [
      { name: 'files', file: '/x/.mcp.json', client: 'project', target: { command: 'npx' } },
    ];
    const own = await serveInspector({ configured });
    const visitor = await enter(own.url);
    const target = { kind: 'configured', name: 'files', file: '/x/.mcp.json' } as const;
    expect((await visitor.call('offered', {})).targets).toMatchObject([{ name: 'files', shown: 'npx', target }]);
    expect(await visitor.answer('connect', { target })).toMatchObject({ error: { code: 'confirmation-needed' } });
    visitor.close();
    await own.close();
  });
});

it.each([
  [{ limits: { maxEvents: 3 } }, 'limits.maxEvents is fixed at 200000. Remove it.'],
  [{ start: { server: 'nowhere' } }, 'start.server must be the name of a server of "servers"'],
  [{ start: { protocolVersion: '2020-01-01' } }, 'start.protocolVersion must be one of'],
  [{ token: 'short' }, 'token must be 32 to 200 letters'],
  [{ port: -1 }, 'port must be an integer, 0 to 65535'],
])('the option %j is refused', async (options, text) => {
  await expect(serveInspector(options as never)).rejects.toThrow(text);
});
