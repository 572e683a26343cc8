/** Every command does what its help says, prints results only to standard output, and exits with the documented code. */
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveHttp } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import server from './fixtures/server.ts';
import { typed } from './terminal.ts';

let url = '';
let close: () => Promise<unknown>;
let folder = '';
beforeAll(async () => {
  const service = await serveHttp(server, { port: 0 });
  url = String(service.url);
  close = () => service.close();
  folder = mkdtempSync(join(tmpdir(), 'tenon-cli-'));
});
afterAll(async () => {
  await close();
  rmSync(folder, { recursive: true });
});

const result = (out: string): unknown => JSON.parse(out).result;

describe('tenon', () => {
  it('info shows the server, the protocol version and what it offers [S31]', async () => {
    const { code, out } = await typed(`tenon info ${url}`);
    expect(code).toBe(0);
    expect(out).toMatch(/server\s+typed 1\.2\.3\nprotocol\s+2026-07-28\noffers\s+.*tools/);
    expect(out).toContain('Call add.');
  });

  it('uses the protocol version of --protocol-version', async () => {
    const { out } = await typed(`tenon info ${url} --protocol-version 2025-06-18 --json`);
    expect(result(out)).toMatchObject({ protocolVersion: '2025-06-18', serverInfo: { name: 'typed' } });
  });

  it.each([
    ['tools', /^add\(a: number, b: number\)\n {4}Adds two numbers$/m],
    ['resources', /^notes:\/\/one\s+the first$/m],
    ['prompts', /^hello\(\)\n {4}Greets$/m],
    ['templates', /^No templates\.$/m],
  ])('%s lists them, and with --json as the server sent them', async (list, line) => {
    const { code, out } = await typed(`tenon ${list} ${url}`);
    expect(code).toBe(0);
    expect(out).toMatch(line);
    const { out: json } = await typed(`tenon ${list} ${url} --json`);
    expect(JSON.parse(json)).toMatchObject({ tenon: 1, command: list, ok: true, result: expect.any(Array) });
  });

  it('has the code of an error of the server in the envelope [S31]', async () => {
    const { code, out } = await typed(`tenon read ${url} nope:none --json`);
    expect(code).toBe(7);
    expect(JSON.parse(out)).toMatchObject({ ok: false, error: { rpc: { code: -32602 } } });
  });

  it('tools NAME shows one of them in full, and suggests the nearest name', async () => {
    const { out } = await typed(`tenon tools ${url} add --json`);
    expect(result(out)).toMatchObject({ inputSchema: { type: 'object' } });
    const { code, err } = await typed(`tenon tools ${url} peeple`);
    expect(code).toBe(2);
    expect(err).toContain('Did you mean people?');
  });

  it.each([
    ['add a=1 b=2', '3\n'],
    ['add a:=1 b:=2.5', '3.5\n'],
    ['add {"a":1,"b":4}', '5\n'],
    ['add --args {"a":2,"b":4}', '6\n'],
    ['echo value=x', '"x"\n'],
    ['echo value:=[1]', '[1]\n'],
    ['echo value.inner=x', '{"inner":"x"}\n'],
    ['people', 'name  born\nAda   1815\n'],
    ['mixed', 'One person\n[image] image/png, 3 bytes (save it with --save DIR)\nname\nAda\n'],
  ])('call %s prints %j', async (words, expected) => {
    expect(await typed(`tenon call ${url} ${words}`)).toEqual({ code: 0, out: expected, err: '' });
  });

  it('call reads its arguments from standard input with --args -', async () => {
    const { out } = await typed(`tenon call ${url} add --args -`, { readInput: async () => '{"a":3,"b":3}' });
    expect(out).toBe('6\n');
  });

  it.each([
    ['a tool that fails', 'call URL fails', 1, /The tool fails failed/],
    ['an unknown tool', 'call URL nothing', 2, /The server has add, people, mixed, echo, fails/],
    ['a mistyped tool', 'call URL ad', 2, /Did you mean add\?/],
    ['an argument of the wrong type', 'call URL add a=x b=1', 2, /a cannot be "x": it must be number/],
    ['a word that is no argument', 'call URL add x', 2, /Write name=value/],
    ['invalid JSON', 'call URL add a:={', 2, /a is not JSON/],
    ['a missing word', 'call URL', 2, /TOOL is missing/],
    ['a word too many', 'read URL notes://one more', 2, /one word too many/],
    ['an unknown command', 'cal URL', 2, /Did you mean call\?/],
    ['an unknown option', 'tools URL --jsn', 2, /Did you mean --json\?/],
    ['an option named as a member of objects', 'tools URL --constructor', 2, /There is no option "--constructor"/],
    ['an unknown option before the command', '--jsno tools URL', 2, /Did you mean --json\?/],
    ['an option before the command', '--timeout 5 tools URL', 2, /Options stand after the command/],
    ['help on an unknown command', 'help cal', 2, /Did you mean call\?/],
    ['a count without end', 'ping URL -n 1e999', 2, /Write a whole number above 0/],
    ['a count of parts', 'ping URL -n 1.5', 2, /--count cannot be "1\.5"\. Write a whole number above 0/],
    ['a time below 0', 'ping URL --timeout -1', 2, /--timeout/],
    ['a resource that the server does not have', 'read URL notes://none', 7, /^tenon: notes:\/\/none: Resource not/],
    ['an option without its value', 'tools URL --timeout', 2, /--timeout needs a value/],
    ['a wrong protocol version', 'tools URL --protocol-version 2020', 2, /It can be 2024-11-05/],
    ['no target', 'tools', 2, /No server was named/],
    ['an option that has no effect', 'tools URL --env A=b', 2, /--env has no effect on a URL/],
    ['a server that cannot be reached', 'tools http://127.0.0.1:9/mcp', 3, /127\.0\.0\.1:9/],
    ['an unknown name', 'tools nowhere', 2, /There is no server named "nowhere"/],
    ['a prompt that the server does not have', 'get URL nothing', 7, /nothing/],
  ])('%s exits with its code and says what to do', async (_, line, expected, message) => {
    const { code, out, err } = await typed(`tenon ${line.replace('URL', url)}`);
    expect(code).toBe(expected);
    expect(`${out}${err}`).toMatch(message);
  });

  it('--json prints an error in the same envelope', async () => {
    const { code, out, err } = await typed(`tenon call ${url} ad --json`);
    expect(code).toBe(2);
    expect(JSON.parse(out)).toMatchObject({ tenon: 1, ok: false, error: { code: 'invalid-argument' } });
    expect(err).toBe('');
  });

  it('--json may stand before the command, and is an envelope without one', async () => {
    const { code, out } = await typed(`tenon --json ping ${url}`);
    expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 0, command: 'ping', ok: true });
    const alone = await typed('tenon --json');
    expect({ code: alone.code, ...JSON.parse(alone.out) }).toMatchObject({ code: 2, command: 'tenon', ok: false });
  });

  it('sends user and password of a URL, and shows no password', async () => {
    const seen: unknown[] = [];
    const guarded = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(401).end();
    });
    await once(guarded.listen(0, '127.0.0.1'), 'listening');
    const { port } = guarded.address() as AddressInfo;
    const { code, out, err } = await typed(`tenon tools http://ada:s3cret@127.0.0.1:${port}/mcp --json`);
    guarded.close();
    expect(code).toBe(4);
    expect(seen[0]).toBe(`Basic ${btoa('ada:s3cret')}`);
    expect(out + err).not.toContain('s3cret');
  });

  it('read, get, complete and ping work', async () => {
    expect((await typed(`tenon read ${url} notes://one`)).out).toBe('a note\n');
    expect((await typed(`tenon get ${url} hello`)).out).toBe('user Hello\n');
    expect((await typed(`tenon ping ${url} -n 2`)).out).toMatch(/^(answered in [\d.]+ ms\n){2}$/);
    expect((await typed(`tenon ping ${url} --protocol-version 2025-11-25`)).code).toBe(0);
  });

  it('connects to a server that it finds by name in a configuration, and names both files if there are two', async () => {
    const config = join(folder, 'servers.json');
    writeFileSync(config, `{ // the team's servers\n "mcpServers": { "numbers": { "url": "${url}" }, } }`);
    expect((await typed(`tenon call numbers add a=1 b=1 --config ${config}`)).out).toBe('2\n');
    const project = { cwd: folder, env: { HOME: folder } };
    writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: { numbers: { url } } }));
    writeFileSync(join(folder, '.claude.json'), JSON.stringify({ mcpServers: { numbers: { url: `${url}x` } } }));
    const both = await typed('tenon tools numbers', project);
    expect(both.code).toBe(2);
    expect(both.err).toMatch(/\.mcp\.json, .*\.claude\.json.*numbers@project/);
    expect((await typed('tenon tools numbers@project', project)).code).toBe(0);
    const unused = await typed('tenon tools numbers@project --cwd x', project);
    expect(unused).toMatchObject({ code: 2, err: expect.stringContaining('--cwd has no effect on a URL') });
  });

  it('names the line of a configuration file that is not JSON, and goes on without it', async () => {
    const broken = join(folder, '.cursor');
    mkdirSync(broken);
    writeFileSync(join(broken, 'mcp.json'), '{\n "mcpServers": {\n');
    const { err } = await typed('tenon tools nowhere', { cwd: folder, env: { HOME: join(folder, 'none') } });
    expect(err).toMatch(/\.cursor\/mcp\.json is skipped: it is not JSON: \w+ in line 3\.\n/);
    expect(err).toContain('There is no server named "nowhere"');
    rmSync(broken, { recursive: true });
  });

  it('starts a command of a configuration in the folder of --cwd, and refuses options that it cannot use', async () => {
    const servers = { mcpServers: { own: { command: process.execPath, args: ['-e', '0'] } } };
    writeFileSync(join(folder, 'commands.json'), JSON.stringify(servers));
    const config = ['--config', join(folder, 'commands.json')];
    const elsewhere = await typed(['tenon', 'tools', 'own', '--cwd', join(folder, 'nowhere'), ...config]);
    expect(elsewhere).toMatchObject({ code: 3, err: expect.stringMatching(/does not exist: .*nowhere/) });
    const unused = await typed(['tenon', 'tools', 'own', '-H', 'a: b', ...config]);
    expect(unused).toMatchObject({ code: 2, err: expect.stringContaining('--header has no effect on a command') });
  });

  it('starts a command after --, with the variables of --env', async () => {
    const script = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const m = JSON.parse(line);
      const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: process.env.NAME, version: '1' } };
      console.log(JSON.stringify(m.method === 'initialize' ? { jsonrpc: '2.0', id: m.id, result }
        : { jsonrpc: '2.0', id: m.id, error: { code: -32601, message: 'no' } })); });`;
    const { out } = await typed(['tenon', 'info', '--json', '-e', 'NAME=given', '--', process.execPath, '-e', script]);
    expect(result(out)).toMatchObject({ serverInfo: { name: 'given' } });
  });

  it('help lists every command and shows examples, without loading a command', async () => {
    const { code, out } = await typed('tenon --help');
    expect(code).toBe(0);
    for (const name of ['info', 'ping', 'tools', 'call', 'read', 'get', 'complete'])
      expect(out).toContain(`  ${name} `);
    expect((await typed('tenon call --help')).out).toContain('tenon call TARGET TOOL [ARGUMENTS…] [OPTIONS]');
    expect((await typed('tenon help call')).out).toContain('Examples');
    expect(await typed('tenon help --json')).toEqual(await typed('tenon help'));
    expect((await typed('tenon')).code).toBe(2);
    expect((await typed('tenon --version')).out).toBe('9.9.9\n');
  });
});
