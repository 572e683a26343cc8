/** `tenon gateway --config FILE --check`: the number of upstreams, or each problem as `FILE:LINE:`. */
import { describe, expect, it } from 'vitest';
import { typed } from '../../cli/terminal.ts';
import { folderWith } from '../config/file.ts';

const good = 'upstreams:\n  a: { url: https://a.example/mcp }\n  b: { command: nothing-is-started }\n';

const checked = (files: Readonly<Record<string, string>>, more = '') =>
  typed(`tenon gateway --config gateway.yaml --check${more}`, { cwd: folderWith(files).path });

describe('tenon gateway --check', () => {
  it('prints the number of upstreams, and starts and connects nothing', async () => {
    expect(await checked({ 'gateway.yaml': good })).toEqual({ code: 0, out: '2 upstreams\n', err: '' });
    const json = await checked({ 'gateway.yaml': good }, ' --json');
    expect(JSON.parse(json.out)).toMatchObject({ ok: true, result: { upstreams: 2 } });
  });

  it('prints each problem on a line of its own and exits with 2', async () => {
    const text = 'listen: x\nupstreams:\n  a: { url: https://a.example, args: [] }\n';
    const { code, out, err } = await checked({ 'gateway.yaml': text });
    expect([code, out]).toEqual([2, '']);
    expect(err.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^gateway\.yaml:1: listen is not valid\./),
      expect.stringMatching(/^gateway\.yaml:3: upstreams\.a\.args is not for an upstream with url\./),
    ]);
    const json = await checked({ 'gateway.yaml': text }, ' --json');
    expect(json).toMatchObject({ code: 2, err: '' });
    expect(JSON.parse(json.out)).toMatchObject({ ok: false, result: { problems: [{ line: 1 }, { line: 3 }] } });
  });

  it.each([
    [
      'an option of createGateway()',
      'upstreams:\n  a:\n    url: https://a.example\n    share: everyone\n',
      {},
      'gateway.yaml:4: upstreams.a.share must be',
    ],
    [
      'the same as hosts write it',
      'mcpServers:\n  a:\n    url: https://a.example\n    share: everyone\n',
      {},
      'gateway.yaml:4: mcpServers.a.share must be',
    ],
    [
      'a rule of the policy',
      `${good}policy: policy.yaml\n`,
      { 'policy.yaml': 'version: 1\nrules:\n  - { id: a }\n' },
      'policy.yaml:3: rules[0] has no effect.',
    ],
    ['a policy that is not there', `${good}policy: policy.yaml\n`, {}, 'gateway.yaml:4: The policy'],
    ['a lock that is none', `${good}lock: gateway.lock\n`, { 'gateway.lock': '{' }, 'gateway.yaml:4: '],
    [
      'an API that is not there',
      'upstreams:\n  pets: { openapi: pets.yaml }\n',
      {},
      'gateway.yaml:2: There is no file ',
    ],
    [
      'a URL of another protocol',
      'upstreams:\n  a:\n    url: ftp://a.example\n',
      {},
      'gateway.yaml:3: upstreams.a.url must be',
    ],
    [
      'an unknown protocol version',
      'upstreams:\n  a:\n    command: x\n    protocolVersions: ["2020-01-01"]\n',
      {},
      'gateway.yaml:4: upstreams.a.protocolVersions must be',
    ],
    [
      'a name that no tool can have',
      'upstreams:\n  "a b":\n    command: x\n',
      {},
      'gateway.yaml:2: upstreams["a b"] must be named by',
    ],
    ['a proxy that is no address', `${good}trustedProxies: [proxy]\n`, {}, 'gateway.yaml:4: trustedProxies[0] '],
    [
      'an API that is none',
      'upstreams:\n  pets:\n    openapi: pets.yaml\n',
      { 'pets.yaml': 'swagger: "2.0"' },
      'gateway.yaml:3: ',
    ],
    ['an issuer', `protect:\n  issuer: http://id.example.com\n${good}`, {}, 'gateway.yaml:2: '],
    [
      'an API key',
      `protect:\n  apiKeys:\n    - { id: x, hash: y, subject: ada }\n${good}`,
      {},
      'gateway.yaml:3: protect.apiKeys[0] is not valid.',
    ],
    ['a file that is not there', undefined, {}, 'gateway.yaml:1: The file cannot be read: there is no such file.'],
  ])('finds %s', async (_what, text, files, problem) => {
    const { code, err } = await checked({ ...files, ...(text !== undefined && { 'gateway.yaml': text }) });
    expect(err).toMatch(new RegExp(`^${problem.replace(/[.[\]()]/g, '\\$&')}`));
    expect(code).toBe(2);
  });

  it('needs the file', async () => {
    expect(await typed('tenon gateway')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--config is missing'),
    });
  });
});
