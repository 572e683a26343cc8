/** How a server process is started: its arguments unchanged, a safe environment, its working directory, and no shell. */
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CommandTarget, connect, toText } from 'tenon';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { program, rawServerScript } from '../../kit/process/node-script.ts';

let folder = '';
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-environment-')));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
  vi.unstubAllEnvs();
});

interface Given {
  readonly args: string[];
  readonly env: Record<string, string>;
  readonly cwd: string;
}

const reporting = rawServerScript(
  'reply(JSON.stringify({ args: process.argv.slice(1), env: process.env, cwd: process.cwd() }))',
);

async function given(more: Partial<CommandTarget>): Promise<Given> {
  const client = await connect(program(reporting, more), { protocolVersions: ['2025-06-18'] });
  const answer = await client.tools.call('any');
  await client.close();
  return JSON.parse(toText(answer)) as Given;
}

it('arguments arrive unchanged, whatever a shell would make of them', async () => {
  const args = [
    'two words',
    '',
    '"double" \'single\'',
    '$HOME',
    '$(touch ran)',
    '`touch ran`',
    '; touch ran',
    '&& touch ran',
    '| tee ran',
    '*',
    '~',
    '%PATH%',
    'back\\slash',
    'line\nbreak',
    'grüße ☃ 日本語 🎉',
    '--',
  ];
  expect((await given({ args, cwd: folder })).args).toEqual(args);
  expect(readdirSync(folder)).toEqual([]);
});

it('a server gets the variables that programs need, no secrets, and those of the "env" option', async () => {
  vi.stubEnv('GITHUB_TOKEN', 'secret');
  vi.stubEnv('NODE_OPTIONS', '--no-warnings');
  vi.stubEnv('LANG', 'de_CH.UTF-8');
  const { env } = await given({ env: { API_KEY: 'for you = "this"\n☃', TZ: 'UTC', NOT: undefined } });
  expect(env).toMatchObject({ PATH: process.env.PATH, LANG: 'de_CH.UTF-8', API_KEY: 'for you = "this"\n☃', TZ: 'UTC' });
  for (const name of ['GITHUB_TOKEN', 'NODE_OPTIONS', 'NOT', 'VITEST']) expect(env).not.toHaveProperty(name);
});

it('a server runs in the folder of the "cwd" option, by default in that of its client', async () => {
  expect((await given({ cwd: folder })).cwd).toBe(folder);
  expect((await given({})).cwd).toBe(process.cwd());
});

it('a command is searched for in the PATH of the "env" option', async () => {
  const PATH = join(process.execPath, '..');
  expect((await given({ command: 'node', env: { PATH } })).env.PATH).toBe(PATH);
});
