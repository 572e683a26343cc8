/** `tenon repl`, and `tenon` alone: one connection, commands typed one after the other. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, serveHttp } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completeLine } from '../../src/cli/commands/use/line-completion.ts';
import { wordsIn } from '../../src/cli/input/line-words.ts';
import type { Io } from '../../src/cli/io/io.ts';
import server from './fixtures/server.ts';
import { cancel, scriptedPrompts } from './scripted-prompts.ts';
import { typed } from './terminal.ts';

let url = '';
let connections = 0;
let close: () => Promise<unknown>;
let folder = '';
beforeAll(async () => {
  const service = await serveHttp(server, {
    port: 0,
    tap: ({ kind }) => {
      if (kind === 'open') connections += 1;
    },
  });
  url = String(service.url);
  close = () => service.close();
  folder = mkdtempSync(join(tmpdir(), 'tenon-repl-'));
});
afterAll(async () => {
  await close();
  rmSync(folder, { recursive: true });
});

/** Lines that are typed one after the other. */
function lines(...all: readonly string[]): Pick<Io, 'readLine'> {
  const left = [...all];
  return { readLine: async () => left.shift() };
}

describe('tenon repl', () => {
  it('runs the commands that are typed on one connection, and calls a tool by its name [S31]', async () => {
    const { code, out, err } = await typed(`tenon repl ${url}`, {
      canAsk: true,
      ...lines('tools', 'add a=1 b=2', 'call echo value:={"a": [1, "}"]}', '', '# a comment', 'help', 'exit', 'never'),
    });
    expect(code).toBe(0);
    expect(err).toMatch(/^typed, protocol version /);
    expect(out).toMatch(/^add\(a: number, b: number\)\n {4}Adds two numbers$/m);
    expect(out).toMatch(/^3$/m);
    expect(out).toMatch(/^\{"a":\[1,"\}"\]\}$/m);
    expect(out).toMatch(/^\s+read\s+Reads a resource\.$/m);
    expect(out).not.toContain('repl');
  });

  it('has info, remembered tasks and the help of a command on its connection', async () => {
    const snapshot = join(folder, 'snapshot.json');
    const { code, out } = await typed(`tenon repl ${url}`, {
      env: { HOME: folder },
      ...lines('info', 'tasks', 'tools --help', `info --snapshot ${snapshot}`),
    });
    expect(code).toBe(0);
    expect(out).toMatch(/^server\s+typed 1\.2\.3$/m);
    expect(out).toMatch(/^No tasks\.$/m);
    expect(out).toMatch(/^tenon tools \[NAME\] \[OPTIONS\]$/m);
    expect(JSON.parse(readFileSync(snapshot, 'utf8'))).toMatchObject({
      tools: expect.arrayContaining([expect.objectContaining({ name: 'add' })]),
    });
  });

  it('goes on after an error on a terminal, and names what was meant', async () => {
    const { code, out, err } = await typed(`tenon repl ${url}`, {
      canAsk: true,
      ...lines('adds a=1', 'cal add', 'add {', 'call add a=x', 'read', 'echo value=1'),
    });
    expect(code).toBe(0);
    expect(err).toContain('There is no command or tool "adds"');
    expect(err).toContain('Did you mean call?');
    expect(err).toContain('The JSON is not complete.');
    expect(err).toContain('a cannot be "x"');
    expect(err).toContain('URI is missing');
    expect(out).toBe('"1"\n');
  });

  it('ends a script at the first line that fails, with its exit code', async () => {
    const { code, out } = await typed(`tenon repl ${url}`, lines('add a=1 b=1', 'fails', 'add a=2 b=2'));
    expect(code).toBe(1);
    expect(out).toContain('2\n');
    expect(out).not.toContain('4\n');
  });

  it('prints one envelope for each line with --json', async () => {
    const { out } = await typed(`tenon repl ${url} --json`, lines('ping', 'add a=1 b=1'));
    const envelopes = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(envelopes.map(({ command }) => command)).toEqual(['ping', 'call', 'repl']);
  });

  it('ends only the line at Ctrl+C', async () => {
    const { code, out } = await typed(`tenon repl ${url}`, {
      canAsk: true,
      catchInterrupts(onInterrupt) {
        if (first) queueMicrotask(onInterrupt);
        first = false;
        return () => undefined;
      },
      ...lines('add a=1 b=1', 'add a=2 b=2'),
    });
    expect({ code, out }).toEqual({ code: 0, out: '4\n' });
  });
  let first = true;

  it.each<[string, readonly string[]]>([
    ['', ['tools', 'call', 'get', 'read', 'add', 'people', 'mixed', 'echo', 'fails']],
    ['pe', ['people']],
    ['call a', ['add']],
    ['add ', ['a=', 'b=']],
    ['call add a=1 ', ['b=']],
    ['read ', ['notes://one']],
    ['get ', ['hello']],
    ['tools nothing here ', []],
  ])('completes %j', async (line, expected) => {
    const client = await connect(server);
    expect((await completeLine(line, client, ['tools', 'call', 'get', 'read'])).values).toEqual(expected);
    await client.close();
  });

  it.each<[string, readonly string[]]>([
    ['a  b', ['a', 'b']],
    [`x='a b' "c \\" d"`, ['x=a b', 'c " d']],
    ['x:={"a": "b c"} y=1', ['x:={"a": "b c"}', 'y=1']],
    ['x=a{b c', ['x=a{b', 'c']],
    ['a\\ b', ['a b']],
  ])('reads %j as words', (line, expected) => {
    expect(wordsIn(line)).toEqual(expected);
  });
});

describe('tenon alone', () => {
  it('shows the servers of configuration files and connects to the one that is chosen', async () => {
    mkdirSync(join(folder, '.cursor'), { recursive: true });
    const servers = {
      numbers: { url: `${url}?key=hidden` },
      '@a/other': { command: 'never-started', args: ['--token', 'sk-1234567890abcdefghijklmn'] },
    };
    writeFileSync(join(folder, '.cursor', 'mcp.json'), JSON.stringify({ mcpServers: servers }));
    const prompts = scriptedPrompts('numbers@cursor');
    const hints: string[] = [];
    const { code, out } = await typed(['tenon'], {
      canAsk: true,
      cwd: folder,
      env: { HOME: '/nowhere' },
      prompts: {
        ...prompts,
        choose: (question) => {
          hints.push(...question.options.map(({ label, hint }) => `${label}: ${hint}`));
          return prompts.choose(question);
        },
      },
      ...lines('add a=1 b=2'),
    });
    expect({ code, out }).toEqual({ code: 0, out: '3\n' });
    expect(hints).toContainEqual(
      expect.stringMatching(/^@a\/other@cursor: starts never-started --token .*masked.*mcp\.json$/),
    );
    expect(hints.join()).not.toContain('hidden');
  });

  it.each([
    ['none of them', 0],
    [cancel, 130],
  ])('starts nothing unasked: %s', async (answer, expected) => {
    const before = connections;
    const { code, out } = await typed(['tenon'], {
      canAsk: true,
      cwd: folder,
      prompts: scriptedPrompts(answer as string),
    });
    expect({ code, out }).toEqual({ code: expected, out: '' });
    expect(connections).toBe(before);
  });

  it('shows help and exits with 2 without a terminal, or where no server is found', async () => {
    expect(await typed(['tenon'])).toMatchObject({ code: 2, out: expect.stringContaining('tenon COMMAND') });
    const empty = await typed(['tenon'], { canAsk: true });
    expect(empty).toMatchObject({ code: 2, err: 'No servers were found in configuration files.\n' });
  });
});
