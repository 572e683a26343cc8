/** A server with an optional extension: a client without it gets the core behaviour, or an error that names the extension. */
import { connect, createServer, rpcError, tool } from 'tenon';
import { describe, expect, it } from 'vitest';

const id = 'com.example/charts';

const server = createServer({
  name: 'charts',
  version: '1',
  extensions: { [id]: {} },
  tools: {
    prefers: tool({}, (_given, { caller }) => (caller.capabilities.extensions?.[id] ? 'a chart' : 'a table')),
    needs: tool({}, (_given, { caller }) => {
      if (caller.capabilities.extensions?.[id]) return 'a chart';
      const requiredCapabilities = { extensions: { [id]: {} } };
      throw rpcError('missing-client-capability', 'Charts are needed', { requiredCapabilities });
    }),
  },
});

describe('a client', () => {
  it('with the extension gets its behaviour [e-version-06]', async () => {
    await using client = await connect(server, { protocolVersions: ['2026-07-28'], extensions: { [id]: {} } });
    expect((await client.tools.call('prefers')).content).toMatchObject([{ text: 'a chart' }]);
    expect((await client.tools.call('needs')).content).toMatchObject([{ text: 'a chart' }]);
  });

  it('without it gets the core behaviour, or an error that names what is missing [e-version-06]', async () => {
    await using client = await connect(server, { protocolVersions: ['2026-07-28'] });
    expect((await client.tools.call('prefers')).content).toMatchObject([{ text: 'a table' }]);
    await expect(client.tools.call('needs')).rejects.toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { [id]: {} } } },
    });
  });
});
