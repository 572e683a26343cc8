/** Commands are checked, found and get their environment before a process starts. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { checkCommand, environmentOf, findProgram } from './command.ts';
import type { CommandTarget } from './command-target.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tenon-command-'));
  for (const name of ['one', 'two', 'two/program']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'one', 'tool'), '#!/bin/sh\n');
  writeFileSync(join(folder, 'two', 'tool'), '#!/bin/sh\n');
  chmodSync(join(folder, 'two', 'tool'), 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());

function failure(run: () => unknown): TenonError {
  try {
    run();
  } catch (error) {
    if (error instanceof TenonError) return error;
    throw error;
  }
  throw new Error('It did not fail.');
}

describe('findProgram', () => {
  const path = (): string => ['one', 'two', 'none'].map((name) => join(folder, name)).join(':');

  it('takes the first folder of PATH with an executable file of that name', () => {
    expect(findProgram({ command: 'tool' }, { PATH: path() })).toBe(join(folder, 'two', 'tool'));
  });

  it('resolves a name with a separator from cwd', () => {
    expect(findProgram({ command: './two/tool', cwd: folder }, {})).toBe(join(folder, 'two', 'tool'));
    expect(findProgram({ command: join(folder, 'two', 'tool') }, {})).toBe(join(folder, 'two', 'tool'));
  });

  it('never looks in the working folder for a plain name, even if PATH has an empty part', () => {
    const error = failure(() => findProgram({ command: 'tool', cwd: join(folder, 'two') }, { PATH: '::' }));
    expect(error).toMatchObject({ code: 'command-not-found', details: { places: [] } });
  });

  it.each<[string, CommandTarget, RegExp]>([
    ['does not exist', { command: 'no-such-program' }, /Install it/],
    ['is not executable', { command: 'one/tool' }, /chmod \+x/],
    ['is a folder', { command: 'two/program' }, /not an executable file/],
  ])('lists the places and has a hint for a program that %s', (_, command, hint) => {
    const error = failure(() => findProgram({ ...command, cwd: folder }, { PATH: path() }));
    const places = error.details.places as string[];
    expect(error.code).toBe('command-not-found');
    expect(error.hint).toMatch(hint);
    expect(places.length).toBeGreaterThan(0);
    for (const place of places) expect(error.message).toContain(place);
  });

  it.each([
    ['npx srv --api-key=sesame', 'npx srv --api-key=…'],
    ['npx srv --api-key sesame', 'npx srv --api-key …'],
    ['./srv --url=https://u:sesame@h/x', './srv --url=https://…@h/x'],
    ['/srv --token=sesame/../open', '/srv --token=…'],
    ['API_KEY=sesame npx srv', 'API_KEY=…'],
  ])('hides the secret in a command that is a whole line: %s', (command, shown) => {
    const error = failure(() => findProgram({ command, cwd: folder }, { PATH: path() }));
    expect(error).toMatchObject({ code: 'command-not-found', details: { command: shown } });
    expect(error.message).toContain(`The command ${shown} was not found`);
    expect(JSON.stringify([error.message, error.hint, error.details])).not.toMatch(/sesame|open/);
    const withoutCwd = failure(() => findProgram({ command, cwd: join(folder, 'absent') }, {}));
    expect(JSON.stringify([withoutCwd.message, withoutCwd.details])).not.toMatch(/sesame|open/);
  });

  it('has a hint how to write a command that is a whole line, without the secret', () => {
    const error = failure(() => findProgram({ command: 'npx srv --port 1 --key sesame' }, { PATH: path() }));
    expect(error.hint).toContain(`write { command: 'npx', args: ['srv', '--port', '1', '--key', …] }`);
  });

  it.each([
    ['does not exist', 'absent'],
    ['is not a folder', 'one/tool'],
  ])('names a cwd that %s', (problem, name) => {
    const cwd = join(folder, name);
    const error = failure(() => findProgram({ command: 'tool', cwd }, {}));
    expect(error).toMatchObject({ code: 'command-not-found', details: { cwd } });
    expect(error.message).toContain(`${problem}: ${cwd}`);
  });
});

describe('environmentOf', () => {
  it('passes on the variables that a program needs, and no secrets of this process', () => {
    vi.stubEnv('HOME', '/home/user');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
    vi.stubEnv('NODE_OPTIONS', '--inspect');
    const env = environmentOf({ command: 'tool' });
    expect(env).toMatchObject({ HOME: '/home/user', PATH: process.env.PATH });
    expect(Object.keys(env)).not.toContain('AWS_SECRET_ACCESS_KEY');
    expect(Object.keys(env)).not.toContain('NODE_OPTIONS');
  });

  it('adds the variables of the command, and leaves out undefined ones', () => {
    vi.stubEnv('HOME', '/home/user');
    const env = environmentOf({ command: 'tool', env: { HOME: '/elsewhere', TOKEN: 't', ABSENT: undefined } });
    expect(env).toMatchObject({ HOME: '/elsewhere', TOKEN: 't' });
    expect(Object.keys(env)).not.toContain('ABSENT');
  });
});

describe('checkCommand', () => {
  it.each<[string, unknown]>([
    ['no command', { command: '' }],
    ['a command that is no string', { command: 5 }],
    ['arguments in one string', { command: 'node', args: 'server.js --flag' }],
    ['arguments that are no list', { command: 'node', args: 5 }],
    ['an argument that is no string', { command: 'node', args: [1] }],
    ['a NUL in an argument', { command: 'node', args: ['a\0b'] }],
    ['a NUL in the environment', { command: 'node', env: { A: '\0' } }],
    ['a variable with = in its name', { command: 'node', env: { 'A=B': 'c' } }],
    ['a variable without a name', { command: 'node', env: { '': 'c' } }],
    ['a variable that is no string', { command: 'node', env: { A: 1 } }],
    ['an environment that is a list', { command: 'node', env: ['A=1'] }],
    ['an environment that is no object', { command: 'node', env: 'A=1' }],
    ['an unknown value of stderr', { command: 'node', stderr: 'pipe' }],
    ['a time that is negative', { command: 'node', exitTimeoutMs: -1 }],
    ['a time that is no number', { command: 'node', exitTimeoutMs: '2s' }],
    ['a time that is too long for a timer', { command: 'node', exitTimeoutMs: 2 ** 31 }],
    ['an infinite time', { command: 'node', exitTimeoutMs: Infinity }],
    ['a folder that is no string', { command: 'node', cwd: 5 }],
  ])('rejects %s', (_, command) => {
    expect(failure(() => checkCommand(command as CommandTarget)).code).toBe('invalid-argument');
  });

  it('names an invalid variable without the text after its =', () => {
    const error = failure(() => checkCommand({ command: 'node', env: { 'API_KEY=sesame': '' } }));
    expect(error.message).toContain('"API_KEY=…"');
    expect(error.message).not.toContain('sesame');
  });

  it('accepts times from 0 to the maximum of a timer, and names both in the hint', () => {
    for (const exitTimeoutMs of [0, 2 ** 31 - 1])
      expect(() => checkCommand({ command: 'node', exitTimeoutMs })).not.toThrow();
    expect(failure(() => checkCommand({ command: 'node', exitTimeoutMs: 1e12 })).hint).toContain('0 to 2147483647');
  });

  it('accepts any other characters', () => {
    const args = ['', ' ', '"', "'", '$(id)', '`id`', '; rm', 'a\nb', '☃'];
    expect(() => checkCommand({ command: 'node', args, env: { A: '$HOME', B: undefined } })).not.toThrow();
  });
});

it('lists each folder of PATH once, even if it is there several times', () => {
  const error = failure(() =>
    findProgram({ command: 'absent-tool' }, { PATH: ['/nowhere', '/nowhere/', '/nowhere'].join(':') }),
  );
  expect(error.details.places).toEqual(['/nowhere/absent-tool']);
});
