/** Paths of Windows, tried on any system: what a path root refuses, which URIs it takes, where files are stored. */
import { describe, expect, it } from 'vitest';
import { socketPath } from '../../src/cli/answers/attach.ts';
import { configFiles } from '../../src/cli/target/config-files.ts';
import { pathSegments } from '../../src/input-safety/paths/path-segments.ts';
import { defaultFolder } from '../../src/node/credentials/credentials-folder.ts';
import { cacheFolder } from '../../src/node/credentials/lists-folder.ts';

const root = 'C:\\Users\\Ada\\files';
const segments = (path: string, platform: NodeJS.Platform = 'win32'): string[] =>
  pathSegments(path, [root], 4096, platform);

describe('a path root on Windows', () => {
  it.each([
    ['a drive', 'C:/secret.txt'],
    ['a drive without a slash', 'C:secret.txt'],
    ['another drive by a URI', 'file:///D:/Users/Ada/files/a.txt'],
    ['a folder beside it by a URI', 'file:///C:/Users/Ada/files-of-bob/a.txt'],
    ['a share', '\\\\server\\share\\a.txt'],
    ['a share by slashes', '//server/share/a.txt'],
    ['a share by a URI', 'file://server/share/a.txt'],
    ['a device path', '\\\\?\\C:\\secret.txt'],
    ['a device path by slashes', '//./C:/secret.txt'],
    ['a backslash', '..\\secret.txt'],
    ['an encoded backslash', 'reports%5c..%5csecret.txt'],
    ['an alternate stream', 'a.txt:stream'],
    ['the data stream', 'a.txt::$DATA'],
    ['a device', 'reports/NUL'],
    ['a device with an extension', 'con.txt'],
    ['a numbered device', 'COM1'],
    ['a device that is numbered by a superscript', 'LPT².txt'],
    ['the console', 'CONIN$'],
    ['a name that ends in a dot', 'secret.txt.'],
    ['a name that ends in a space', 'secret.txt '],
    ['dots and spaces that Windows drops', '.. /secret.txt'],
  ])('refuses %s', (_, path) => {
    expect(() => segments(path)).toThrow(expect.objectContaining({ code: 'path-not-allowed' }));
  });

  it.each([
    ['a path with slashes', 'reports/week.csv'],
    ['the URI of a file', 'file:///C:/Users/Ada/files/reports/week.csv'],
    ['the URI of a file in other letters', 'FILE:///c:/users/ada/FILES/reports/week.csv'],
  ])('opens %s', (_, path) => {
    expect(segments(path)).toEqual(['reports', 'week.csv']);
  });

  it.each(['nul', 'COM1', 'ab:c', 'name.'])('leaves %s, which is a plain name elsewhere', (name) => {
    expect(segments(name, 'linux')).toEqual([name]);
  });
});

describe('files of Tenon on Windows', () => {
  const env = { LOCALAPPDATA: 'C:\\Users\\Ada\\AppData\\Local', APPDATA: 'C:\\Users\\Ada\\AppData\\Roaming' };
  const home = { HOME: 'C:\\Users\\Ada' };

  it('are in the profile of the user, with and without its variables', () => {
    const credentials = 'C:\\Users\\Ada\\AppData\\Local\\tenon\\credentials';
    expect([defaultFolder('credentials', env, 'win32'), defaultFolder('credentials', home, 'win32')]).toEqual([
      credentials,
      credentials,
    ]);
    const lists = 'C:\\Users\\Ada\\AppData\\Local\\tenon\\lists';
    expect([cacheFolder(env, 'win32'), cacheFolder(home, 'win32')]).toEqual([lists, lists]);
  });

  it('are in Library/Caches on macOS', () => {
    expect(cacheFolder({ HOME: '/Users/ada' }, 'darwin')).toBe('/Users/ada/Library/Caches/tenon/lists');
  });

  it.each([
    ['win32', 'C:\\Users\\Ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json', { ...env, ...home }, 'C:\\work'],
    [
      'darwin',
      '/Users/ada/Library/Application Support/Claude/claude_desktop_config.json',
      { HOME: '/Users/ada' },
      '/w',
    ],
    ['linux', '/home/ada/.config/Claude/claude_desktop_config.json', { HOME: '/home/ada' }, '/w'],
  ] as const)('the servers of Claude Desktop are found on %s', (platform, path, variables, cwd) => {
    const files = configFiles({ cwd, env: variables }, platform);
    expect(files.find(({ client }) => client === 'claude-desktop')?.path).toBe(path);
    expect(files[0]?.path).toBe(platform === 'win32' ? 'C:\\work\\.mcp.json' : '/w/.mcp.json');
  });

  it('a call that waits is reached by a named pipe', async () => {
    expect(await socketPath('x1', 'win32')).toBe('\\\\.\\pipe\\tenon-x1');
  });
});
