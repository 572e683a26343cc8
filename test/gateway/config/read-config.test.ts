/** The file of a gateway is read, or refused with the line, the member and the fix of every problem. */
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/gateway/config/read-config.ts';
import { configOf, folderWith } from './file.ts';

const one = 'upstreams:\n  a: { url: https://a.example/mcp }\n';
const refusal = async (text: string, env = {}, files = {}): Promise<string> => {
  const config = configOf(text, env, files);
  await expect(config).rejects.toMatchObject({ code: 'invalid-argument' });
  return config.then(
    () => '',
    (error: Error) => error.message,
  );
};

describe('The file of a gateway', () => {
  it('has upstreams of three kinds, and paths that are relative to it', async () => {
    const folder = folderWith();
    const path = folder.write(
      'gateway.yaml',
      `listen: 0.0.0.0:8080
publicUrl: https://mcp.example.com/all
protect: { issuer: https://id.example.com, scopes: [mcp] }
store: sqlite:./data/gateway.db
policy: policy.yaml
admin: 9464
upstreams:
  files: { command: node, args: [files.js], share: session }
  github: { url: https://github.example/mcp, prefix: gh }
  pets: { openapi: pets.yaml, include: [{ methods: [get] }] }
  old: { url: https://old.example/mcp, disabled: true }
`,
    );
    const config = await readConfig(path, 'gateway.yaml', {});
    expect(config).toMatchObject({
      listen: { host: '0.0.0.0', port: 8080 },
      admin: { host: '127.0.0.1', port: 9464 },
      content: { policy: `${folder.path}/policy.yaml`, store: `sqlite:${folder.path}/data/gateway.db` },
      upstreams: {
        files: { command: 'node', args: ['files.js'], cwd: folder.path, share: 'session' },
        github: { url: 'https://github.example/mcp', prefix: 'gh' },
        pets: { openapi: `${folder.path}/pets.yaml`, include: [{ methods: ['get'] }] },
      },
    });
    expect(config.publicUrl?.href).toBe('https://mcp.example.com/all');
    expect(Object.keys(config.upstreams)).toEqual(['files', 'github', 'pets']);
  });

  it('can be JSON as hosts write it', async () => {
    const servers = { a: { type: 'stdio', command: 'a', args: [] }, b: { type: 'sse', url: 'https://b.example/sse' } };
    const { upstreams, member, listen } = await configOf(JSON.stringify({ mcpServers: servers }));
    expect(Object.keys(upstreams)).toEqual(['a', 'b']);
    expect([member, listen]).toEqual(['mcpServers', { host: '127.0.0.1', port: 3000 }]);
  });

  it('is refused where it does not exist, or is no text', async () => {
    const folder = folderWith({ 'bytes.yaml': '' });
    const read = (name: string) => readConfig(`${folder.path}/${name}`, name, {});
    await expect(read('none.yaml')).rejects.toThrow('none.yaml:1: The file cannot be read: there is no such file.');
    await expect(readConfig(folder.path, 'folder', {})).rejects.toThrow('folder:1: The file cannot be read');
  });
});

