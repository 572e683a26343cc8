/** What a server that is started is given: its arguments unchanged, a safe environment, its folder, and no shell. */
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CommandTarget, connect, toText } from 'tenon';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { byHand, program } from '../../kit/process/node-script.ts';

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

const notifying = byHand(
  'reply(JSON.stringify({ args: process.argv.slice(1), env: process.env, cwd: process.cwd() }))',
);

async function given(more: Partial<CommandTarget>): Promise<Given> {
  const client = await connect(program(notifying, more), { protocolVersions: ['2025-06-18'] });
  const answer = await client.tools.call('any');
  await client.close();
  return JSON.parse(toText(answer)) as Given;
}

it('arguments arrive as they are, whatever a shell would make of them', async () => {
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

it('a server gets what programs need and none of the secrets, and over it what the command asks for', async () => {
  vi.stubEnv('GITHUB_TOKEN', 'secret');
  vi.stubEnv('NODE_OPTIONS', '--no-warnings');
  vi.stubEnv('LANG', 'de_CH.UTF-8');
  const { env } = await given({ env: { API_KEY: 'for you = "this"\n☃', TZ: 'UTC', NOT: undefined } });
  expect(env).toMatchObject({ PATH: process.env.PATH, LANG: 'de_CH.UTF-8', API_KEY: 'for you = "this"\n☃', TZ: 'UTC' });
  for (const name of ['GITHUB_TOKEN', 'NODE_OPTIONS', 'NOT', 'VITEST']) expect(env).not.toHaveProperty(name);
});

it('a server runs in the folder it is given, and in that of its client otherwise', async () => {
  expect((await given({ cwd: folder })).cwd).toBe(folder);
  expect((await given({})).cwd).toBe(process.cwd());
});

it('a program is looked for in the PATH that the command gives', async () => {
  const PATH = join(process.execPath, '..');
  expect((await given({ command: 'node', env: { PATH } })).env.PATH).toBe(PATH);
});
