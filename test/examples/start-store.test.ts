/** `DEMO_STORE=sqlite:… npm start`, or `postgres://…`: sessions survive a restart, without npm and the setup. */
import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { call, sessionAt, startSession } from '../kit/http/messages.ts';
import { requires } from '../kit/requires.ts';
import { engines } from '../kit/stores/engines.ts';
import { type Demo, startDemo } from './demo-program.ts';

function start(store: string, secret = ''): Demo {
  const demo = startDemo([], { DEMO_STORE: store, DEMO_SECRET: secret });
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

test('a session in PostgreSQL survives a restart of the demo that was killed [S20]', async (context) => {
  requires(context, engines.postgres.missing);
  const postgres = await engines.postgres.start();
  onTestFinished(() => postgres.close());
  const { url } = postgres.next();
  const secret = 'a secret that outlives the demo';
  const first = start(url, secret);
  expect(await first.printed('Store: ')).toBe('postgres, durability: disk');
  const session = await startSession(await first.printed('ready '), '2025-11-25');
  await first.kill();
  const second = start(url, secret);
  const { text } = await sessionAt(await second.printed('ready '), session).post(call('add', { a: 2, b: 3 }));
  expect(text).toContain('sum');
});
