/** The file of `DEMO_DATABASE`: the demo reports what is wrong with it, and never creates it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect, toText } from 'tenon';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../examples/demo/sql/database.ts';
import { root } from '../architecture/source-tree.ts';
import { demoArgs, demoOnStdio } from './demo-program.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-database-file-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** The exit code and standard error of a demo that does not start. */
async function refusal(file: string, args: readonly string[]): Promise<[number, string]> {
  const child = spawn(process.execPath, [...demoArgs, ...args], {
    cwd: root,
    env: { ...process.env, PORT: '0', DEMO_DATABASE: file },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return [code, stderr];
}

it.each([[[]], [['--stdio']]])('a missing file is refused at start, and not created: %j', async (args) => {
  const file = join(folder, 'mistyped.db');
  const message = `DEMO_DATABASE names ${file}, which does not exist: name an SQLite file, or unset DEMO_DATABASE to use the sample\n`;
  expect(await refusal(file, args)).toEqual([1, message]);
  await expect(access(file)).rejects.toMatchObject({ code: 'ENOENT' });
});

it('a folder is refused at start', async () => {
  const message = `DEMO_DATABASE names ${folder}, which is not a file: name`;
  expect(await refusal(folder, ['--stdio'])).toEqual([1, expect.stringContaining(message)]);
});

it('a file that is deleted later is reported as missing, and not created again', async () => {
  const file = join(folder, 'deleted.db');
  const writer = await openDatabase(file);
  writer.run('CREATE TABLE t (a)');
  writer.close();
  await using client = await connect(demoOnStdio({ DEMO_DATABASE: file }));
  await rm(file);
  const refused = await client.tools.call('query', { sql: 'SELECT * FROM t' });
  expect([refused.isError, toText(refused)]).toEqual([true, expect.stringContaining(`${file}, which does not exist`)]);
  await expect(access(file)).rejects.toMatchObject({ code: 'ENOENT' });
});
