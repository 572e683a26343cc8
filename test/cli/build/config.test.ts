/** `tenon config` shows a change before it writes, leaves the rest of a file as it is, and keeps a copy. */
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { replaceFile } from '../../../src/cli/config-edit/replace-file.ts';
import { scriptedPrompts } from '../scripted-prompts.ts';
import { typed } from '../terminal.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tenon-config-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const world = (more = {}) => ({ cwd: home, env: { HOME: home, XDG_CONFIG_HOME: join(home, '.config') }, ...more });
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
};
const read = (path: string): string => readFileSync(join(home, path), 'utf8');

const commented = `{
    // the servers of the team
    "mcpServers": {
        "notes": { "command": "notes" }, // keep
    },
    "theme": "dark"
}
`;

describe('config add', () => {
  it.each([
    ['cursor', '.cursor/mcp.json', { mcpServers: { w: { url: 'https://a.example/mcp', headers: { 'X-Key': 'k' } } } }],
    [
      'claude-code',
      '.claude.json',
      { mcpServers: { w: { type: 'http', url: 'https://a.example/mcp', headers: { 'X-Key': 'k' } } } },
    ],
    [
      'vscode',
      '.config/Code/User/mcp.json',
      { servers: { w: { type: 'http', url: 'https://a.example/mcp', headers: { 'X-Key': 'k' } } } },
    ],
    [
      'gemini',
      '.gemini/settings.json',
      { mcpServers: { w: { httpUrl: 'https://a.example/mcp', headers: { 'X-Key': 'k' } } } },
    ],
    [
      'project',
      '.mcp.json',
      { mcpServers: { w: { type: 'http', url: 'https://a.example/mcp', headers: { 'X-Key': 'k' } } } },
    ],
  ])('writes a URL as %s reads it [S31]', async (client, path, expected) => {
    const line = ['tenon', 'config', 'add', client, 'w', 'https://a.example/mcp', '-H', 'X-Key: k', '--yes'];
    const { code } = await typed(line, world());
    expect(code).toBe(0);
    expect(JSON.parse(read(path))).toEqual(expected);
    expect(statSync(join(home, path)).mode & 0o777).toBe(0o600);
    expect((await typed('tenon config remove --yes '.concat(client, ' w'), world())).code).toBe(0);
  });

  it('writes a command with its variables, and paths in full', async () => {
    write('server.js', '');
    const { code } = await typed(
      'tenon config add claude-desktop w -e KEY=v --yes -- node ./server.js --fast',
      world(),
    );
    expect(code).toBe(0);
    expect(JSON.parse(read('.config/Claude/claude_desktop_config.json')).mcpServers.w).toEqual({
      command: 'node',
      args: [join(home, 'server.js'), '--fast'],
      env: { KEY: 'v' },
    });
  });

  it('writes a file so that tenon serve serves it, without loading it', async () => {
    write('src/server.ts', 'throw new Error();');
    await typed('tenon config add cursor w ./src/server.ts --project --yes', world());
    const expected = { command: 'npx', args: ['tenon', 'serve', 'src/server.ts'] };
    expect(JSON.parse(read('.cursor/mcp.json')).mcpServers.w).toEqual(expected);
    await typed('tenon config add vscode w ./src/server.ts --yes', world());
    expect(JSON.parse(read('.config/Code/User/mcp.json')).servers.w).toEqual({
      type: 'stdio',
      command: 'node',
      args: [expect.stringMatching(/dist\/cli\.js$/), 'serve', join(home, 'src/server.ts')],
    });
  });

  it('shows the change first, asks, preserves comments and indentation, and keeps a copy', async () => {
    write('.mcp.json', commented);
    const asked: string[] = [];
    const { code, out, err } = await typed('tenon config add project w https://a.example/mcp', {
      ...world({ canAsk: true }),
      prompts: {
        ...scriptedPrompts(),
        confirm: async ({ message }) => {
          asked.push(message);
          expect(read('.mcp.json')).toBe(commented);
          return true;
        },
      },
    });
    expect(code).toBe(0);
    expect(asked).toEqual(['Write this?']);
    expect(err).toMatch(/\.mcp\.json\n/);
    expect(err).toMatch(/^\+ {9}"w": \{$/m);
    const added =
      '        "w": {\n            "type": "http",\n            "url": "https://a.example/mcp"\n        }\n    },\n';
    expect(read('.mcp.json')).toBe(commented.replace('    },\n', added));
    expect(read('.mcp.json.bak')).toBe(commented);
    expect(out).toContain('.mcp.json.bak');
    expect(readdirSync(home).sort()).toEqual(['.mcp.json', '.mcp.json.bak']);
    expect((await typed('tenon config remove project w --yes', world())).code).toBe(0);
    // Not every client reads a comma at the end.
    expect(read('.mcp.json')).toBe(commented.replace('}, // keep', '} // keep'));
  });

  it.each([
    ['the answer is no', { canAsk: true, prompts: scriptedPrompts(false) }, /Nothing was written\. Answer y/],
    ['there is no terminal', {}, /Nothing was written: no terminal to ask\. Add --yes/],
  ])('writes nothing if %s', async (_, more, message) => {
    write('.mcp.json', commented);
    const { code, err } = await typed('tenon config add project w https://a.example/mcp', world(more));
    expect(err).toMatch(message);
    expect(code).toBe(2);
    expect(read('.mcp.json')).toBe(commented);
  });

  it('changes nothing if the server is there already', async () => {
    const line = 'tenon config add project w https://a.example/mcp --yes --json';
    expect(JSON.parse((await typed(line, world())).out).result).toMatchObject({ changed: true });
    expect(JSON.parse((await typed(line, world())).out).result).toMatchObject({ changed: false });
  });

  it('leaves a link to the file, and its mode', async () => {
    write('dotfiles/mcp.json', '{\n\t"mcpServers": {}\n}\n');
    symlinkSync(join(home, 'dotfiles/mcp.json'), join(home, '.mcp.json'));
    await typed('tenon config add project w https://a.example/mcp --yes', world());
    expect(lstatSync(join(home, '.mcp.json')).isSymbolicLink()).toBe(true);
    expect(read('dotfiles/mcp.json')).toContain('\n\t\t"w": {\n\t\t\t"type"');
    expect(statSync(join(home, 'dotfiles/mcp.json')).mode & 0o777).toBe(0o644);
  });

  it('--config names the file', async () => {
    await typed('tenon config add cursor w https://a.example/mcp --config own.json --yes', world());
    expect(JSON.parse(read('own.json'))).toHaveProperty('mcpServers.w.url');
  });
});

it('a file that another program changed meanwhile is not replaced', async () => {
  write('.mcp.json', commented);
  await expect(replaceFile(join(home, '.mcp.json'), '{}', '[]')).rejects.toThrow('changed by another program');
  expect(read('.mcp.json')).toBe(commented);
});

it.each([
  ['an unknown action', 'remov cursor w', /There is no action "remov"\. Did you mean remove\?/],
  ['an unknown client', 'add curser w https://a.example', /There is no client "curser"\. Did you mean cursor\?/],
  ['a missing name', 'add cursor', /NAME is missing/],
  ['a name that is none', 'add cursor ../x https://a.example', /cannot be the name of a server/],
  ['no server', 'add cursor w', /No server was named/],
  ['the name of a server', 'add cursor w other', /other is not a server that can be added/],
  ['a file that is not there', 'add cursor w ./nothing.ts', /There is no file/],
  ['a URL for Claude Desktop', 'add claude-desktop w https://a.example/mcp', /has commands only/],
  ['a project file of Claude Code', 'add claude-code w https://a.example/mcp --project', /Write project as the client/],
  ['a server to remove that is not there', 'remove project nots', /Did you mean notes\?/],
])('config refuses %s', async (_, line, message) => {
  write('.mcp.json', commented);
  const { code, err } = await typed(`tenon config ${line} --yes`, world());
  expect(err).toMatch(message);
  expect(code).toBe(2);
});

it.each([
  ['is broken', '{ "mcpServers": {\n "a": }', /is not JSON: \w+ in line 2\. Correct it first/],
  ['has no object of servers', '{ "mcpServers": [] }', /has no object mcpServers/],
  ['is no object', '[]', /has no object mcpServers/],
])('config leaves a file that %s', async (_, text, message) => {
  write('.mcp.json', text);
  const { code, err } = await typed('tenon config add project w https://a.example/mcp --yes', world());
  expect(err).toMatch(message);
  expect(code).toBe(2);
  expect(read('.mcp.json')).toBe(text);
});

it('a server named __proto__ is not written, and a file with one is reported', async () => {
  const refused = await typed('tenon config add project __proto__ https://a.example/mcp --yes', world());
  expect(refused).toMatchObject({
    code: 2,
    err: expect.stringContaining('"__proto__" cannot be the name of a server'),
  });
  write(
    '.mcp.json',
    '{ "mcpServers": { "__proto__": { "url": "https://a.example" }, "two": { "url": "https://b.example" } } }',
  );
  const { code, err } = await typed('tenon tools two', world());
  expect(code).toBe(2);
  expect(err).toContain('.mcp.json is skipped: it has a field named __proto__. Give it another name.');
});
