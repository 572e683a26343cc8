/** The JSON Schema for editors has the members that the command reads, and refuses what it refuses. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { fileConnect, fileProtect, gatewayFile } from '../../../src/gateway/config/options.table.ts';
import { upstreamKinds } from '../../../src/gateway/config/read-upstreams.ts';
import { fileOnly } from '../../../src/gateway/config/upstream-options.table.ts';
import { authTypes, upstreamMembers } from '../../../src/gateway/config/upstream-options.ts';
import { searchOptions, upstreamLimits } from '../../../src/gateway/options.table.ts';
import { guardLimits } from '../../../src/guard/limits/options.table.ts';
import { root } from '../../architecture/source-tree.ts';
import { configOf } from './file.ts';

const schema = JSON.parse(readFileSync(join(root, 'docs/guide/gateway.schema.json'), 'utf8'));
const validate = new Ajv2020({ strict: false }).compile(schema);
const sorted = (names: readonly string[]): string[] => [...new Set(names)].sort();
const { properties, $defs } = schema;

describe('The schema has exactly the members that are read:', () => {
  it('those of the file', () => {
    expect(sorted(Object.keys(properties))).toEqual(sorted(Object.keys(gatewayFile)));
    expect(sorted(Object.keys(properties.protect.properties))).toEqual(sorted(Object.keys(fileProtect)));
    expect(sorted(Object.keys(properties.connect.properties))).toEqual(sorted(Object.keys(fileConnect)));
    const limits = Object.keys(guardLimits).filter((name) => name !== 'store');
    expect(sorted(Object.keys(properties.limits.properties))).toEqual(sorted(limits));
    expect(sorted(Object.keys(properties.search.anyOf[1].properties))).toEqual(sorted(Object.keys(searchOptions)));
  });

  it('those of an upstream', () => {
    const known = [...Object.keys(upstreamKinds), ...Object.keys(fileOnly), ...upstreamMembers];
    expect(sorted(Object.keys($defs.upstream.properties))).toEqual(sorted(known));
    const { limits } = $defs.upstream.properties;
    expect(sorted(Object.keys(limits.properties))).toEqual(sorted(Object.keys(upstreamLimits)));
  });

  it('those of each type of credentials', () => {
    const described = $defs.auth.oneOf.map(
      ({
        properties: { type, ...members },
        required = [],
      }: {
        properties: Record<string, { const: string }>;
        required?: string[];
      }) => [type?.const, { members: sorted(Object.keys(members)), required: sorted(required) }],
    );
    const read = Object.entries(authTypes).map(([type, members]) => {
      const required = Object.entries(members).filter(([, { isRequired }]) => isRequired === true);
      return [type, { members: sorted(Object.keys(members)), required: sorted(required.map(([name]) => name)) }];
    });
    expect(described).toEqual(read);
  });
});

const secrets = { 's.yaml': `key: ${'x'.repeat(32)}` };
const withUpstream = (upstream: object) => ({ secretsFile: 's.yaml', upstreams: { a: upstream } });

describe('The schema and the command accept', () => {
  it.each([
    ['a URL', withUpstream({ url: 'https://a.example/mcp', share: 'all', hide: ['x'], limits: { queueMs: 1 } })],
    ['a command', withUpstream({ command: 'a', args: ['b'], env: { A: 'b' }, cwd: 'c', type: 'stdio' })],
    ['an API', withUpstream({ openapi: 'a.yaml', baseUrl: 'https://a.example', exclude: [{ tags: ['x'] }] })],
    ['a key', withUpstream({ url: 'https://a.example', auth: { type: 'api-key', secret: 'key', header: 'x-key' } })],
    ['a token', withUpstream({ url: 'https://a.example', auth: { type: 'bearer', file: 'token' } })],
    [
      'a client',
      withUpstream({
        url: 'https://a.example',
        auth: { type: 'client-credentials', issuer: 'https://i.example', clientId: 'c', secret: 'key', scopes: ['s'] },
      }),
    ],
    [
      'every member',
      {
        listen: '[::1]:3000',
        publicUrl: 'https://mcp.example.com/mcp',
        trustedProxies: ['10.0.0.0/8'],
        protect: {
          issuers: ['https://i.example'],
          audiences: ['a'],
          scopes: ['s'],
          impliedScopes: { s: ['t'] },
          rolesClaim: 'r',
          claims: ['c'],
          apiKeys: [{ id: 'i', hash: 'h', subject: 's' }],
        },
        store: 'sqlite:./a.db',
        secretsFile: 's.yaml',
        secrets: ['key'],
        policy: 'p.yaml',
        audit: 'audit',
        lock: 'gateway.lock',
        limits: {
          perPrincipal: '60/min',
          perAddress: '60/min',
          perTool: { 'a__*': '5/min' },
          concurrent: 3,
          costs: { a: 2 },
        },
        search: { pinned: ['a__*'] },
        telemetry: true,
        admin: 9464,
        connect: { clientId: 'gateway', secret: 'key', issuer: 'https://i.example' },
        allowedVariables: ['A'],
        mcpServers: { a: { url: 'https://a.example' } },
      },
    ],
  ])('%s', async (_what, content) => {
    await expect(configOf(JSON.stringify(content), {}, secrets)).resolves.toBeDefined();
    expect(validate(content) || validate.errors).toBe(true);
  });
});

describe('The schema and the command refuse', () => {
  it.each([
    ['nothing', {}],
    ['an unknown member', { ...withUpstream({ url: 'https://a.example' }), serach: true }],
    ['a wrong search', { ...withUpstream({ url: 'https://a.example' }), search: { pinned: 'a' } }],
    ['both members with servers', { upstreams: { a: { url: 'https://a' } }, mcpServers: { a: { url: 'https://a' } } }],
    ['no upstream', { upstreams: {} }],
    ['a wrong address', { listen: 'here', upstreams: { a: { url: 'https://a.example' } } }],
    ['no callers', { protect: { scopes: ['s'] }, upstreams: { a: { url: 'https://a.example' } } }],
    ['an upstream without a server', withUpstream({ share: 'all' })],
    ['two servers', withUpstream({ url: 'https://a.example', command: 'a' })],
    ['members of another kind', withUpstream({ command: 'a', headers: {} })],
    ['an unknown type of credentials', withUpstream({ url: 'https://a.example', auth: { type: 'magic' } })],
    ['credentials without a secret', withUpstream({ url: 'https://a.example', auth: { type: 'api-key' } })],
    ['two tokens', withUpstream({ url: 'https://a.example', auth: { type: 'bearer', secret: 'key', file: 'x' } })],
    ['a transport of another kind', withUpstream({ url: 'https://a.example', type: 'stdio' })],
  ])('%s', async (_what, content) => {
    expect(validate(content)).toBe(false);
    await expect(configOf(JSON.stringify(content), {}, secrets)).rejects.toMatchObject({ code: 'invalid-argument' });
  });
});
