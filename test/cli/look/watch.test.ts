/** `tenon watch` shows changes and logs as they come, until enough were shown or it is interrupted. */
import { createServer, type HttpService, resource, type Server, serveHttp, tool } from 'tenon';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { deferred } from '../../kit/deferred.ts';
import { typed } from '../terminal.ts';

let server: Server;
let service: HttpService;
beforeEach(async () => {
  server = createServer({
    name: 'changing',
    version: '1.0.0',
    tools: { one: tool({}, () => '1') },
    resources: { 'notes://one': resource({}, () => 'a note') },
  }) as unknown as Server;
  service = await serveHttp(server, { port: 0 });
});
afterEach(() => service.close());

/** Starts watching; `ready` resolves with what is watched. */
function watching(line: string, signal?: AbortSignal) {
  const ready = deferred<string>();
  const ended = typed(`tenon watch ${service.url} ${line}`, {
    err: (text) => ready.resolve(text),
    now: () => 0,
    ...(signal && { signal }),
  });
  return { ready: ready.promise, ended };
}

it.each(['2025-11-25', '2026-07-28'])('watch shows changed lists and resources of %s [S32]', async (revision) => {
  const { ready, ended } = watching(`notes://one -n 2 --json --protocol-version ${revision}`);
  expect(await ready).toMatch(/watching tools, resources, notes:\/\/one/);
  server.sendResourceUpdated('notes://one');
  server.update((draft) => {
    draft.tools.two = tool({}, () => '2');
  });
  const { code, out } = await ended;
  expect(code).toBe(0);
  const [first, second, last] = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const events = [first, second].map(({ result }) => result).sort((a, b) => a.event.localeCompare(b.event));
  expect(events).toEqual([
    { at: '1970-01-01T00:00:00.000Z', event: 'resource', uri: 'notes://one' },
    { at: '1970-01-01T00:00:00.000Z', event: 'tools' },
  ]);
  expect(last).toMatchObject({ tenon: 1, command: 'watch', ok: true, result: { events: 2 } });
});

it('watch shows logs from the level of --level on, until Ctrl+C [S32]', async () => {
  const interrupt = new AbortController();
  const shown = deferred();
  const ready = deferred<string>();
  let out = '';
  const ended = typed(`tenon watch ${service.url} --level warning --protocol-version 2025-11-25`, {
    signal: interrupt.signal,
    err: (text) => ready.resolve(text),
    now: () => 0,
    out(text) {
      out += text;
      shown.resolve();
    },
  });
  expect(await ready.promise).toContain('logs');
  server.log('info', 'not this');
  server.log('error', { lost: '\u001b[2J' }, 'db');
  await shown.promise;
  interrupt.abort();
  expect((await ended).code).toBe(0);
  expect(out).toBe('00:00:00 error db: {"lost":"\\u001b[2J"}\n');
});

it.each([
  ['a level that there is not', '--level loud', 2, /--level cannot be "loud"\. It can be debug/],
  ['a count that is none', '-n some', 2, /--count cannot be "some"/],
])('watch refuses %s', async (_, line, expected, message) => {
  const { code, err } = await typed(`tenon watch ${service.url} ${line}`);
  expect(err).toMatch(message);
  expect(code).toBe(expected);
});

it('watch says so if the server reports nothing', async () => {
  const silent = createServer({ name: 'silent', version: '1.0.0', capabilities: { logging: false } });
  await using own = { service: await serveHttp(silent, { port: 0 }), [Symbol.asyncDispose]: () => own.service.close() };
  const { code, err } = await typed(`tenon watch ${own.service.url}`);
  expect(err).toContain('The server reports no changes and no logs.');
  expect(code).toBe(7);
});

it('watch exits with 3 when the server is gone for good', async () => {
  const script = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    const result = { protocolVersion: '2025-11-25', capabilities: { tools: { listChanged: true } }, serverInfo: { name: 's', version: '1' } };
    if (method === 'notifications/initialized') process.exit(0);
    console.log(JSON.stringify(method === 'initialize' ? { jsonrpc: '2.0', id, result }
      : { jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } })); });`;
  const { code, err } = await typed(['tenon', 'watch', '--', process.execPath, '-e', script]);
  expect(code).toBe(3);
  expect(err).toMatch(/closed|ended|exited/);
});
