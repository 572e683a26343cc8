/** A template with `list` shows its resources in the list of resources. */
import { createServer, resource, resourceTemplate, type ServerOptions } from 'tenon';
import { createPolicy, guard } from 'tenon/guard';
import { protocolVersions } from 'tenon/protocol';
import { createTestConnection } from 'tenon/test';
import { describe, expect, it, onTestFinished } from 'vitest';

type ListOptions = NonNullable<Parameters<typeof resourceTemplate>[0]>;

const serverWith = (options: ListOptions, more: ServerOptions = {}, pageSize = 100) =>
  createServer(
    {
      name: 'notes',
      version: '1',
      pageSize,
      cache: { ttlMs: 1000, scope: 'public' },
      resources: { 'notes://today': resource({ name: 'today' }, () => 'T') },
      resourceTemplates: { 'notes://days/{day}': resourceTemplate({ mimeType: 'text/plain', ...options }, () => 'D') },
    },
    more,
  );

async function urisOf(server: ReturnType<typeof serverWith>, more: Parameters<typeof createTestConnection>[1] = {}) {
  const { client, close } = await createTestConnection(server, more);
  onTestFinished(() => close());
  return (await client.resources.list().all()).map(({ uri }) => uri);
}

describe.each(protocolVersions)('under %s', (version) => {
  it('lists URIs and records, after the defined resources', async () => {
    const list = async () => ['notes://days/mon', { uri: 'notes://days/tue', name: 'Tuesday' }];
    const { client, close } = await createTestConnection(serverWith({ list }), { protocolVersion: version });
    onTestFinished(() => close());
    expect(await client.resources.list().all()).toMatchObject([
      { uri: 'notes://today', name: 'today' },
      { uri: 'notes://days/mon', name: 'notes://days/mon', mimeType: 'text/plain' },
      { uri: 'notes://days/tue', name: 'Tuesday', mimeType: 'text/plain' },
    ]);
    expect(await client.resources.listTemplates().all()).toHaveLength(1);
  });

  it('in pages', async () => {
    const list = () => ['notes://days/a', 'notes://days/b', 'notes://days/c'];
    expect(await urisOf(serverWith({ list }, {}, 2), { protocolVersion: version })).toEqual([
      'notes://days/a',
      'notes://days/b',
      'notes://days/c',
      'notes://today',
    ]);
  });
});

it('shows a caller only what it may see', async () => {
  const policy = createPolicy(`{ version: 1, rules: [
    { id: see, allow: [list], to: any, on: { resource: 'notes://**', template: 'notes://days/{day}' } },
    { id: hide, deny: [list], to: any, on: { resource: 'notes://days/secret' } }] }`);
  const list = () => ['notes://days/mon', 'notes://days/secret'];
  expect(await urisOf(serverWith({ list }, { guard: guard({ policy }) }))).toEqual([
    'notes://today',
    'notes://days/mon',
  ]);
  const denied = createPolicy('{ version: 1, rules: [] }');
  expect(await urisOf(serverWith({ list }, { guard: guard({ policy: denied }) }))).toEqual([]);
});

it('is not asked for a caller without its scopes', async () => {
  const server = serverWith({ scopes: ['days'], list: ({ caller }) => [`notes://days/${caller.principal?.subject}`] });
  expect(await urisOf(server)).toEqual(['notes://today']);
  const principal = { issuer: 'https://id.example', subject: 'ada', scopes: ['days'] };
  expect(await urisOf(server, { principal })).toEqual(['notes://today', 'notes://days/ada']);
});

it.each([
  ['a URI that does not match', () => ['notes://weeks/1'], 'notes://weeks/1 does not match the template'],
  ['something else', () => [{ uri: 1 }] as never, 'an item is not a resource'],
])('fails with %s, which onError gets', async (_, list, message) => {
  const errors: unknown[] = [];
  await expect(urisOf(serverWith({ list }, { onError: (error) => errors.push(error) }))).rejects.toMatchObject({
    reason: 'internal-error',
  });
  expect(errors).toMatchObject([{ message: expect.stringContaining(message) }]);
});

it('must be a function', () => {
  expect(() => serverWith({ list: ['notes://days/mon'] as never })).toThrow(
    expect.objectContaining({ code: 'invalid-definition' }),
  );
});
