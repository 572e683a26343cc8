import { connect, content, createServer, RpcError, resource, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isSession } from '../kit/version-order.ts';

const server = createServer({
  name: 'weather',
  version: '1.0.0',
  instructions: 'Ask about a city.',
  tools: {
    forecast: tool(
      {
        description: 'Forecast',
        inputSchema: z.object({ city: z.string() }),
        outputSchema: z.object({ celsius: z.number() }),
      },
      async ({ city }) => ({ celsius: city.length }),
    ),
    echo: tool({ inputSchema: z.object({ message: z.string().default('hello') }) }, ({ message }) => message),
    picture: tool({}, () => content({ type: 'image', data: 'AAAA', mimeType: 'image/png' })),
    broken: tool({}, () => {
      throw new Error('a secret path: /etc/passwd');
    }),
  },
  resources: {
    'weather://stations': resource({ mimeType: 'text/plain' }, () => 'Oslo'),
    'weather://icon': resource({ mimeType: 'image/png' }, () => new Uint8Array([1, 2, 255])),
  },
});

describe.each(protocolVersions)('one server under %s', (revision) => {
  const open = () => connect(server, { protocolVersions: [revision] });

  it('answers a tool call with the return value of its handler', async () => {
    const client = await open();
    expect(client.protocolVersion).toBe(revision);
    const { content, structuredContent } = await client.tools.call('forecast', { city: 'Oslo' });
    expect(content).toEqual([{ type: 'text', text: '{"celsius":4}' }]);
    const hasStructure = revision !== '2024-11-05' && revision !== '2025-03-26';
    expect(structuredContent).toEqual(hasStructure ? { celsius: 4 } : undefined);
    client.close();
  });

  it('sends the server info and its instructions', async () => {
    const client = await open();
    expect(client.serverInfo).toEqual({ name: 'weather', version: '1.0.0' });
    expect(client.instructions).toBe('Ask about a city.');
    client.close();
  });

  it('lists tools and resources', async () => {
    const client = await open();
    expect((await client.tools.list().all()).map(({ name }) => name)).toEqual([
      'forecast',
      'echo',
      'picture',
      'broken',
    ]);
    expect((await client.resources.list().all()).map(({ uri }) => uri)).toEqual([
      'weather://stations',
      'weather://icon',
    ]);
    client.close();
  });

  it('applies the defaults of a schema before the handler gets the arguments', async () => {
    const client = await open();
    expect((await client.tools.call('echo')).content).toEqual([{ type: 'text', text: 'hello' }]);
    client.close();
  });

  it('reads text and bytes of resources', async () => {
    const client = await open();
    expect((await client.resources.read('weather://stations')).contents).toEqual([
      { uri: 'weather://stations', mimeType: 'text/plain', text: 'Oslo' },
    ]);
    expect((await client.resources.read('weather://icon')).contents).toEqual([
      { uri: 'weather://icon', mimeType: 'image/png', blob: 'AQL/' },
    ]);
    client.close();
  });

  it('answers a missing resource with the error code of the revision [S29]', async () => {
    const client = await open();
    const error = await client.resources.read('weather://nowhere').catch((error) => error);
    expect(error).toBeInstanceOf(RpcError);
    const exchange = !isSession(revision);
    expect(error).toMatchObject({
      code: exchange ? -32602 : -32002,
      reason: 'resource-not-found',
      data: { uri: 'weather://nowhere' },
    });
    client.close();
  });

  it('hides what a handler threw, and still serves', async () => {
    const client = await open();
    const result = await client.tools.call('broken');
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result)).not.toContain('secret');
    expect((await client.tools.call('echo', { message: 'still here' })).content).toEqual([
      { type: 'text', text: 'still here' },
    ]);
    client.close();
  });

  it('answers invalid arguments with a result that helps a model to fix its call', async () => {
    const client = await open();
    const result = await client.tools.call('forecast', { city: 5 as never });
    expect(result.isError).toBe(true);
    expect(result.content[0]).toMatchObject({ type: 'text', text: expect.stringContaining('city') });
    client.close();
  });

  it('answers an unknown tool with an error that names the existing tools', async () => {
    const client = await open();
    await expect(client.tools.call('nope' as never)).rejects.toMatchObject({
      code: -32602,
      data: { availableTools: ['forecast', 'echo', 'picture', 'broken'] },
    });
    client.close();
  });
});

it('uses the newest revision by default', async () => {
  const client = await connect(server);
  expect(client.protocolVersion).toBe(protocolVersions.at(-1));
  client.close();
});