describe('A wrong file is refused with the line, the member and the fix', () => {
  it.each([
    ['an unknown member', `${one}upstream: {}`, 'gateway.yaml:3: upstream is not an option. Did you mean upstreams?'],
    ['a member of later', `tokenExchange: true\n${one}`, 'gateway.yaml:1: tokenExchange is not an option.'],
    ['no upstreams', 'listen: 3000', 'gateway.yaml:1: upstreams is missing. Write upstreams:'],
    ['upstreams twice', `${one}mcpServers:\n  b: { url: https://b.example }`, 'gateway.yaml:3: upstreams is set, too.'],
    [
      'empty upstreams',
      'listen: 3\nupstreams: {}',
      'gateway.yaml:2: upstreams is not valid. upstreams must be an object',
    ],
    [
      'only disabled ones',
      'upstreams:\n  a: { url: https://a.example, disabled: true }',
      'gateway.yaml:1: upstreams are all',
    ],
    [
      'a wrong port',
      `listen: 70000\n${one}`,
      'gateway.yaml:1: listen is not valid. listen must be a port such as 3000',
    ],
    ['a value without a text', `${one}policy:`, 'gateway.yaml:3: policy is not valid.'],
    ['an unknown store', `store: mysql://x\n${one}`, "gateway.yaml:1: store: No store has the scheme 'mysql:'."],
    ['a wrong limit', `limits:\n  perPrincipal: often\n${one}`, 'gateway.yaml:2: limits.perPrincipal is not valid.'],
    ['the store of limits', `limits:\n  store: {}\n${one}`, 'gateway.yaml:2: limits.store is not an option.'],
    [
      'other machines',
      `listen: 0.0.0.0:80\npublicUrl: https://a.example/mcp\n${one}`,
      'protect is missing. Add protect:',
    ],
    ['no public URL', `listen: 0.0.0.0:80\nprotect: { issuer: https://i.example }\n${one}`, 'publicUrl is missing.'],
    ['no callers', `protect: { scopes: [a] }\n${one}`, 'gateway.yaml:1: protect admits no caller.'],
    [
      'issuers twice',
      `protect: { issuer: https://i.example, issuers: [https://j.example] }\n${one}`,
      'issuer and issuers',
    ],
    [
      'a port unknown',
      `listen: 0\nprotect: { issuer: https://i.example }\n${one}`,
      'gateway.yaml:2: protect needs publicUrl.',
    ],
  ])('%s', async (_what, text, problem) => {
    expect(await refusal(text)).toContain(problem);
  });

  const upstream = (members: string): string => `upstreams:\n  a:\n    ${members.replaceAll('\n', '\n    ')}`;
  it.each([
    ['no server', 'share: all', 'gateway.yaml:2: upstreams.a has no server. Write one of command, url or openapi.'],
    ['two servers', 'url: https://a.example\ncommand: a', 'gateway.yaml:2: upstreams.a has command and url.'],
    [
      'an unknown option',
      'url: https://a.example\nshared: all',
      'gateway.yaml:4: upstreams.a.shared is not an option. Did you mean share?',
    ],
    [
      'a server of the program',
      'url: https://a.example\nserver: x',
      'gateway.yaml:4: upstreams.a.server is not an option.',
    ],
    [
      'credentials of a command',
      'command: a\nauth: { type: bearer, secret: s }',
      'gateway.yaml:4: upstreams.a.auth is not for an upstream with command. It is for one with url or openapi.',
    ],
    [
      'arguments of a URL',
      'url: https://a.example\nargs: []',
      'upstreams.a.args is not for an upstream with url. It is for one with command.',
    ],
    ['another transport', 'command: a\ntype: http', 'gateway.yaml:4: upstreams.a.type does not fit command.'],
    [
      'an unknown credential',
      'url: https://a.example\nauth: { type: magic }',
      'upstreams.a.auth is not valid. upstreams.a.auth must be an object with a type: api-key, bearer, client-credentials, oauth, token-exchange.',
    ],
    ['sign-in without a page', 'url: https://a.example\nauth: { type: oauth }', 'upstreams.a.auth needs connect.'],
    [
      'a token in the file',
      'url: https://a.example\nauth: { type: bearer, token: x }',
      'upstreams.a.auth.token is not an option.',
    ],
    [
      'two tokens',
      'url: https://a.example\nauth: { type: bearer, secret: a, file: b }',
      'upstreams.a.auth needs secret or file.',
    ],
    [
      'no client',
      'url: https://a.example\nauth: { type: client-credentials, issuer: https://i.example, secret: s }',
      'upstreams.a.auth.clientId is missing.',
    ],
    ['no object', 'x', 'upstreams.a is not an object.'],
  ])('an upstream with %s', async (_what, members, problem) => {
    expect(await refusal(upstream(members))).toContain(problem);
  });

  it('lists every problem, in the order of the file', async () => {
    const text = 'listen: x\nupstreams:\n  a: { share: all }\n  b: { url: https://b.example, args: [] }\nstore: 3\n';
    const lines = (await refusal(text)).match(/gateway\.yaml:\d+:/g);
    expect(lines).toEqual(['gateway.yaml:1:', 'gateway.yaml:3:', 'gateway.yaml:4:', 'gateway.yaml:5:']);
  });
});

