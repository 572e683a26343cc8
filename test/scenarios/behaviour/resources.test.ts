import { connect, createServer, resource, resourceTemplate, rpcError } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { openAt } from '../../kit/transport/raw-connection.ts';
import { scriptedAt } from '../../kit/transport/scripted-server.ts';
import { isSession } from '../../kit/version-order.ts';

const bytes = Uint8Array.from({ length: 70_000 }, (_, n) => n % 256);
const annotations = { audience: ['user' as const], priority: 0.5, lastModified: '2025-01-12T15:00:58Z' };
const facts = { name: 'today', title: 'Today', description: 'Notes of today', mimeType: 'text/plain', size: 11 };

const makeServer = () =>
  createServer(
    {
      name: 'notes',
      version: '1',
      resources: {
        'notes://today': resource({ ...facts, annotations }, () => 'buy bread ✓'),
        'notes://scan': resource({ mimeType: 'image/png' }, () => bytes),
        'notes://album': resource({ mimeType: 'text/plain' }, () => [
          { text: 'a page' },
          { uri: 'notes://album/2', mimeType: 'image/gif', bytes: new Uint8Array([0, 255]) },
          { uri: 'notes://album/3', _meta: { 'acme/page': 3 } },
        ]),
        'notes://broken': resource({}, () => {
          throw new Error('disk /dev/sda1 is missing');
        }),
      },
      resourceTemplates: {
        'notes://{year}/{month}': resourceTemplate(
          { name: 'by month', mimeType: 'text/plain', annotations },
          ({ year, month }) => (month === '13' ? undefined : `${month} of ${year}`),
        ),
      },
    },
    { onError: () => {} },
  );

