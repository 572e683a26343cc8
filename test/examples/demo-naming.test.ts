/** The file that `DEMO_DATABASE` names: the demo says what is wrong with it, and makes none of its own. */
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
  folder = await mkdtemp(join(tmpdir(), 'tenon-naming-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** How the demo ends that does not start. */
async function refusal(file: string, args: readonly string[]): Promise<[number, string]> {
  const child = spawn(process.execPath, [...demoArgs, ...args], {
    cwd: root,
    env: { ...process.env, PORT: '0', DEMO_DATABASE: file },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return [code, said];
}

it.each([[[]], [['--stdio']]])('a file that is not there is refused at start, and not made: %j', async (args) => {
  const file = join(folder, 'mistyped.db');
  const said = `DEMO_DATABASE names ${file}, which is not there: name an SQLite file, or leave it out to ask the sample\n`;
  expect(await refusal(file, args)).toEqual([1, said]);
  await expect(access(file)).rejects.toMatchObject({ code: 'ENOENT' });
});

it('a folder is refused at start', async () => {
  const said = `DEMO_DATABASE names ${folder}, which is not a file: name`;
  expect(await refusal(folder, ['--stdio'])).toEqual([1, expect.stringContaining(said)]);
});

it('a file that goes away later is said to be gone, and not made again', async () => {
  const file = join(folder, 'leaving.db');
  const writer = await openDatabase(file);
  writer.run('CREATE TABLE t (a)');
  writer.close();
  await using client = await connect(demoOnStdio({ DEMO_DATABASE: file }));
  await rm(file);
  const refused = await client.tools.call('query', { sql: 'SELECT * FROM t' });
  expect([refused.isError, toText(refused)]).toEqual([true, expect.stringContaining(`${file}, which is not there`)]);
  await expect(access(file)).rejects.toMatchObject({ code: 'ENOENT' });
});