describe('Variables of the environment', () => {
  const text = (allowed: string): string =>
    `${allowed}upstreams:\n  a:\n    url: https://\${HOST}/mcp\n    headers: { x-team: '\${TEAM:-all}' }\n`;

  it('stand where the file allows them, defaults too', async () => {
    const { upstreams } = await configOf(text('allowedVariables: [HOST, TEAM]\n'), { HOST: 'a.example' });
    expect(upstreams.a).toMatchObject({ url: 'https://a.example/mcp', headers: { 'x-team': 'all' } });
  });

  it('are refused where it does not, and their values are in no error', async () => {
    const problem = await refusal(text('allowedVariables: [TEAM]\n'), { HOST: 'planted.example' });
    expect(problem).toContain(
      'gateway.yaml:4: upstreams.a.url has the variable HOST, which is not in allowedVariables. Add it: allowedVariables: [HOST].',
    );
    expect(problem).not.toContain('planted');
  });

  it('that are not set are refused', async () => {
    expect(await refusal(text('allowedVariables: [HOST, TEAM]\n'))).toContain(
      'gateway.yaml:4: upstreams.a.url needs the variable HOST',
    );
  });

  it('cannot allow others', async () => {
    const nested = `allowedVariables: ['\${NAMES}']\n${one}`;
    expect((await configOf(nested, { NAMES: 'HOST' })).content.allowedVariables).toEqual(['${NAMES}']);
  });
});

describe('Secrets', () => {
  const text = `secretsFile: secrets.yaml\nupstreams:\n  a:\n    url: https://a.example\n    auth: { type: bearer, secret: team }\n`;

  it('are found by their names', async () => {
    const { secrets } = await configOf(text, {}, { 'secrets.yaml': 'team: planted-secret\n' });
    expect(secrets.get('team')).toBe('planted-secret');
  });

  it.each([
    [
      'are not there',
      { 'secrets.yaml': 'other: planted' },
      'gateway.yaml:5: upstreams.a.auth.secret names the secret team, which does not exist.',
    ],
    ['are in no file', {}, 'gateway.yaml:1: There is no file'],
    ['are no texts', { 'secrets.yaml': 'a: b1\nteam: 3' }, 'secrets.yaml:2: team is not a secret.'],
    ['have line breaks', { 'secrets.yaml': 'team: "planted\\nplanted"' }, 'secrets.yaml:1: team is not a secret.'],
    [
      'are not YAML',
      { 'secrets.yaml': 'team: "planted" planted' },
      'secrets.yaml:1: The file is not valid YAML or JSON.',
    ],
  ])('that %s are refused, and no value is in the error', async (_what, files, problem) => {
    const message = await refusal(text, {}, files);
    expect(message).toContain(problem);
    expect(message).not.toContain('planted');
  });

  it('that others can read are refused', async (context) => {
    if (process.platform === 'win32') context.skip('Windows has no such permissions');
    const folder = folderWith({ 'gateway.yaml': text });
    folder.write('secrets.yaml', 'team: planted', 0o644);
    const read = readConfig(`${folder.path}/gateway.yaml`, 'gateway.yaml', {});
    await expect(read).rejects.toThrow(/^gateway\.yaml:1: .*open to other users.*chmod 600/);
  });

  it('that seal have 32 characters or more', async () => {
    const sealed = `secretsFile: s.yaml\nsecrets: [seal]\n${one}`;
    expect(await refusal(sealed, {}, { 's.yaml': 'seal: short' })).toContain(
      'gateway.yaml:2: secrets[0] names a secret that is too short.',
    );
    expect((await configOf(sealed, {}, { 's.yaml': `seal: ${'x'.repeat(32)}` })).content.secrets).toEqual(['seal']);
  });
});
