/** What a command becomes on Windows, tried on any system: its variables, what is refused, its line, its errors. */
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkCommand, environmentOf } from '../../src/node/child/command.ts';
import { startFailed } from '../../src/node/child/start-failures.ts';

describe('the environment of a command on Windows', () => {
  const own = { Path: 'C:\\Windows', SystemRoot: 'C:\\Windows', ComSpec: 'cmd.exe', OPENAI_API_KEY: 'sesame' };

  it('has the safe variables, however their names are written, and no secrets', () => {
    const { OPENAI_API_KEY: _, ...safe } = own;
    expect(environmentOf({ command: 'tool' }, 'win32', own)).toEqual(safe);
  });

  it('has one PATH, that of the command, where this process spells it in another way', () => {
    const env = environmentOf({ command: 'tool', env: { PATH: 'C:\\tools', TOKEN: 't' } }, 'win32', own);
    expect(env).toEqual({ SystemRoot: 'C:\\Windows', ComSpec: 'cmd.exe', PATH: 'C:\\tools', TOKEN: 't' });
  });

  it('has both where names differ by case elsewhere', () => {
    const env = environmentOf({ command: 'tool', env: { path: '/tools' } }, 'linux', { PATH: '/bin' });
    expect(env).toEqual({ PATH: '/bin', path: '/tools' });
  });
});

describe('a command on Windows', () => {
  it.each(['one\ntwo', 'one\rtwo'])('is refused with the line break in %j, which would end its line', (text) => {
    const line = /args\[0\] contains a line break/;
    expect(() => checkCommand({ command: 'tool', args: [text] }, 'win32')).toThrow(line);
    expect(() => checkCommand({ command: 'tool', args: [text] }, 'linux')).not.toThrow();
  });

  it('that is found and cannot be started is not said to lack an interpreter', () => {
    const cause = Object.assign(new Error('spawn ENOENT'), { code: 'ENOENT' });
    expect(startFailed({ command: 'tool' }, cause, 'win32').hint).toContain('is a program for this machine');
    expect(startFailed({ command: 'tool' }, cause, 'linux').hint).toContain('interpreter');
  });
});

/** How `cross-spawn`, which starts commands on Windows, writes a command line. It asks for the platform once, at load. */
interface CrossSpawn {
  _parse(command: string, args: readonly string[]): { readonly command: string; readonly args: readonly string[] };
}

describe('the line of a .cmd program on Windows', () => {
  const here = process.platform;
  const require = createRequire(import.meta.url);
  /** Other tests of this process may have loaded it, or will. */
  const forget = (): void => {
    for (const file of Object.keys(require.cache)) if (/[\\/]cross-spawn[\\/]/.test(file)) delete require.cache[file];
  };
  let lineOf: (arg: string) => string;
  beforeAll(() => {
    forget();
    Object.defineProperty(process, 'platform', { value: 'win32' });
    const { _parse } = require('cross-spawn') as CrossSpawn;
    lineOf = (arg) => _parse('C:\\tools\\npx.cmd', [arg]).args.join(' ');
  });
  afterAll(() => {
    forget();
    Object.defineProperty(process, 'platform', { value: here });
  });

  it.each(['&calc', '|calc', '>out.txt', '<in.txt', '^', '%PATH%', '!PATH!', '(a)', '"&calc'])(
    'has no bare %s, which cmd would read',
    (arg) => {
      const line = lineOf(arg);
      expect(line).toMatch(/^\/d \/s \/c "/);
      const rest = line.slice('/d /s /c "'.length, -1);
      expect(rest.replaceAll(/\^./g, '')).not.toMatch(/[&|<>%!()"^]/);
    },
  );
});
