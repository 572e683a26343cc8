/** The terminal host, run as a user would: two real servers, a scripted model, and answers as lines of input. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../architecture/source-tree.ts';

const tsx = import.meta.resolve('tsx');

async function chat(lines: readonly string[], env: Record<string, string> = {}, cwd = root) {
  const child = spawn(process.execPath, ['--import', tsx, join(root, 'examples/host/main.ts')], {
    cwd,
    env: { ...process.env, ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.end(lines.map((line) => `${line}\n`).join(''));
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}

async function folderOf(content: string): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'tenon-chat-')));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'note.txt'), content);
  return folder;
}

test('the host chats: it runs tools of both servers with consent, answers server requests, and prints everything [S30]', async () => {
  const folder = await folderOf('a note');
  const lines = ['hello', 'add 2 and 3', 'y', 'weather in Oslo', 'n', 'book Bergen', 'y', '2'];
  const more = ['summarize the sun is warm', 'y', 'y', 'files', 'y', 'read note.txt', 'y', '/servers', '/quit'];
  const { code, stdout, stderr } = await chat([...lines, ...more], { HOST_FILES: folder });
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.split('\n')).toEqual([
    expect.stringMatching(/^\d+ tools of demo and files\. \/servers, \/decisions, \/quit$/),
    'you> hello',
    'model> I can: add 2 and 3, weather in Oslo, book Oslo, summarize some text, files, read readme.txt.',
    'you> add 2 and 3',
    'Run add of demo with {"a":2,"b":3}? [y/n] y',
    'model> {"sum":5}',
    'you> weather in Oslo',
    'Run weather of demo with {"city":"Oslo"}? [y/n] n',
    'model> You denied the call.',
    'you> book Bergen',
    'Run book of demo with {"city":"Bergen"}? [y/n] y',
    'demo asks: How many go to Bergen? people: 2',
    'model> Booked Bergen for 2',
    'you> summarize the sun is warm',
    'Run summarize of demo with {"text":"the sun is warm"}? [y/n] y',
    'Let demo use the model? [y/n] y',
    'model> sun is warm, in short.',
    'you> files',
    `Run list_directory of files with ${JSON.stringify({ path: folder })}? [y/n] y`,
    'model> [FILE] note.txt',
    'you> read note.txt',
    `Run read_text_file of files with ${JSON.stringify({ path: `${folder}/note.txt` })}? [y/n] y`,
    'model> a note',
    'you> /servers',
    'demo: ready, 0 failures',
    'files: ready, 0 failures',
    'you> /quit',
    '',
  ]);
});

test('the host works with one server where the other cannot be started, and exits at the end of its input', async () => {
  const { code, stdout } = await chat(['add 1 and 1', 'y', 'files', '/decisions'], { HOST_FILES: '/no/such/folder' });
  expect(code).toBe(0);
  expect(stdout).toContain('files is not available: ');
  expect(stdout).toContain('model> {"sum":2}');
  expect(stdout).toContain('model> I would use list_directory, but files does not offer it.');
  expect(stdout).toContain('demo tool add: allow by hook');
});

test('the host finds its servers from any folder', async () => {
  const folder = await folderOf('a note');
  const { code, stdout } = await chat(['add 1 and 1', 'y', '/servers'], { HOST_FILES: '.' }, folder);
  expect(code).toBe(0);
  expect(stdout).toContain('model> {"sum":2}');
  expect(stdout).toContain('files: ready, 0 failures');
});
