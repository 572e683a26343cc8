/** Whenever a server dies, the waiting calls fail with its exit code or signal and its standard error. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CommandTarget, type ConnectOptions, connect, type TenonError, toText } from 'tenon';
import { expect, it } from 'vitest';
import { program, rawServerScript, staying } from '../../kit/process/node-script.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

/** They exit by themselves, sooner or later. */
const shell = (script: string): CommandTarget => ({
  command: '/bin/sh',
  args: ['-c', script],
  stderr: 'ignore',
  exitTimeoutMs: 60_000,
});

/** After as long again it would be killed, which must not happen before it has the first signal. */
const exitTimeoutMs = 2000;

async function failure(command: CommandTarget, options: ConnectOptions = {}): Promise<TenonError> {
  try {
    await (await connect(command, { onWarning: () => {}, ...options })).close();
  } catch (error) {
    return error as TenonError;
  }
  throw new Error('It connected.');
}

it.each<[string, ConnectOptions]>([
  ['with server/discover', {}],
  ['with the handshake only', { protocolVersions: ['2025-06-18'] }],
])('60 of 60 servers that exit before they read give exit code and standard error, %s', async (_, options) => {
  for (let n = 0; n < 60; n++) {
    const error = await failure(shell('echo no API key >&2; exit 3'), options);
    expect(error).toMatchObject({ code: 'server-exited', details: { code: 3, stderr: ['no API key'] } });
  }
});

it('a server that closes its input and exits later gives exit code and standard error', async () => {
  const error = await failure(shell('exec 0<&-; echo no API key >&2; sleep 0.05; exit 3'));
  expect(error).toMatchObject({ code: 'server-exited', details: { code: 3, stderr: ['no API key'] } });
});

it('a server that closes its input and does not exit is stopped, and the error says so', async () => {
  const script = rawServerScript(
    `
    process.stdin.once('close', () => reply('closed', require('node:fs').closeSync(0))).destroy();
  `,
    staying,
  );
  const client = await connect(program(script, { exitTimeoutMs }), {
    protocolVersions: ['2025-06-18'],
    reconnect: false,
  });
  expect(toText(await client.tools.call('any'))).toBe('closed');
  const failed = () => client.tools.call('any', {}, { timeoutMs: 10_000 }).catch((reason: TenonError) => reason);
  let error = await failed();
  // A process that another test starts at this moment may still hold a copy of the closed input, which takes the call.
  while ((error as TenonError).code === 'timeout') error = await failed();
  expect(error).toMatchObject({ cause: { code: 'server-exited', details: { signal: 'SIGTERM' } } });
  expect((error as TenonError).message).toContain('closed its standard input');
  await client.close();
});

it('a server that closes its output and does not exit is stopped, and the error says so', async () => {
  const script = `require('node:fs').closeSync(1); ${staying}`;
  const error = await failure(program(script, { exitTimeoutMs }), { protocolVersions: ['2025-06-18'] });
  expect(error).toMatchObject({ code: 'server-exited', details: { signal: 'SIGTERM' } });
  expect(error.message).toContain('closed its standard output');
});

it('the error contains what the server printed to its output before it died', async () => {
  const script = `console.log(['cannot', 'find', 'config.json'].join(' ')); process.exit(1)`;
  const error = await failure(program(script));
  expect(error).toMatchObject({ code: 'server-exited', details: { stdout: ['cannot find config.json'] } });
  expect(error.message).toContain('cannot find config.json');
});

it('the lines in the error are those that the server printed, blank and indented ones included', async () => {
  const script = `process.stdout.write('\\nusage: program\\n\\n  --port <port>\\r\\n \\nrest\\nmore\\n'); process.exit(1)`;
  const error = await failure(program(script));
  expect(error).toMatchObject({ details: { stdout: ['', 'usage: program', '', '  --port <port>', ' '] } });
});

it('blank lines between messages do not take the place of what a connected server prints', async () => {
  const script = rawServerScript(`
    if (message.params.name === 'die') { console.log('last words'); process.exit(7); }
    process.stdout.write('\\n\\n\\n\\n\\n\\n');
    reply(message.params.name);
  `);
  const client = await connect(program(script), { protocolVersions: ['2025-06-18'], reconnect: false });
  expect(toText(await client.tools.call('hello'))).toBe('hello');
  const error = await client.tools.call('die').catch((reason: TenonError) => reason);
  expect(error).toMatchObject({ cause: { code: 'server-exited', details: { stdout: ['last words'] } } });
  await client.close();
});

it('a server that exits before it reads server/discover is started once more with the handshake, each time', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-deaths-'));
  const greeting = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    result: { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'shell', version: '1' } },
  });
  try {
    for (let n = 0; n < 40; n++) {
      const once = `[ -e ${folder}/${n} ] || { touch ${folder}/${n}; exit 1; }`;
      const script = `${once}; read line; printf '%s\\n' '${greeting}'; while read line; do :; done`;
      const client = await connect(shell(script), { protocolVersions: ['2026-07-28', '2025-06-18'] });
      expect(client.protocolVersion).toBe('2025-06-18');
      await client.close();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('a server that exits at server/discover gets the handshake first the next time', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-deaths-'));
  const script = `
    require('node:fs').appendFileSync(${JSON.stringify(join(folder, 'starts'))}, 'x');
    ${rawServerScript('').replace(/(if \(message.method === 'server\/discover'\)).*/, '$1 process.exit(1);')}
  `;
  try {
    for (let n = 0; n < 3; n++) await (await connect(program(script))).close();
    expect(readFileSync(join(folder, 'starts'), 'utf8')).toBe('xxxx');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('if a server dies while large calls are written, every call fails with exit code and standard error', async () => {
  const script = rawServerScript(`
    if (message.params.name === 'die') { console.error('last words'); process.exit(7); }
    reply(message.params.name);
  `);
  for (let n = 0; n < 5; n++) {
    const client = await connect(program(script), { protocolVersions: ['2025-06-18'], reconnect: false });
    expect(toText(await client.tools.call('hello'))).toBe('hello');
    const failed: TenonError[] = [];
    const calls = [client.tools.call('die').catch((error: TenonError) => failed.push(error))];
    const text = 'x'.repeat(200_000);
    for (let more = 0; more < 2000 && failed.length === 0; more++) {
      calls.push(client.tools.call('other', { text }).catch((error: TenonError) => failed.push(error)) as never);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await withTimeout(Promise.all(calls), 'the calls to fail');
    for (const error of failed) {
      expect(error).toMatchObject({
        code: expect.stringMatching(/^(outcome-unknown|connection-closed)$/),
        cause: { code: 'server-exited', details: { code: 7, stderr: ['last words'] } },
      });
    }
    await client.close();
  }
});
