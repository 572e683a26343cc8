/** The configuration of servers: what is read, what is put in, and what is refused with its place. */
import { describe, expect, it } from 'vitest';
import { readServers } from './config.ts';

const env = { TOKEN: 'secret', HOME: '/home/ada', EMPTY: '' };
const read = (config: unknown) => readServers(config, env).servers;
const targetsOf = (config: unknown) => read(config).map(({ target }) => target);

describe('a configuration', () => {
  it('is read as files have it, or as the record in them, unknown fields ignored [S31]', () => {
    const files = { command: 'npx', args: ['-y', 'server'], type: 'stdio', autoApprove: ['x'], timeout: 3 };
    const seats = [{ server: 'files', target: { command: 'npx', args: ['-y', 'server'] } }];
    expect(read({ mcpServers: { files }, globalShortcut: 'Ctrl+Space' })).toEqual(seats);
    expect(read({ files })).toEqual(seats);
  });

  it('can name a server mcpServers', () => {
    expect(read({ mcpServers: { command: 'a' } })).toEqual([{ server: 'mcpServers', target: { command: 'a' } }]);
  });

  it('leaves out what is disabled', () => {
    expect(read({ a: { command: 'a', disabled: true }, b: { command: 'b', disabled: false } })).toMatchObject([
      { server: 'b' },
    ]);
  });

  it.each(['http', 'sse', 'streamable-http'])('takes an address of type %s', (type) => {
    const headers = { authorization: 'Bearer x' };
    expect(targetsOf({ a: { type, url: 'https://a.example/mcp', headers } })).toEqual([
      { url: 'https://a.example/mcp', headers },
    ]);
  });

  it('has variables put in everywhere, with defaults where they are missing or empty', () => {
    const entry = {
      command: '${HOME}/bin/${NAME:-server}',
      args: ['--dir=${HOME}', '${env:TOKEN}', '${EMPTY:-full}', '$HOME', '${1}'],
      env: { KEY: '${TOKEN}' },
      cwd: '${HOME}',
    };
    expect(targetsOf({ a: entry })).toEqual([
      {
        command: '/home/ada/bin/server',
        args: ['--dir=/home/ada', 'secret', 'full', '$HOME', '${1}'],
        env: { KEY: 'secret' },
        cwd: '/home/ada',
      },
    ]);
    const address = { url: 'https://${HOST:-a.example}/mcp', headers: { authorization: 'Bearer ${TOKEN}' } };
    expect(targetsOf({ a: address })).toEqual([
      { url: 'https://a.example/mcp', headers: { authorization: 'Bearer secret' } },
    ]);
  });

  it('does not put in what a value of a variable looks like', () => {
    expect(readServers({ a: { command: '${A}' } }, { A: '${B}', B: 'b' }).servers).toMatchObject([
      { target: { command: '${B}' } },
    ]);
  });

  it.each([
    ['${MISSING}', 'Set MISSING in the environment, or write ${MISSING:-default}.'],
    ['${toString}', 'Set toString in the environment, or write ${toString:-default}.'],
    ['${input:key}', 'Use a variable: ${NAME}, or ${NAME:-default}.'],
  ])('with %s in one server keeps the others, and that one says what to do', (text, hint) => {
    const [broken, sound] = read({ a: { command: 'x', env: { KEY: text } }, b: { command: 'b' } });
    expect(broken?.target).toMatchObject({ code: 'invalid-argument', hint });
    expect(broken?.target).toMatchObject({ message: expect.stringContaining('servers.a.env.KEY') });
    expect(sound?.target).toEqual({ command: 'b' });
  });

  it('that is wrong in many places is refused with all of them and none of its values', () => {
    const config = {
      mcpServers: {
        a: { command: 3, args: 'secret', env: { KEY: 5 }, cwd: [] },
        b: { url: '', headers: { authorization: ['secret'] }, type: 'stdio' },
        c: {},
        d: { command: 'a', url: 'b' },
        e: 'secret',
        f: { command: 'x', type: 'http', disabled: 'secret' },
        g: { url: 'secret' },
        h: { url: 'https://a.example', httpUrl: 'https://a.example' },
        '': { command: 'x' },
      },
    };
    const { problems } = readServers(config, env);
    expect(problems.map(({ place }) => place)).toEqual([
      'mcpServers.a.command',
      'mcpServers.a.args',
      'mcpServers.a.env',
      'mcpServers.a.cwd',
      'mcpServers.b.type',
      'mcpServers.b.headers',
      'mcpServers.b.url',
      'mcpServers.c',
      'mcpServers.d',
      'mcpServers.e',
      'mcpServers.f.disabled',
      'mcpServers.f.type',
      'mcpServers.g.url',
      'mcpServers.h',
      'mcpServers.',
    ]);
    for (const { place, text, hint } of problems) {
      expect(text).toContain(place);
      expect(text + hint).not.toContain('secret');
    }
  });

  it('can call an address httpUrl, as some hosts do', () => {
    expect(targetsOf({ a: { httpUrl: 'https://${HOST:-a.example}/mcp' } })).toEqual([{ url: 'https://a.example/mcp' }]);
    expect(readServers({ a: { httpUrl: 'a.example' } }, env).problems).toMatchObject([{ place: 'servers.a.httpUrl' }]);
  });

  it.each([undefined, null, 'x', [], { mcpServers: 3 }])('that is %j is refused', (config) => {
    expect(() => read(config)).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
  });
});
