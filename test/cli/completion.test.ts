/** Shells complete commands, options and servers by `tenon completion`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keys, openProgram, tenonWords } from './pseudo-terminal.ts';
import { typed } from './terminal.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tenon-completion-'));
  const servers = {
    weather: { url: 'https://example.com' },
    wiki: { command: 'never-started' },
    'our files': { command: 'never-started' },
  };
  writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: servers }));
});
afterAll(() => rmSync(folder, { recursive: true }));

const completed = async (...words: readonly string[]): Promise<string[]> => {
  const { out } = await typed(['tenon', '__complete', ...words], { cwd: folder });
  return out.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')[0] ?? '']));
};

describe('completion', () => {
  it.each<[readonly string[], readonly string[]]>([
    [['cal'], ['call']],
    [
      ['help', 'com'],
      ['complete', 'completion'],
    ],
    [['tools', 'we'], ['weather']],
    [
      ['call', '--timeout', '5', 'w'],
      ['weather', 'wiki'],
    ],
    [['call', 'weather', 'w'], []],
    [['call', '--time'], ['--timeout']],
    [['call', 'weather', '--header', 'w'], []],
    [['call', '--', 'w'], []],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [
      ['config', ''],
      ['add', 'remove'],
    ],
    [
      ['config', 'add', 'claude'],
      ['claude-code', 'claude-desktop'],
    ],
    [['config', 'add', 'cursor', 'name', 'wea'], ['weather']],
    [['policy', 'ex'], ['explain']],
    [['tasks', 'weather', 're'], ['result']],
    [['tasks', 'weather', 'result', ''], []],
    [['nothing', ''], []],
  ])('of %j is %j [S31]', async (words, expected) => {
    expect(await completed(...words)).toEqual(expected);
  });

  it.each(['bash', 'zsh', 'fish'])('has a script for %s', async (shell) => {
    const { code, out } = await typed(`tenon completion ${shell}`);
    expect(code).toBe(0);
    expect(out).toContain('tenon __complete');
  });

  it('names the nearest shell', async () => {
    expect(await typed('tenon completion bahs')).toMatchObject({ code: 2, err: expect.stringMatching(/bash/) });
  });

  it('works in a real bash: Tab completes a command, and the name of a server', async () => {
    const { out: script } = await typed('tenon completion bash');
    const call = tenonWords.map((word) => `'${word}'`).join(' ');
    writeFileSync(join(folder, 'rc'), `PS1='ready> '\ntenon() { ${call} "$@"; }\n${script}`);
    const shell = openProgram(['bash', '--noprofile', '--rcfile', 'rc', '-i'], folder);
    await shell.shows('ready> ');
    shell.type(`tenon comple${keys.tab}`);
    await shell.shows('tenon complet');
    shell.type(`ion --js${keys.tab}`);
    await shell.shows('--json ');
    shell.type(`${keys.ctrlU}tenon tools wea${keys.tab}`);
    await shell.shows('tenon tools weather ');
    shell.type(`${keys.ctrlU}tenon tools our${keys.tab}`);
    await shell.shows('tenon tools our\\ files ');
    shell.type(`${keys.ctrlU}exit${keys.enter}`);
    expect(await shell.exited).toBeTypeOf('number');
  });
});
