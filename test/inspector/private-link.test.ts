/** `tenon inspect --open`: the program that opens the browser gets nothing that another user of the machine could enter with. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { program } from '../cli/program.ts';
import { requires } from '../kit/requires.ts';
import { withTimeout } from '../kit/with-timeout.ts';
import { enter } from './page.ts';

/** A program in the place of `xdg-open`: it connects to the test, and runs as long as the test needs it. */
async function opener(): Promise<{ path: string; started: Promise<[Socket]> }> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const folder = mkdtempSync(join(tmpdir(), 'tenon-opener-'));
  const file = join(folder, 'xdg-open');
  const { port } = listener.address() as AddressInfo;
  const code = `const socket = require('node:net').connect(${port}, '127.0.0.1', () => socket.write(String(process.pid)));`;
  writeFileSync(file, `#!${process.execPath}\n${code}\n`);
  chmodSync(file, 0o755);
  const started = once(listener, 'connection') as Promise<[Socket]>;
  onTestFinished(async () => {
    listener.close();
    (await started)[0].destroy();
    rmSync(folder, { recursive: true });
  });
  return { path: `${folder}:${process.env.PATH}`, started };
}

/** The arguments of a program, as every user of the machine can read them. */
const argumentsOf = (pid: string): string[] => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);

/** The arguments of every program that runs. */
const everyArgument = (): string =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return argumentsOf(pid).join(' ');
      } catch {
        return ''; // It has ended.
      }
    })
    .join('\n');

/** What a stream begins with, up to the end of what is looked for. */
async function textOf(stream: NodeJS.ReadableStream, wanted: RegExp): Promise<string> {
  let text = '';
  while (!wanted.test(text)) text += String((await withTimeout(once(stream, 'data'), String(wanted)))[0]);
  return text;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGINT');
  await exited;
}

it('a token that works once is in a private file, and none in the arguments of a program [S32]', async (context) => {
  requires(context, existsSync('/proc/self/cmdline') ? undefined : 'no /proc, which shows arguments');
  const { path, started } = await opener();
  const { command, args } = program('inspect', '--open');
  const child = spawn(command, args, {
    env: { ...process.env, PATH: path, DISPLAY: ':0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => end(child));
  const [, printed = ''] = /token=([\w-]+)/.exec(await textOf(child.stdout, /token=[\w-]{43}/)) ?? [];
  const [socket] = await withTimeout(started, 'the program that opens the browser');
  const opened = argumentsOf(await textOf(socket, /\d/)).at(-1) ?? '';
  expect(opened).toMatch(/^file:.*\.html$/);
  const file = fileURLToPath(opened);
  expect([statSync(file).mode & 0o777, statSync(dirname(file)).mode & 0o777]).toEqual([0o600, 0o700]);
  const [, link = '', single = ''] = /url=(http:[^"]*token=([\w-]+))/.exec(readFileSync(file, 'utf8')) ?? [];
  const running = everyArgument();
  expect(running).toContain(opened);
  for (const token of [printed, single]) {
    expect(token).toHaveLength(43);
    expect(running).not.toContain(token);
  }

  const tab = await enter(link);
  expect(tab.key).not.toBe(single);
  expect(await tab.call('overview', {})).toMatchObject({ clients: [] });
  tab.close();
  await expect(enter(link)).rejects.toMatchObject({ code: 'wrong-token' });
  await end(child);
  expect(existsSync(dirname(file))).toBe(false);
});
