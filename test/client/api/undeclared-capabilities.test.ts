import { createServer, protocolVersions, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { openRaw, request } from '../../kit/transport/raw-connection.ts';
import { scriptedAt } from '../../kit/transport/scripted-server.ts';

describe.each(protocolVersions)('A capability declared as false, at %s,', (revision) => {
  it('by a server is treated as absent', async () => {
    const scripted = scriptedAt(revision, { tools: {}, prompts: false, logging: null }, () => ({ tools: [] }));
    await using client = await scripted.client;
    expect(await client.tools.list().all()).toEqual([]);
    await expect(client.prompts.list().all()).rejects.toMatchObject({ code: 'capability-not-supported' });
    expect(client.capabilities).toEqual({ tools: {} });
  });

  it('by a client is treated as absent', async () => {
    const seen: unknown[] = [];
    const server = createServer({
      name: 's',
      version: '1',
      tools: {
        look: tool({}, (_given, { clientSupports: can, caller }) => {
          seen.push(can('sampling'), can('roots'), caller.capabilities);
          return 'seen';
        }),
      },
    });
    const raw = openRaw(server);
    const capabilities = { sampling: false, roots: {} };
    const call = { name: 'look' };
    if (revision === '2026-07-28') {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': revision,
        'io.modelcontextprotocol/clientCapabilities': capabilities,
      };
      raw.send(request(1, 'tools/call', { ...call, _meta }));
    } else {
      const clientInfo = { name: 'raw', version: '1' };
      raw.send(request(0, 'initialize', { protocolVersion: revision, capabilities, clientInfo }));
      await raw.next();
      raw.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
      raw.send(request(1, 'tools/call', call));
    }
    expect(await raw.next()).toMatchObject({ id: 1, result: {} });
    expect(seen).toEqual([false, true, { roots: {} }]);
  });
});
