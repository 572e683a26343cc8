/** Help fits the width of the terminal, and a mistyped name gets the name that was probably meant. */
import { execFileSync } from 'node:child_process';
import { createServer, serveHttp, tool } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/manifest/commands.ts';
import { program } from './program.ts';
import { typed } from './terminal.ts';

const longest = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));

describe('help', () => {
  it.each(commands.map(({ name }) => name))('of %s has no line over 60 columns on such a terminal', async (name) => {
    const { out } = await typed(`tenon ${name} --help`, { columns: 60 });
    expect(longest(out)).toBeLessThanOrEqual(60);
  });

  it('of all commands has none either, and says what it says on a wide one', async () => {
    const { out } = await typed('tenon --help', { columns: 60 });
    expect(longest(out)).toBeLessThanOrEqual(60);
    const wide = await typed('tenon --help', { columns: 500 });
    const words = (text: string): string[] => text.replaceAll(' \\\n', ' ').split(/\s+/);
    expect(words(out)).toEqual(words(wide.out));
  });

  it('stands below the names where a second column would be too narrow', async () => {
    const { out } = await typed('tenon call --help', { columns: 40 });
    expect(out).toContain('\n  --protocol-version VERSION\n      use this protocol version\n');
  });

  it('breaks a long example as a shell reads it', async () => {
    const { out } = await typed('tenon policy --help', { columns: 60 });
    expect(out).toContain(
      '  tenon policy explain policy.yaml call deploy env=prod \\\n    --as \'{"roles":["ops"]}\'\n',
    );
  });

  it('has the width of COLUMNS, also where its output is no terminal', () => {
    const { command, args } = program('call', '--help');
    const env = { ...process.env, COLUMNS: '60' };
    const out = execFileSync(command, args, { encoding: 'utf8', env });
    expect(longest(out)).toBeLessThanOrEqual(60);
    expect(longest(execFileSync(command, args, { encoding: 'utf8', env: { ...env, COLUMNS: '' } }))).toBeGreaterThan(
      90,
    );
  });
});

describe('a mistyped tool', () => {
  const names = Array.from({ length: 312 }, (_, n) => `get_thing_${n}`);
  const server = createServer({
    name: 'many',
    version: '1',
    tools: {
      forecast: tool({}, () => 'fine'),
      ...Object.fromEntries(names.map((name) => [name, tool({}, () => 'x')])),
    },
  });
  let url = '';
  let close: () => Promise<unknown>;
  beforeAll(async () => {
    const service = await serveHttp(server, { port: 0 });
    url = String(service.url);
    close = () => service.close();
  });
  afterAll(() => close());

  it.each([
    ['forcast', 'There is no tool "forcast". Did you mean forecast?'],
    ['thing_311', 'There is no tool "thing_311". Did you mean get_thing_311?'],
    ['thing', 'There is no tool "thing". Did you mean get_thing_0, get_thing_1, get_thing_10?'],
    ['nothing-like-it', 'There is no tool "nothing-like-it". The server has 313 tools: tenon tools lists them.'],
  ])('%s gets the nearest names, and never the whole list', async (name, message) => {
    expect(await typed(`tenon call ${url} ${name}`)).toMatchObject({ code: 2, err: `tenon: ${message}\n` });
    expect((await typed(`tenon bench ${url} ${name} -n 1`)).err).toBe(`tenon: ${message}\n`);
  });

  it('is suggested in repl as well', async () => {
    const lines = ['forcast'];
    const { err } = await typed(`tenon repl ${url}`, { readLine: async () => lines.shift() });
    expect(err).toBe('tenon: There is no command or tool "forcast". Did you mean forecast?\n');
  });
});