describe.each(protocolVersions)('resources at %s', (revision) => {
  const open = (server = makeServer()) => connect(server, { protocolVersions: [revision] });
  const exchange = !isSession(revision);
  const age = protocolVersions.indexOf(revision);

  it('are declared and listed with size and annotations as the revision has them [e-resources-01, e-resources-03, s-resources-01, s-resources-04]', async () => {
    const client = await open();
    expect(client.capabilities.resources).toEqual({ subscribe: true, listChanged: true });
    const { title, ...rest } = facts;
    const { lastModified, ...older } = annotations;
    const [today] = await client.resources.list().all();
    expect(today).toEqual({
      uri: 'notes://today',
      ...rest,
      ...(age >= 2 && { title }),
      annotations: age >= 2 ? { lastModified, ...older } : older,
    });
  });

  it('are listed the same on every connection, whatever was requested before [e-resources-05]', async () => {
    const server = makeServer();
    const [one, other] = [await open(server), await open(server)];
    const before = await one.resources.list().all();
    await one.resources.read('notes://today');
    expect(await one.resources.list().all()).toEqual(before);
    expect(await other.resources.list().all()).toEqual(before);
    expect(await other.resources.listTemplates().all()).toEqual(await one.resources.listTemplates().all());
  });

  it('are read as text or as Base64 of their bytes, in one part or several [e-resources-07, e-resources-21, e-schema-28, s-resources-14, s-resources-16]', async () => {
    const { resources } = await open();
    expect((await resources.read('notes://today')).contents).toEqual([
      { uri: 'notes://today', mimeType: 'text/plain', text: 'buy bread ✓' },
    ]);
    const [scan] = (await resources.read('notes://scan')).contents;
    expect(scan).toEqual({ uri: 'notes://scan', mimeType: 'image/png', blob: expect.any(String) });
    expect(Buffer.from((scan as { blob: string }).blob, 'base64').equals(bytes)).toBe(true);
    const parts = (await resources.read('notes://album')).contents;
    expect(parts).toMatchObject([
      { uri: 'notes://album', mimeType: 'text/plain', text: 'a page' },
      { uri: 'notes://album/2', mimeType: 'image/gif', blob: 'AP8=' },
      { uri: 'notes://album/3', mimeType: 'text/plain', text: '' },
    ]);
  });

  it.each([
    'notes://nowhere',
    'notes://2025/13',
    'not a uri',
    '',
    '../../etc/passwd',
    'notes://2025/%',
    'notes://2025/01/../02',
  ])(
    'that do not exist are an error, never empty contents: %j [e-resources-15, e-resources-18, e-resources-19, s-resources-10, s-resources-12]',
    async (uri) => {
      const { ask, send, next } = await openAt(makeServer(), revision);
      send(ask(1, 'resources/read', { uri }));
      expect(await next()).toMatchObject({ id: 1, error: { code: exchange ? -32602 : -32002, data: { uri } } });
    },
  );

  it('that fail are an internal error without its cause [e-resources-16, s-resources-11]', async () => {
    const { resources } = await open();
    const error = await resources.read('notes://broken').catch((error) => error);
    expect(error).toMatchObject({ code: -32603 });
    expect(error.message).not.toContain('sda1');
  });

  it('that are missing are `resource-not-found` for the client, also where the handler throws it', async () => {
    const reader = resource({}, () => {
      throw rpcError('resource-not-found', 'The note was deleted');
    });
    const resources = { 'notes://deleted': reader };
    const { resources: notes } = await open(createServer({ name: 'n', version: '1', resources }));
    const code = !isSession(revision) ? -32602 : -32002;
    for (const uri of ['notes://deleted', 'notes://never'])
      await expect(notes.read(uri)).rejects.toMatchObject({ code, reason: 'resource-not-found', data: { uri } });
    await expect(notes.read('notes://deleted')).rejects.toThrow('The note was deleted');
  });

  it.each<[string, unknown, string]>([
    ['with the URI in its data is a missing resource', { uri: 'notes://x' }, 'resource-not-found'],
    ['without data is `invalid-params`', undefined, 'invalid-params'],
    ['with other data is `invalid-params`', { requestState: 'refused' }, 'invalid-params'],
  ])('-32602 of another server %s', async (_what, data, reason) => {
    const { client } = scriptedAt(revision, { resources: {} }, ({ id }, send) => {
      send({ jsonrpc: '2.0', id, error: { code: -32602, message: 'Resource not found', data } });
      return undefined;
    });
    await expect((await client).resources.read('notes://x')).rejects.toMatchObject({ code: -32602, reason });
  });

  it('that are missing at an older server are recognised by the old error code [e-resources-17]', async () => {
    const missing = { code: -32002, message: 'Resource not found' };
    const { client } = scriptedAt(revision, { resources: {} }, ({ id }, send) => {
      send({ jsonrpc: '2.0', id, error: missing });
      return undefined;
    });
    const reading = (await client).resources.read('notes://x');
    await expect(reading).rejects.toMatchObject({ code: -32002, reason: 'resource-not-found' });
  });

  it('send updates to subscribed clients, until they unsubscribe [S06, e-resources-09, e-resources-10, e-schema-27, s-resources-02, s-resources-03]', async () => {
    const server = makeServer();
    const client = await open(server);
    const changes = await client.subscribe({
      resourcesListChanged: true,
      resourceSubscriptions: ['notes://today', 'notes://album'],
    });
    const iterator = changes[Symbol.asyncIterator]();
    server.sendResourceUpdated('notes://scan');
    server.sendResourceUpdated('notes://today');
    server.sendResourceUpdated('notes://album/2');
    server.update(({ resources }) => {
      delete resources['notes://scan'];
    });
    expect([(await iterator.next()).value, (await iterator.next()).value, (await iterator.next()).value]).toEqual([
      { type: 'resource', uri: 'notes://today' },
      { type: 'resource', uri: 'notes://album/2' },
      { type: 'resources' },
    ]);
    await changes.close();
    const later = await client.subscribe({ resourceSubscriptions: ['notes://album'] });
    server.sendResourceUpdated('notes://today');
    server.sendResourceUpdated('notes://album');
    const { value } = await later[Symbol.asyncIterator]().next();
    expect(value).toEqual({ type: 'resource', uri: 'notes://album' });
    await client.close();
  });

  it('may be an empty list [e-resources-04]', async () => {
    const client = await open(
      createServer({ name: 's', version: '1', resources: {} }) as ReturnType<typeof makeServer>,
    );
    expect(await client.resources.list().all()).toEqual([]);
    expect(await client.resources.listTemplates().all()).toEqual([]);
  });
});

describe.each(protocolVersions)('templates at %s', (revision) => {
  const exchange = !isSession(revision);

  it('are listed apart from resources, and read by the URIs that match them', async () => {
    const { resources } = await connect(makeServer(), { protocolVersions: [revision] });
    const [only, ...more] = await resources.listTemplates().all();
    expect(more).toEqual([]);
    expect(only).toMatchObject({ uriTemplate: 'notes://{year}/{month}', name: 'by month', mimeType: 'text/plain' });
    expect((await resources.read('notes://2025/01')).contents).toEqual([
      { uri: 'notes://2025/01', mimeType: 'text/plain', text: '01 of 2025' },
    ]);
  });

  it('come after a resource of the same URI and after earlier templates', async () => {
    const server = createServer({
      name: 's',
      version: '1',
      resources: { 'a://fixed': resource({}, () => 'the resource') },
      resourceTemplates: {
        'a://{name}': resourceTemplate({}, ({ name }) => (name === 'missing' ? undefined : `first ${name}`)),
        'a://{+path}': resourceTemplate({}, ({ path }) => `second ${path}`),
      },
    });
    const { resources } = await connect(server, { protocolVersions: [revision] });
    const text = async (uri: string) => ((await resources.read(uri)).contents[0] as { text: string }).text;
    expect(await text('a://fixed')).toBe('the resource');
    expect(await text('a://x%20y')).toBe('first x y');
    expect(await text('a://x/y')).toBe('second x/y');
    await expect(resources.read('a://missing')).rejects.toMatchObject({ code: exchange ? -32602 : -32002 });
  });
});
