/** `DEMO_STORE=sqlite:… npm start`: sessions survive a restart, without npm and the setup. */
import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { call, sessionAt, startSession } from '../kit/http/messages.ts';
import { type Demo, startDemo } from './demo-program.ts';

function start(store: string): Demo {
  const demo = startDemo([], { DEMO_STORE: store, DEMO_SECRET: '' });
  onTestFinished(() => void demo.child.kill('SIGKILL'));
  return demo;
}

test('a session survives a restart of the demo that was killed [S20]', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'demo-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'data', 'demo.db');
  const first = start(`sqlite:${file}`);
  expect(await first.printed('Store: ')).toBe('sqlite, durability: disk');
  const session = await startSession(await first.printed('ready '), '2025-11-25');
  await first.kill();
  const second = start(`sqlite:${file}`);
  const { text } = await sessionAt(await second.printed('ready '), session).post(call('add', { a: 2, b: 3 }));
  expect(text).toContain('sum');
  expect(statSync(`${file}.secret`).mode & 0o077).toBe(0);
});
