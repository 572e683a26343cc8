/** The configuration of servers: its forms, its variables, and its problems with their places. */
import { describe, expect, it } from 'vitest';
import { readServers } from './config.ts';
import { readVariables } from './variables.ts';

const env = { TOKEN: 'secret', HOME: '/home/ada', EMPTY: '' };
const read = (config: unknown, given = env) => readServers(config, readVariables({ env: given }, {})).servers;
const targetsOf = (config: unknown) => read(config).map(({ target }) => target);

describe('a configuration', () => {
  it('is the content of a file or the record of servers in it; unknown fields are ignored [S31]', () => {
    const files = { command: 'npx', args: ['-y', 'server'], type: 'stdio', autoApprove: ['x'], timeout: 3 };
    const origin = { command: 'npx', args: ['-y', 'server'] };
    const expected = [{ server: 'files', origin, target: { command: 'npx', args: ['-y', 'server'] } }];
    expect(read({ mcpServers: { files }, globalShortcut: 'Ctrl+Space' })).toMatchObject(expected);
    expect(read({ files })).toMatchObject(expected);
  });

  it('can have a server named mcpServers', () => {
    expect(read({ mcpServers: { command: 'a' } })).toMatchObject([{ server: 'mcpServers', target: { command: 'a' } }]);
  });

  it('leaves out disabled servers', () => {
    expect(read({ a: { command: 'a', disabled: true }, b: { command: 'b', disabled: false } })).toMatchObject([
      { server: 'b' },
    ]);
  });

  it.each(['http', 'sse', 'streamable-http'])('accepts a URL of type %s', (type) => {
    const headers = { authorization: 'Bearer x' };
    expect(targetsOf({ a: { type, url: 'https://a.example/mcp', headers } })).toEqual([
      { url: 'https://a.example/mcp', headers },
    ]);
  });

  it('has variables replaced everywhere, by the default if they are missing or empty', () => {
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

  it.each(['${HOME:-', '${a:b', '${env:', '${HOME'])(
    'is read in linear time, however often %s stays open [S24]',
    (open) => {
      const text = open.repeat(300_000);
      expect(targetsOf({ a: { command: `\${NAME:-x}${text}` } })).toEqual([{ command: `x${text}` }]);
      expect(read({ a: { command: `${text}}` } })).toHaveLength(1);
    },
  );

  it('does not expand variables in the value of a variable', () => {
    expect(read({ a: { command: '${A}' } }, { A: '${B}', B: 'b' } as never)).toMatchObject([
      { target: { command: '${B}' } },
    ]);
  });

  it.each([
    ['${MISSING}', 'Set MISSING in the environment, or write ${MISSING:-default}.'],
    ['${toString}', 'Set toString in the environment, or write ${toString:-default}.'],
    ['${input:key}', 'Use a variable: ${NAME}, or ${NAME:-default}.'],
  ])('with %s in one server gives an error with a hint for that one, and the others are read', (text, hint) => {
    const [broken, other] = read({ a: { command: 'x', env: { KEY: text } }, b: { command: 'b' } });
    expect(broken?.target).toMatchObject({ code: 'invalid-argument', hint });
    expect(broken?.target).toMatchObject({ message: expect.stringContaining('servers.a.env.KEY') });
    expect(other?.target).toEqual({ command: 'b' });
  });

  it('with many problems reports all places and no values', () => {
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
    const { problems } = readServers(config, readVariables({ env }, {}));
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
      'mcpServers[""]',
    ]);
    for (const { place, text, hint } of problems) {
      expect(text).toContain(place);
      expect(text + hint).not.toContain('secret');
    }
  });

  it('can have httpUrl for a URL, as some hosts write it', () => {
    expect(targetsOf({ a: { httpUrl: 'https://${HOST:-a.example}/mcp' } })).toEqual([{ url: 'https://a.example/mcp' }]);
    expect(readServers({ a: { httpUrl: 'a.example' } }, readVariables({ env }, {})).problems).toMatchObject([
      { place: 'servers.a.httpUrl' },
    ]);
  });

  it.each([undefined, null, 'x', [], { mcpServers: 3 }])('that is %j throws', (config) => {
    expect(() => read(config)).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
  });
});
