/** Stored lists in files: private, replaced as a whole, bounded, and deletable at any time. */
import { chmod, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listsFolder } from 'tenon/host';
import { expect, it, onTestFinished } from 'vitest';

const key = (digit: string): string => digit.repeat(64);

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-lists-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

it('a list is read as it was stored, also by another process, until it is deleted', async () => {
  const folder = join(await temporaryFolder(), 'lists');
  const lists = listsFolder({ folder });
  expect(await lists.read(key('a'))).toBeUndefined();
  await lists.write(key('a'), 'ä 🌍');
  expect(await listsFolder({ folder }).read(key('a'))).toBe('ä 🌍');
  expect((await stat(join(folder, `${key('a')}.json`))).mode & 0o077).toBe(0);
  await lists.write(key('a'), undefined);
  await lists.write(key('a'), undefined);
  expect(await lists.read(key('a'))).toBeUndefined();
});

it('beyond maxEntries the lists that were stored first are deleted', async () => {
  const folder = await temporaryFolder();
  const lists = listsFolder({ folder, maxEntries: 2 });
  for (const [n, digit] of ['a', 'b', 'c'].entries()) {
    await lists.write(key(digit), digit);
    await utimes(join(folder, `${key(digit)}.json`), 1000 + n, 1000 + n);
  }
  expect((await readdir(folder)).sort()).toEqual([`${key('b')}.json`, `${key('c')}.json`]);
});

it('a file that others can read, and a key that is no digest, are refused', async () => {
  const folder = await temporaryFolder();
  const lists = listsFolder({ folder });
  await writeFile(join(folder, `${key('a')}.json`), 'x');
  await chmod(join(folder, `${key('a')}.json`), 0o644);
  await expect(lists.read(key('a'))).rejects.toMatchObject({ code: 'unsafe-permissions' });
  await expect(lists.read('../secrets')).rejects.toMatchObject({ code: 'invalid-argument' });
  expect(() => listsFolder({ folder, maxEntries: 0 })).toThrow(/maxEntries/);
});
