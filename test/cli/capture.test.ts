/** Captures are replayed as servers and tested against by commands. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, serveHttp } from 'tenon';
import { captureToFile } from 'tenon/capture';
import { createMemoryTransports } from 'tenon/transport';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import server from './fixtures/server.ts';
import { typed } from './terminal.ts';

let folder = '';
let file = '';
let url = '';
let close: () => Promise<unknown>;

/** Calls `add`, `people` and a tool that the server does not have, and reads a note. */
async function record(path: string): Promise<void> {
  const capture = captureToFile(path);
  const client = await connect(server as never, { tap: capture.tap, protocolVersions: ['2025-11-25'] });
  await client.tools.list().all();
  await client.tools.call('add', { a: 1, b: 2 } as never);
  await client.tools.call('people');
  await client.resources.read('notes://one');
  await client.close();
  capture.end();
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tenon-cli-capture-'));
  file = join(folder, 'session.mcp.ndjson');
  await record(file);
  const service = await serveHttp(server, { port: 0 });
  url = String(service.url);
  close = () => service.close();
});
afterAll(async () => {
  await close();
  rmSync(folder, { recursive: true });
});

/** Runs a command that serves until it is interrupted, once it has printed its address. */
async function serving(line: string, use: (url: string) => Promise<void>): Promise<number> {
  const interrupt = new AbortController();
  let ready: (url: string) => void = () => {};
  const address = new Promise<string>((resolve) => {
    ready = resolve;
  });
  const out = (text: string): void => ready(/http:\S+/.exec(text)?.[0] ?? text);
  const ended = typed(line, { out, signal: interrupt.signal });
  await use(await Promise.race([address, ended.then(({ err }) => Promise.reject(new Error(err)))]));
  interrupt.abort();
  return (await ended).code;
}

describe('tenon replay', () => {
  it('serves a capture over HTTP until Ctrl+C [S31]', async () => {
    const code = await serving(`tenon replay ${file} --serve 0`, async (address) => {
      expect((await typed(`tenon call ${address} add a=1 b=2`)).out).toBe('3\n');
      expect((await typed(`tenon read ${address} notes://one`)).out).toBe('a note\n');
      const { code: unknown, err } = await typed(`tenon call ${address} add a=2 b=2`);
      expect(unknown).toBe(7);
      expect(err).toContain('The capture has no such tools/call');
    });
    expect(code).toBe(0);
  });

  it('serves a client that has started it, until the client closes', async () => {
    const [own, other] = createMemoryTransports();
    const ended = typed(`tenon replay ${file}`, { openStdio: async () => own });
    const client = await connect(other);
    expect((await client.tools.call('people')).structuredContent).toBeDefined();
    await client.close();
    expect(await ended).toEqual({ code: 0, out: '', err: 'tenon: the capture has no such server/discover.\n' });
  });

  it('injects the faults of a file', async () => {
    const faults = join(folder, 'faults.json');
    writeFileSync(faults, '[{ "on": "tools/call", "do": "error" }]');
    const code = await serving(`tenon replay ${file} --serve 0 --faults ${faults}`, async (address) => {
      expect((await typed(`tenon call ${address} people`)).err).toContain('A fault of the replay');
    });
    expect(code).toBe(0);
  });

  it('makes the recorded calls at a target', async () => {
    const { code, out } = await typed(`tenon replay ${file} ${url}`);
    expect(code).toBe(0);
    expect(out).toMatch(/^tools\/call add \{"a":1,"b":2\}: answered in [\d.]+ ms$/m);
    expect(out).toMatch(/4 calls, 0 with an error that was not recorded\n$/);
    const { out: json } = await typed(`tenon replay ${file} ${url} --json`);
    expect(JSON.parse(json).result[1]).toMatchObject({ method: 'tools/call', params: { name: 'add' }, result: {} });
  });

  it.each([
    ['no file', 'replay', 2, /FILE is missing/],
    ['a file that does not exist', 'replay nowhere.ndjson', 2, /There is no file .*nowhere\.ndjson/],
    ['a file that is no capture', 'replay FOLDER/no.json', 2, /This is not a capture/],
    ['a port that is none', 'replay FILE --serve x', 2, /--serve cannot be "x".*Write a port/],
    ['a server and a target', 'replay FILE URL --serve 0', 2, /--serve has no effect with a target/],
    ['JSON on stdio', 'replay FILE --json', 2, /--json cannot be used on stdio/],
    ['faults that are no JSON', 'replay FILE --faults FOLDER/no.json', 2, /is not JSON/],
    ['calls that the capture does not have', 'test FILE URL --only mul', 2, /no call of mul.*It has .*add/],
    ['a test without a target', 'test FILE', 2, /No server was named/],
  ])('%s is refused with what to do', async (_, line, expected, message) => {
    writeFileSync(join(folder, 'no.json'), 'no');
    const words = line.replace('FILE', file).replace('URL', url).replace('FOLDER', folder);
    const { code, out, err } = await typed(`tenon ${words}`);
    expect(`${out}${err}`).toMatch(message);
    expect(code).toBe(expected);
  });
});

describe('tenon test', () => {
  it('exits with 0 if every result is as recorded [S31]', async () => {
    const { code, out } = await typed(`tenon test ${file} ${url}`);
    expect(out).toMatch(/^✓ tools\/call add \{"a":1,"b":2\}$/m);
    expect(out).toMatch(/4 calls, all as recorded\n$/);
    expect(code).toBe(0);
    expect((await typed(`tenon test ${file} ${url} --only add`)).out).toContain('1 call, all as recorded');
  });

  it('shows what differs, and exits with 1', async () => {
    const changed = join(folder, 'changed.mjs');
    const tenon = new URL('../../src/index.ts', import.meta.url).href;
    writeFileSync(
      changed,
      `import { createServer, tool } from ${JSON.stringify(tenon)};
      export default createServer({ name: 'typed', version: '2', tools: { add: tool({}, () => '4') } });`,
    );
    const { code, out } = await typed(`tenon test ${file} ${changed} --only add --only people`);
    expect(code).toBe(1);
    expect(out).toContain('    content[0].text\n      - "3"\n      + "4"\n');
    expect(out).toMatch(/^✗ tools\/call people$/m);
    expect(out).toMatch(/2 calls, 2 not as recorded\n$/);
    const { out: json } = await typed(`tenon test ${file} ${changed} --only add --json --ignore content`);
    expect(JSON.parse(json)).toMatchObject({ ok: true, result: { calls: 1, different: [] } });
  });
});
