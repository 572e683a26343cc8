/** A server exits when its client closes: running calls are answered first, and nothing holds the process open. */

import { execFile as execFileThen, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import {
  call,
  eachLine,
  endAll,
  handshake,
  type Json,
  messagesIn,
  type RawProcess,
  resultText,
  startRaw,
} from '../../kit/process/raw-process.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

let file = '';
beforeAll(async () => {
  file = await bundledProgram('plain-server');
});
afterEach(endAll);

const execFile = promisify(execFileThen);
const folder = mkdtempSync(join(tmpdir(), 'tenon-end-'));
afterAll(() => rmSync(folder, { recursive: true }));

const inSession = (id: number, method: string, params: unknown): Json => ({ jsonrpc: '2.0', id, method, params });

describe('when its input closes', () => {
  it.each([
    ['nothing else running', {}],
    ['timers of its own running', { TIMERS: 'yes' }],
  ])('a server answers the running calls, then exits with 0, with %s [e-stdio-14]', async (_, env) => {
    const server = startRaw(file, { env });
    server.send(
      call(1, 'slow', { size: 300 }),
      call(2, 'echo', { text: 'at once' }),
      call(3, 'big', { size: 3_000_000 }),
    );
    server.child.stdin.end();
    expect(await server.ended).toEqual({ code: 0, signal: null });
    const answers = messagesIn(server.lines);
    expect(answers.map(({ id }) => id).sort()).toEqual([1, 2, 3]);
    expect(resultText(answers.find(({ id }) => id === 1) ?? {})).toBe('late');
    expect(resultText(answers.find(({ id }) => id === 3) ?? {})).toHaveLength(3_000_000);
  });

  it('a last message without a line end is answered too', async () => {
    const server = startRaw(file);
    server.child.stdin.end(JSON.stringify(call(1, 'echo', { text: 'last' })));
    expect(await server.ended).toEqual({ code: 0, signal: null });
    expect(messagesIn(server.lines).map(resultText)).toEqual(['last']);
  });

  it.each([
    ['in a session', inSession(2, 'tools/call', { name: 7 })],
    ['of 2026-07-28', call(2, 7 as never)],
  ])(
    'an invalid request %s is answered first, and the error names the invalid field [e-stdio-14]',
    async (_, wrong) => {
      const server = startRaw(file);
      server.send(handshake('2025-11-25'), { jsonrpc: '2.0', method: 'notifications/initialized' }, wrong);
      server.child.stdin.end();
      expect(await server.ended).toEqual({ code: 0, signal: null });
      const { error } = messagesIn(server.lines).find(({ id }) => id === 2) ?? {};
      expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(/params\.name/) });
    },
  );

  it('a batch is answered first, even if one of its requests is invalid', async () => {
    const server = startRaw(file);
    const right = inSession(1, 'tools/call', { name: 'echo', arguments: { text: 'received' } });
    server.send(handshake('2025-03-26'), [right, inSession(2, 'tools/call', undefined)]);
    server.child.stdin.end();
    expect(await server.ended).toEqual({ code: 0, signal: null });
    const batch = messagesIn(server.lines).find(Array.isArray) as unknown as Json[];
    expect(batch.map(({ id }) => id).sort()).toEqual([1, 2]);
  });

  it('a call that never ends is cancelled after shutdownMs', async () => {
    const server = startRaw(file, { env: { GRACE_MS: '100' } });
    server.send(call(1, 'stuck'), call(2, 'echo', { text: 'received' }));
    await server.answer(2);
    server.child.stdin.end();
    expect(await server.ended).toEqual({ code: 0, signal: null });
    expect(messagesIn(server.lines).map(({ id }) => id)).toEqual([2]);
  });
});

/** Starts another program and forwards its own input to it. The output of that program stays open when this one exits. */
const launcherScript = `
  const { spawn } = require('node:child_process');
  const client = spawn(process.execPath, process.argv.slice(1), { stdio: ['pipe', 'inherit', 'inherit'] });
  process.stdin.pipe(client.stdin);
`;

