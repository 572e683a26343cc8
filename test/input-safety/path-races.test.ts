/** A path root while folders are swapped for links: the file that was opened is the one that is checked. */
import type * as fs from 'node:fs/promises';
import { mkdir, mkdtemp, readdir, readlink, realpath, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPathRoot } from 'tenon/input-safety';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

/** Callbacks just before and just after a file is opened, and whether the system knows paths of open files. */
const race = vi.hoisted(() => ({
  before: async (): Promise<void> => {},
  after: async (): Promise<void> => {},
  hasProc: true,
}));

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof fs>();
  return {
    ...real,
    open: async (...args: Parameters<typeof real.open>) => {
      await race.before();
      const handle = await real.open(...args);
      await race.after();
      return handle;
    },
    readlink: (path: string) => (race.hasProc ? real.readlink(path) : Promise.reject(new Error('no /proc here'))),
  };
});

let outer: string;
let folder: string;
const at = (...names: string[]): string => join(outer, ...names);

beforeEach(async () => {
  outer = await realpath(await mkdtemp(join(tmpdir(), 'tenon-race-')));
  folder = at('root');
  await mkdir(at('root', 'deep'), { recursive: true });
  await mkdir(at('other'));
  await writeFile(at('root', 'deep', 'a.txt'), 'inside');
  await writeFile(at('other', 'a.txt'), 'the secret');
  Object.assign(race, { before: async () => {}, after: async () => {}, hasProc: true });
});
afterEach(() => rm(outer, { recursive: true }));

async function swapIn(): Promise<void> {
  await rename(at('root', 'deep'), at('root', 'away'));
  await symlink(at('other'), at('root', 'deep'));
}

async function swapBack(): Promise<void> {
  await unlink(at('root', 'deep'));
  await rename(at('root', 'away'), at('root', 'deep'));
}

const systems = process.platform === 'linux' ? [true, false] : [false];

it.each(systems)(
  'a folder swapped for a link while a file is opened is noticed (with /proc: %s) [S24]',
  async (hasProc) => {
    Object.assign(race, { before: swapIn, hasProc });
    await expect(createPathRoot(folder).open('deep/a.txt')).rejects.toMatchObject({ code: 'path-not-allowed' });
  },
);

it.each(systems)(
  'a folder swapped for a link and back while a file is opened is noticed (with /proc: %s) [S24]',
  async (hasProc) => {
    Object.assign(race, { before: swapIn, after: swapBack, hasProc });
    await expect(createPathRoot(folder).open('deep/a.txt')).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:path-not-allowed|file-not-found)$/),
    });
  },
);

it('a file swapped for a link is not followed [S24]', async () => {
  race.before = async () => {
    await unlink(at('root', 'deep', 'a.txt'));
    await symlink(at('other', 'a.txt'), at('root', 'deep', 'a.txt'));
  };
  await expect(createPathRoot(folder).open('deep/a.txt')).rejects.toMatchObject({ code: 'path-not-allowed' });
});

it.each(systems)('a file that is not moved opens (with /proc: %s)', async (hasProc) => {
  race.hasProc = hasProc;
  await using file = await createPathRoot(folder).open('deep/a.txt');
  expect(Buffer.from(await file.read()).toString()).toBe('inside');
});

it('leaves no file open when it refuses a path', async (ctx) => {
  if (process.platform !== 'linux') return ctx.skip('needs /proc');
  race.before = swapIn;
  await expect(createPathRoot(folder).open('deep/a.txt')).rejects.toThrow('leads out of the root');
  const open = await readdir('/proc/self/fd');
  const paths = await Promise.all(open.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  expect(paths.filter((path) => path.startsWith(outer))).toEqual([]);
});
