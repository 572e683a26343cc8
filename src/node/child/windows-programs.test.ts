/** Finds a command where Windows would find it. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { searchOnWindows } from './windows-programs.ts';

beforeEach(() => void vi.stubEnv('PATHEXT', undefined));
afterEach(() => void vi.unstubAllEnvs());

/** A disk with these files. Access to the `closed` ones is denied. */
const disk =
  (files: readonly string[], closed: readonly string[] = []) =>
  (path: string): void => {
    const is = (each: string): boolean => each.toLowerCase() === path.toLowerCase();
    if (closed.some(is)) throw Object.assign(new Error('closed'), { code: 'EACCES' });
    if (!files.some(is)) throw Object.assign(new Error('absent'), { code: 'ENOENT' });
  };

const env = { Path: 'C:\\one;"C:\\Program Files\\two";tools', PATHEXT: '.PY' };
const search = (command: string, files: string[], closed: string[] = []): string | undefined =>
  searchOnWindows(command, 'C:\\work', env, disk(files, closed)).found?.toLowerCase();

it.each([
  ['in the working folder', 'tool', 'c:\\work\\tool.exe'],
  ['in a folder of PATH', 'tool', 'c:\\one\\tool.cmd'],
  ['in a folder of PATH that is quoted', 'tool', 'c:\\program files\\two\\tool.bat'],
  ['in a folder of PATH that is a relative path', 'tool', 'c:\\work\\tools\\tool.com'],
  ['by an extension of PATHEXT', 'tool', 'c:\\one\\tool.py'],
  ['by its full name', 'tool.exe', 'c:\\one\\tool.exe'],
  ['by a path from the working folder', 'bin/tool', 'c:\\work\\bin\\tool.cmd'],
  ['by an absolute path', 'D:\\apps\\tool', 'd:\\apps\\tool.exe'],
])('finds a program %s', (_, command, file) => {
  expect(search(command, [file])).toBe(file);
});

it('takes the first match, as Windows does', () => {
  expect(search('tool', ['c:\\one\\tool.exe', 'c:\\work\\tool.cmd'])).toBe('c:\\work\\tool.cmd');
});

it('does not search for a path in the folders of PATH, and lists the places', () => {
  const { places, found } = searchOnWindows('bin\\tool', 'C:\\work', env, disk(['C:\\one\\bin\\tool.exe']));
  expect({ places, found }).toEqual({ places: ['C:\\work\\bin\\tool'], found: undefined });
});

it('lists the places it searched for a program that does not exist', () => {
  const { places, found } = searchOnWindows('tool', 'C:\\work', env, disk([]));
  expect(found).toBeUndefined();
  expect(places).toEqual(['C:\\work\\tool', 'C:\\one\\tool', 'C:\\Program Files\\two\\tool', 'C:\\work\\tools\\tool']);
});

it('finds a file whose access is denied, such as a program of the Microsoft Store', () => {
  expect(search('python', [], ['c:\\one\\python.exe'])).toBe('c:\\one\\python.exe');
});

it('uses PATHEXT of this process, not of the environment of the server', () => {
  vi.stubEnv('PATHEXT', '.RB');
  expect(search('tool', ['c:\\one\\tool.rb'])).toBe('c:\\one\\tool.rb');
});
