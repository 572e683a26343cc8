/** A path root: which paths open a file, and which never reach one. */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TenonError } from 'tenon';
import { createPathRoot } from 'tenon/input-safety';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withFixed } from '../kit/fixed-limits.ts';

let outer: string;
let folder: string;

beforeAll(async () => {
  outer = await realpath(await mkdtemp(join(tmpdir(), 'tenon-root-')));
  folder = join(outer, 'root');
  await mkdir(join(folder, 'reports'), { recursive: true });
  await mkdir(join(outer, 'root-beside'));
  await writeFile(join(outer, 'secret.txt'), 'the secret');
  await writeFile(join(outer, 'root-beside', 'secret.txt'), 'the secret');
  await writeFile(join(folder, 'readme.txt'), 'hello');
  await writeFile(join(folder, '.env'), 'the secret');
  await writeFile(join(folder, '100%.txt'), 'percent');
  await writeFile(join(folder, 'a b..txt'), 'dots');
  await writeFile(join(folder, 'reports', 'week.csv'), 'a,b');
  await symlink(join(outer, 'secret.txt'), join(folder, 'out.txt'));
  await symlink(outer, join(folder, 'outside'));
  await symlink('reports', join(folder, 'inside'));
  await symlink('.env', join(folder, 'shown.txt'));
  await symlink('loop', join(folder, 'loop'));
  await symlink('/dev/zero', join(folder, 'zero'));
  await symlink(folder, join(outer, 'link-to-root'));
  execFileSync('mkfifo', [join(folder, 'fifo')]);
});
afterAll(() => rm(outer, { recursive: true }));

/** The error with which a path is refused. No part of it may show the path of the root. */
async function refusal(path: string, root = createPathRoot(folder)): Promise<TenonError> {
  const error: unknown = await root.open(path).then(
    (file) => file.close().then(() => new Error(`${path} was opened`)),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof TenonError)) throw error;
  const shown = `${error.message} ${JSON.stringify(error.details)} ${String(error.cause)}`;
  expect(shown.replaceAll(path, '')).not.toContain(outer);
  expect(shown).not.toContain('the secret');
  return error;
}

const text = async (path: string, root = createPathRoot(folder)): Promise<string> =>
  Buffer.from(await root.read(path)).toString();

describe('a path root opens', () => {
  it.each([
    ['readme.txt', 'hello', 'readme.txt'],
    ['./reports//week.csv', 'a,b', 'reports/week.csv'],
    ['inside/week.csv', 'a,b', 'reports/week.csv'],
    ['100%.txt', 'percent', '100%.txt'],
    ['a b..txt', 'dots', 'a b..txt'],
  ])('%s, and returns its real path [S24]', async (path, content, real) => {
    await using file = await createPathRoot(folder).open(path);
    expect(Buffer.from(await file.read()).toString()).toBe(content);
    expect([file.path, file.size]).toEqual([real, content.length]);
  });

  it('a file by its file: URI, also where the root was named by a link [S24]', async () => {
    expect(await text(pathToFileURL(join(folder, 'a b..txt')).href)).toBe('dots');
    const linked = createPathRoot(join(outer, 'link-to-root'));
    expect(await text(pathToFileURL(join(outer, 'link-to-root', 'readme.txt')).href, linked)).toBe('hello');
    expect(await text(pathToFileURL(join(folder, 'readme.txt')).href, linked)).toBe('hello');
  });

  it('hidden files if they are allowed', async () => {
    expect(await text('.env', createPathRoot(folder, { hidden: true }))).toBe('the secret');
  });
});

describe('a path root refuses', () => {
  it.each([
    '../secret.txt',
    'reports/../../secret.txt',
    'reports/../readme.txt',
    '..',
    '.. /secret.txt',
    '.../secret.txt',
    '%2e%2e/secret.txt',
    '..%2fsecret.txt',
    '%252e%252e%252fsecret.txt',
    '%25252e%25252e/secret.txt',
    '%2525252525252e',
    '%c0%ae%c0%ae/secret.txt',
    '..%c0%afsecret.txt',
    '%e0%80%ae%e0%80%ae/secret.txt',
    'readme.txt%00.png',
    'readme.txt\0.png',
    '..\\secret.txt',
    'reports%5c..%5c..%5csecret.txt',
    'C:\\secret.txt',
    'C:secret.txt',
    '/etc/passwd',
    '//server/share',
    '\\\\server\\share',
    'https://a.example/readme.txt',
    'file:readme.txt',
    'file://server/readme.txt',
    'file:///etc/passwd',
    'file:///%2e%2e/etc/passwd',
    'FILE:///etc/passwd',
    '',
    '.',
    '/',
    'x'.repeat(2000),
  ])('%j, by its text [S24]', async (path) => {
    expect((await refusal(path)).code).toBe('path-not-allowed');
  });

  it('a file: URI that climbs, or names a folder beside it with the same beginning [S24]', async () => {
    const beside = pathToFileURL(join(outer, 'root-beside', 'secret.txt')).href;
    for (const uri of [`${pathToFileURL(folder).href}/../secret.txt`, `${pathToFileURL(folder).href}%2f..%2fx`, beside])
      expect((await refusal(uri)).code).toBe('path-not-allowed');
  });

  it.each(['out.txt', 'outside/secret.txt', 'outside/root-beside/secret.txt'])(
    'the link %s out of it, by where it leads [S24]',
    async (path) => {
      expect(await refusal(path)).toMatchObject({
        code: 'path-not-allowed',
        details: { problem: 'leads out of the root' },
      });
    },
  );

  it.each(['.env', 'shown.txt', 'reports/./../.env'])('the hidden file that %s is or leads to [S24]', async (path) => {
    expect((await refusal(path)).code).toBe('path-not-allowed');
  });

  it.each(['fifo', 'zero', 'reports', 'inside'])(
    '%s, which is no regular file, without waiting for it [S24]',
    async (path) => {
      expect((await refusal(path)).code).toBe('path-not-allowed');
    },
  );

  it.each(['nothing.txt', 'readme.txt/x', 'loop'])('%s, which does not exist', async (path) => {
    expect((await refusal(path)).code).toBe('file-not-found');
  });

  it('to read a file over the limit, also one whose size is given as 0', async () => {
    const root = createPathRoot(folder, { maxFileBytes: 4 });
    await expect(root.read('readme.txt')).rejects.toMatchObject({ code: 'file-too-large', details: { maxBytes: 4 } });
    await using file = await createPathRoot(folder, { maxFileBytes: 1_000_000 }).open('100%.txt');
    await truncate(join(folder, '100%.txt'), 2_000_000);
    await expect(file.read()).rejects.toMatchObject({ code: 'file-too-large' });
    await writeFile(join(folder, '100%.txt'), 'percent');
  });
});

describe('a path root', () => {
  it('lists its files without links, hidden ones and special ones [S24]', async () => {
    expect(await createPathRoot(folder).list()).toEqual(['100%.txt', 'a b..txt', 'readme.txt', 'reports/week.csv']);
    expect(await createPathRoot(folder, withFixed({ hidden: true }, { maxListed: 2 })).list()).toEqual([
      '.env',
      '100%.txt',
    ]);
  });

  it('needs a folder that exists, and known options', () => {
    const wrong = (make: () => unknown) => expect(make).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
    wrong(() => createPathRoot(join(folder, 'nothing')));
    wrong(() => createPathRoot(join(folder, 'readme.txt')));
    wrong(() => createPathRoot(folder, { maxFileByte: 1 } as never));
    wrong(() => createPathRoot(folder, { maxFileBytes: 0 }));
  });
});
