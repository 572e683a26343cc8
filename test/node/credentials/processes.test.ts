/** Stored credentials between processes: nothing is lost, and a crash at any point blocks no other process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { credentialsFolder } from 'tenon/auth';
import { expect, it, onTestFinished } from 'vitest';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const program = await bundledProgram('credential-user', 'credentials');
const key = 'https://id.example https://mcp.example/mcp';

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-credentials-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

interface User {
  readonly child: ChildProcess;
  /** The lines it has printed. */
  readonly lines: string[];
  /** Resolves at the first line, or at the end without one. */
  readonly firstLine: Promise<void>;
  readonly exit: Promise<unknown>;
}

function start(action: string, folder: string, number = 0): User {
  const child = spawn(process.execPath, [program, action, folder, String(number)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  const exit = once(child, 'close');
  const firstLine = new Promise<void>((resolve) => {
    reader.on('line', (line) => {
      lines.push(line);
      resolve();
    });
    child.once('close', () => resolve());
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, lines, firstLine, exit: withTimeout(exit, `the end of a process that does: ${action}`) };
}

async function ended(...users: User[]): Promise<string[]> {
  await Promise.all(users.map(({ exit }) => exit));
  return users.flatMap(({ lines }) => lines);
}

it('20 processes that compare and swap lose nothing', async () => {
  const folder = await newFolder();
  const lines = await ended(...Array.from({ length: 20 }, () => start('add', folder, 3)));
  expect(lines).toHaveLength(60);
  expect((await credentialsFolder({ folder }).read(key))?.value).toBe(60);
});

it('processes that are killed while they swap lose nothing that was stored', async () => {
  const folder = await newFolder();
  const victims = Array.from({ length: 3 }, () => start('add', folder));
  const survivors = Array.from({ length: 3 }, () => start('add', folder, 5));
  for (const { firstLine, child } of victims) {
    await withTimeout(firstLine, 'the first swap of a process');
    child.kill('SIGKILL');
  }
  const lines = await ended(...victims, ...survivors);
  const value = (await credentialsFolder({ folder }).read(key))?.value;
  expect(value).toBeGreaterThanOrEqual(lines.length);
  // A process that was killed may have swapped and not printed it.
  expect(value).toBeLessThanOrEqual(lines.length + victims.length);
});

it('a process that crashes before any change of its files leaves a store that works', async () => {
  const folder = await newFolder();
  const store = credentialsFolder({ folder });
  let stored = 0;
  let crashes = 0;
  for (let finished = false; !finished; crashes++) {
    const lines = await ended(start('crash', folder, crashes + 1));
    finished = lines.includes('finished');
    const release = await withTimeout(store.lock(key), `the lock after a crash at change ${crashes + 1}`);
    const found = await store.read(key);
    const value = Number(found?.value ?? 0);
    expect(value - stored).toBeOneOf(finished ? [1] : [0, 1]);
    expect(await store.swap(key, found?.version, value + 1)).toBe(true);
    stored = value + 1;
    await release();
  }
  // Locking, writing and releasing: if there were fewer, the changes are not counted.
  expect(crashes).toBeGreaterThan(8);
});

it('of many processes that wait for the lock of one that was killed, one at a time gets it', async () => {
  const folder = await newFolder();
  const holder = start('hold', folder);
  await withTimeout(holder.firstLine, 'the lock');
  const waiting = Array.from({ length: 5 }, () => start('take', folder));
  await withTimeout(Promise.all(waiting.map(({ firstLine }) => firstLine)), 'all processes');
  expect(waiting.flatMap(({ lines }) => lines)).not.toContain('took');
  holder.child.kill('SIGKILL');
  const lines = await ended(...waiting);
  expect(lines.filter((line) => line === 'took')).toHaveLength(5);
  expect(lines).not.toContain('overlaps');
  expect((await credentialsFolder({ folder }).read(key))?.value).toBe(5);
});