/** A client that forwards its input to the server, and prints the server's output. */
const clientScript = `
  const { spawn } = require('node:child_process');
  const server = spawn(process.execPath, process.argv.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] });
  process.stdin.pipe(server.stdin);
  server.stdout.pipe(process.stdout);
`;

it('a client that outlives its parent process gets the answers it waits for', async () => {
  const launcher = spawn(process.execPath, ['-e', launcherScript, '--', '-e', clientScript, '--', file]);
  const received: Json[] = [];
  eachLine(launcher.stdout, (line) => received.push(JSON.parse(line) as Json));
  const ended = once(launcher.stdout, 'close');
  for (const message of [call(1, 'slow', { size: 1000 }), call(2, 'echo', { text: 'received' })]) {
    launcher.stdin.write(`${JSON.stringify(message)}\n`);
  }
  await withTimeout(once(launcher.stdout, 'data'), 'the first answer');
  launcher.kill('SIGKILL');
  await withTimeout(ended, 'the client to end');
  expect(received.map(resultText)).toEqual(['received', 'late']);
});

it.skipIf(process.platform !== 'linux')(
  'a client gets the answers it waits for, even if the wrapper of its server exits before them',
  async () => {
    const wrapper = `exec 3<&0; "$0" "$1" <&3 3<&- & exec 3<&-; read line < "$2"; exit 0`;
    const leave = join(folder, 'leave');
    await execFile('mkfifo', [leave]);
    const child = spawn('/bin/sh', ['-c', wrapper, process.execPath, file, leave]);
    const received: Json[] = [];
    eachLine(child.stdout, (line) => received.push(JSON.parse(line) as Json));
    const ended = once(child.stdout, 'close');
    for (const message of [call(1, 'slow', { size: 1000 }), call(2, 'echo', { text: 'received' })]) {
      child.stdin.write(`${JSON.stringify(message)}\n`);
    }
    await withTimeout(once(child.stdout, 'data'), 'the first answer');
    const left = once(child, 'exit');
    await writeFile(leave, 'leave\n');
    await withTimeout(left, 'the wrapper to exit');
    child.stdin.end();
    await withTimeout(ended, 'the server to end');
    expect(received.map(resultText)).toEqual(['received', 'late']);
  },
);

describe.each(['SIGTERM', 'SIGINT'] as const)('on %s', (signal) => {
  it('a server answers the running calls, then exits with 0', async () => {
    const server = startRaw(file, { env: { TIMERS: 'yes' } });
    server.send(call(1, 'slow', { size: 300 }), call(2, 'echo', { text: 'received' }));
    await server.answer(2);
    server.child.kill(signal);
    expect(await server.ended).toEqual({ code: 0, signal: null });
    expect(resultText(await server.answer(1))).toBe('late');
  });

  it('a server that gets the signal twice exits at once', async () => {
    const server = startRaw(file, { env: { GRACE_MS: '60000' } });
    server.send(call(1, 'stuck'), call(2, 'echo', { text: 'received' }));
    await server.answer(2);
    server.child.kill(signal);
    await draining(server);
    server.child.kill(signal);
    expect(await server.ended).toEqual({ code: signal === 'SIGTERM' ? 143 : 130, signal: null });
  });
});

it('after the end of input, a signal cancels the running calls, and the server exits with 0', async () => {
  const server = startRaw(file, { env: { GRACE_MS: '60000', VERBOSE: 'yes' } });
  server.send(call(1, 'stuck'), call(2, 'echo', { text: 'received' }));
  await server.answer(2);
  server.child.stdin.end();
  await server.wrote('input ended');
  server.child.kill('SIGTERM');
  expect(await server.ended).toEqual({ code: 0, signal: null });
  expect(server.stderr()).toContain('stuck was cancelled');
});

/** Waits until the signal has arrived: from then on the server refuses new calls. */
async function draining(server: RawProcess): Promise<void> {
  for (let id = 100; id < 10_000; id++) {
    server.send(call(id, 'echo', { text: 'still there?' }));
    if ('error' in (await server.answer(id))) return;
  }
  throw new Error('It never began to drain.');
}

