/** A call that asks is completed by commands of a shell: each is a process of its own. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveHttp } from 'tenon';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { bundledProgram } from '../kit/process/bundled-program.ts';
import server from './fixtures/asking.ts';

let program = '';
let stdio = '';
let url = '';
let close: () => Promise<unknown>;
let home = '';
beforeAll(async () => {
  program = await bundledProgram('program', 'cli');
  stdio = await bundledProgram('asking-stdio', 'cli');
  const service = await serveHttp(server, { port: 0 });
  url = String(service.url);
  close = () => service.close();
  home = mkdtempSync(join(tmpdir(), 'tenon-processes-'));
});
afterAll(async () => {
  await close();
  rmSync(home, { recursive: true });
});

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Resolves when the process has ended and its streams are closed: a keeper must not hold them open. */
const shell = (...args: readonly string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const env = { PATH: process.env.PATH, HOME: home, TMPDIR: home };
    const child = execFile(process.execPath, [program, ...args], { env }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    );
    child.stdin?.end();
  });

it.each([
  ['that stands alone, at a URL', () => [url], () => []],
  ['in a session, at a URL', () => [url, '--protocol-version', '2025-11-25'], () => []],
  ['in a session, over stdio', () => ['--protocol-version', '2025-06-18'], () => ['--', process.execPath, stdio]],
] as const)('separate shell commands complete a call that asks twice: %s [S31]', async (_, target, command) => {
  const call = await shell('call', ...target(), 'trip', '--json', ...command());
  expect(call).toMatchObject({ code: 5, err: '' });
  const { id, questions } = JSON.parse(call.out).pending;
  expect(questions).toMatchObject([{ params: { message: 'From where?' } }]);
  const again = await shell('answer', id, 'city=Rome', '--json');
  expect(again).toMatchObject({ code: 5, err: '' });
  expect(JSON.parse(again.out).pending.questions).toMatchObject([{ params: { message: 'And where to?' } }]);
  const done = await shell('answer', id, 'city=Oslo');
  expect(done).toEqual({ code: 0, out: 'Rome to Oslo by train\n', err: '' });
  // The keeper removes its socket when it ends.
  await vi.waitFor(() => expect(readdirSync(home).filter((name) => name.startsWith('tenon-'))).toEqual([]));
});
