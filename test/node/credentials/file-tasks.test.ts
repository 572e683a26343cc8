/** `taskFile`: what the file has, who can read it, and what happens when it is damaged or full. */
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { taskFile } from 'tenon';
import type { RememberedTask } from 'tenon/client';
import { expect, it, onTestFinished } from 'vitest';
import { tasksIn } from '../../../src/node/credentials/task-file.ts';

async function newFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-tasks-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'tasks.json');
}

const task = (taskId: string, more: Partial<RememberedTask> = {}): RememberedTask => ({
  server: 'https://a.example/mcp',
  taskId,
  tool: 'report',
  digest: 'd',
  storedAt: new Date().toISOString(),
  ...more,
});

it('remembers tasks, replaces those with the same ID and server, and forgets them', async () => {
  const file = await newFile();
  const memory = taskFile(file);
  expect(await memory.read()).toEqual([]);
  const [first, second] = [task('1'), task('2', { idempotencyKey: 'k' })];
  await memory.add(first);
  await memory.add(second);
  await memory.add({ ...first, tool: 'other' });
  await memory.delete(task('3'));
  expect(await taskFile(file).read()).toEqual([second, { ...first, tool: 'other' }]);
  await memory.delete(second);
  await memory.delete(first);
  expect(await memory.read()).toEqual([]);
});

it('loses nothing where many write at once, and leaves no other files', async () => {
  const file = await newFile();
  const writers = [taskFile(file), taskFile(file)];
  await Promise.all(Array.from({ length: 20 }, (_, at) => writers[at % 2]?.add(task(`${at}`))));
  expect(await taskFile(file).read()).toHaveLength(20);
  expect(await readdir(join(file, '..'))).toEqual(['tasks.json']);
});

it.skipIf(process.platform === 'win32')('is for its user alone, and is refused if it is not', async () => {
  const file = await newFile();
  await taskFile(file).add(task('1'));
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await chmod(file, 0o644);
  await expect(taskFile(file).read()).rejects.toMatchObject({ code: 'unsafe-permissions', details: { path: file } });
});

it.each([
  ['not JSON', 'store-failed'],
  ['{"version":1,"tasks":[{"taskId":1}]}', 'store-failed'],
  ['{"version":2,"tasks":[]}', 'store-too-new'],
])('refuses a file with %s, and leaves it as it is', async (text, code) => {
  const file = await newFile();
  await writeFile(file, text, { mode: 0o600 });
  const memory = taskFile(file);
  await expect(memory.read()).rejects.toMatchObject({ code, details: { path: file } });
  await expect(memory.add(task('1'))).rejects.toMatchObject({ code });
  expect(await readFile(file, 'utf8')).toBe(text);
});

it('refuses more than the limit, and forgets what is 30 days old first', async () => {
  const memory = tasksIn(await newFile(), 2);
  await memory.add(task('1', { storedAt: '2020-01-01T00:00:00.000Z' }));
  await memory.add(task('2'));
  await memory.add(task('3'));
  expect((await memory.read()).map(({ taskId }) => taskId)).toEqual(['2', '3']);
  await expect(memory.add(task('4'))).rejects.toMatchObject({
    code: 'store-failed',
    hint: expect.stringContaining('cancel them'),
  });
  await expect(memory.add(task('x'.repeat(1001)))).rejects.toMatchObject({ code: 'store-failed' });
});

it('refuses a path that it cannot use', () => {
  expect(() => taskFile('')).toThrow(/path/);
});