/** Starts the server with the given command, prints "ready" at its first output, and does not exit. */
const parentScript = `
  const { spawn } = require('node:child_process');
  const [messages, command, ...args] = process.argv.slice(1);
  const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  server.stdin.write(messages);
  if (process.env.HANGS_UP) server.stdin.end();
  server.stdout.once('data', () => console.log('ready'));
`;

/** Longer than any test runs: a server that waits for shutdownMs makes the test fail. */
const env = { PATH: process.env.PATH, GRACE_MS: '600000' };

const wrapped = ['/bin/sh', '-c', '"$0" "$@"; true', process.execPath];

describe('when its parent is killed', () => {
  it.each<[string, string, object, string[]]>([
    ['a call that never ends', 'stuck', {}, [process.execPath]],
    ['a call that ends after its client exited', 'slow', { size: 50 }, [process.execPath]],
    ['no running call', 'memory', {}, [process.execPath]],
    ['a call that never ends, started by a wrapper', 'stuck', {}, wrapped],
    ['a call that never ends, started by wrappers', 'stuck', {}, ['/bin/sh', '-c', '"$0" "$@"; true', ...wrapped]],
  ])('a server exits long before shutdownMs and logs no error, with %s', async (...row) => {
    const [, tool, args, command] = row;
    const calls = [call(1, tool, args as Json), call(2, 'echo', { text: 'received' })];
    expect(await killedAtFirstAnswer(calls, command)).toBe('serving\n');
  });

  it('a server exits also if its input ended long before', async () => {
    const calls = [call(1, 'stuck'), call(2, 'slow', { size: 500 })];
    expect(await killedAtFirstAnswer(calls, [process.execPath], { HANGS_UP: 'yes' })).toBe('serving\n');
  });
});

it.each([
  ['a file', '>"$3"', ''],
  ['another process', '| cat >"$3"', ''],
  ["the reader of the script's output", '', '| cat >"$3"'],
])('a server whose answers go to %s sends them, even if the script that started it has exited', async (_, to, all) => {
  const [requests, answers] = [join(folder, 'requests'), join(folder, 'answers')];
  const handshaken = [handshake(), { jsonrpc: '2.0', method: 'notifications/initialized' }];
  const slow = inSession(1, 'tools/call', { name: 'slow', arguments: { size: 600 } });
  await writeFile(requests, [...handshaken, slow].map((each) => `${JSON.stringify(each)}\n`).join(''));
  // Standard error closes when all processes have exited.
  const script = `cat "$2" | "$0" "$1" ${to} & read line`;
  const both = all === '' ? script : `/bin/sh -c '${script}' "$0" "$1" "$2" ${all}`;
  const shell = spawn('/bin/sh', ['-c', both, process.execPath, file, requests, answers]);
  const ended = shell.stderr.setEncoding('utf8').toArray();
  await withTimeout(once(shell.stderr, 'data'), 'the server');
  shell.stdin.end();
  await withTimeout(ended, 'the server to end');
  expect(messagesIn((await readFile(answers, 'utf8')).trim().split('\n')).map(resultText)).toContain('late');
});

/** Kills a client of the server at its first answer. Resolves when the server has exited, with its standard error. */
async function killedAtFirstAnswer(
  calls: Json[],
  command: string[],
  more: Record<string, string> = {},
): Promise<string> {
  const messages = calls.map((each) => `${JSON.stringify(each)}\n`).join('');
  const args = ['-e', parentScript, '--', messages, ...command, file];
  const parent = spawn(process.execPath, args, { env: { ...env, ...more } });
  // The server writes to the standard error of its parent, which closes when both have exited.
  const ended = parent.stderr.setEncoding('utf8').toArray();
  await withTimeout(once(parent.stdout, 'data'), 'the first answer');
  parent.kill('SIGKILL');
  const written = await withTimeout(ended, 'the server to end');
  return written.join('');
}
