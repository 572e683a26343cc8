/** `DEMO_STORE=sqlite:… npm start`: sessions survive a restart, without npm and the setup. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../architecture/source-tree.ts';
import { call, sessionAt, startSession } from '../kit/http/messages.ts';
import { demoArgs } from './demo-program.ts';

interface Demo {
  readonly url: string;
  readonly store: string;
  kill(): Promise<void>;
}

async function start(store: string): Promise<Demo> {
  const child: ChildProcess = spawn(process.execPath, [...demoArgs], {
    cwd: root,
    env: { ...process.env, PORT: '0', DEMO_STORE: store, DEMO_SECRET: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  const url = String((await lines.next()).value).replace(/^ready /, '');
  const kill = async (): Promise<void> => {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  return { url, store: String((await lines.next()).value), kill };
}

test('a session survives a restart of the demo that was killed [S20]', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'demo-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'data', 'demo.db');
  const first = await start(`sqlite:${file}`);
  expect(first.store).toBe('Store: sqlite, durability: disk');
  const session = await startSession(first.url, '2025-11-25');
  await first.kill();
  const second = await start(`sqlite:${file}`);
  const { text } = await sessionAt(second.url, session).post(call('add', { a: 2, b: 3 }));
  expect(text).toContain('sum');
  expect(statSync(`${file}.secret`).mode & 0o077).toBe(0);
});
