/** The data of errors, as the founding documents show it, under every protocol version. */
import { createServer, type ProtocolVersion, prompt, resource, type Server, type ServerOptions, tool } from 'tenon';
import { defineMethod, defineVendorMethods, serveExtension } from 'tenon/extensions';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { deferred } from '../kit/deferred.ts';
import { type Json, openAt } from '../kit/transport/raw-connection.ts';
import { scripted, session } from '../kit/transport/scripted-server.ts';
import { withTimeout } from '../kit/with-timeout.ts';

const search = tool({ inputSchema: z.object({ pattern: z.string() }) }, () => 'found');
const acme = defineVendorMethods({
  methods: { hello: defineMethod('acme/hello', { params: z.object({ name: z.string() }), result: z.object({}) }) },
});

const serverOf = (options?: ServerOptions) =>
  createServer(
    {
      name: 's',
      version: '1',
      tools: { search },
      resources: { 'file:///a': resource({ name: 'a' }, () => 'a') },
      prompts: { greet: prompt({ argsSchema: z.object({ name: z.string() }) }, () => 'hi') },
      extensions: [serveExtension(acme, { methods: { hello: () => ({}) } })],
    },
    options,
  );

/** The error that a request gets. */
async function errorOf(
  version: ProtocolVersion,
  method: string,
  params: Json,
  server: Server = serverOf(),
): Promise<Json> {
  const { send, next, ask, transport } = await openAt(server, version);
  send(ask(1, method, params));
  const { error } = await next();
  transport.close();
  return error as Json;
}

describe.each(protocolVersions)('the data of an error at %s', (version: ProtocolVersion) => {
  it('has the method that does not exist [S29]', async () => {
    const error = await errorOf(version, 'unknown/method', {});
    expect(error).toMatchObject({ code: -32601, data: { method: 'unknown/method' } });
  });

  it('has the method whose capability the server does not declare [S29]', async () => {
    const bare = createServer({ name: 's', version: '1', tools: { search } });
    expect(await errorOf(version, 'prompts/list', {}, bare)).toMatchObject({
      code: -32601,
      data: { method: 'prompts/list' },
    });
  });

  it('has the name of the unknown tool, and the tools there are [S29]', async () => {
    expect(await errorOf(version, 'tools/call', { name: 'nonexistent_tool' })).toMatchObject({
      data: { toolName: 'nonexistent_tool', availableTools: ['search'] },
    });
  });

  it('has the name of the unknown prompt, and the URI of the unknown resource [S29]', async () => {
    expect(await errorOf(version, 'prompts/get', { name: 'missing' })).toMatchObject({
      data: { promptName: 'missing' },
    });
    expect(await errorOf(version, 'resources/read', { uri: 'file:///b' })).toMatchObject({
      data: { uri: 'file:///b' },
    });
  });

  it('has the field of the params that is wrong, the reason, and both as a text [S29]', async () => {
    const reason = 'expected a string, found 5';
    expect(await errorOf(version, 'tools/call', { name: 5 })).toMatchObject({
      code: -32602,
      data: { field: 'name', reason, details: `name: ${reason}` },
    });
  });

  it.each([
    ['prompts/get', { name: 'greet', arguments: {} }],
    ['acme/hello', {}],
  ])('has the same for what the schema of %s refuses [S29]', async (method, params) => {
    expect(await errorOf(version, method, params)).toMatchObject({
      code: -32602,
      data: {
        field: 'name',
        reason: expect.stringContaining('expected string'),
        details: expect.stringMatching(/^name: /),
      },
    });
  });

  it('never repeats a long name whole [S29, S36]', async () => {
    const long = `x/${'y'.repeat(5000)}`;
    for (const [method, params] of [
      [long, {}],
      ['tools/call', { name: long }],
    ] as const) {
      const { data } = await errorOf(version, method, params);
      expect(JSON.stringify(data).length).toBeLessThan(400);
    }
  });
});

describe('an error that a table of the documents has a number for', () => {
  const call = { name: 'search', arguments: {} };

  it('is raised for the arguments of a tool in the table of document 003 [S29]', async () => {
    const server = serverOf({ compat: { errorCodes: 'reference' } });
    expect(await errorOf('2025-06-18', 'tools/call', call, server)).toMatchObject({
      code: -32005,
      data: {
        toolName: 'search',
        field: 'pattern',
        reason: expect.any(String),
        details: expect.stringMatching(/^pattern: /),
      },
    });
  });

  it('is a result for the model in all others [S29]', async () => {
    for (const options of [{}, { compat: { errorCodes: 'client-details' } } as const]) {
      const { send, next, ask } = await openAt(serverOf(options), '2025-06-18');
      send(ask(1, 'tools/call', call));
      expect(await next()).toMatchObject({ result: { isError: true } });
    }
  });

  it('is raised for a URI that is none in the table of document 000 [S29]', async () => {
    const server = serverOf({ compat: { errorCodes: 'digest' } });
    expect(await errorOf('2025-06-18', 'resources/read', { uri: 'no uri' }, server)).toMatchObject({
      code: -32002,
      data: { uri: 'no uri', field: 'uri', reason: 'expected a URI' },
    });
    expect(await errorOf('2025-06-18', 'resources/read', { uri: 'file:///b' }, server)).toMatchObject({ code: -32003 });
    expect(await errorOf('2025-06-18', 'resources/read', { uri: 'no uri' })).toMatchObject({ code: -32002 });
  });

  it('is raised by a server that does not sample, in the table of document 001 [S29]', async () => {
    const params = { messages: [], maxTokens: 1 };
    const server = serverOf({ compat: { errorCodes: 'client-details' } });
    expect(await errorOf('2024-11-05', 'sampling/createMessage', params, server)).toMatchObject({
      code: -32006,
      data: { method: 'sampling/createMessage' },
    });
    expect(await errorOf('2024-11-05', 'sampling/createMessage', params)).toMatchObject({ code: -32601 });
  });

  it('is raised for a capability that is not declared, in the tables of documents 001 and 003 [S29]', async () => {
    for (const [errorCodes, code] of [
      ['client-details', -32007],
      ['reference', -32001],
    ] as const) {
      const bare = createServer({ name: 's', version: '1' }, { compat: { errorCodes } });
      expect(await errorOf('2025-06-18', 'prompts/list', {}, bare)).toMatchObject({ code });
    }
  });

  it.each([
    [undefined, -32601],
    ['client-details', -32006],
  ] as const)(
    'is raised by a client that does not sample; with the table %s it is %d [S29]',
    async (errorCodes, code) => {
      const answered = deferred<Json>();
      const script = session({ revision: '2024-11-05', capabilities: { tools: {} } }, (message, send) => {
        if (message.id === 's') answered.resolve(message.error as Json);
        if (message.method !== 'tools/call') return;
        send({ jsonrpc: '2.0', id: 's', method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } });
      });
      const { client, hangUp } = scripted(script, {
        protocolVersions: ['2024-11-05'],
        ...(errorCodes && { compat: { errorCodes } }),
      });
      const call = (await client).request('tools/call', { name: 'x' });
      call.catch(() => {});
      expect(await withTimeout(answered.promise, 'the error of the client')).toMatchObject({
        code,
        data: { method: 'sampling/createMessage' },
      });
      hangUp();
      await (await client).close();
    },
  );
});
