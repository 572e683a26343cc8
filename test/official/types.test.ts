/** Servers and transports of both versions of the official SDK fit the types of the bridge: the type check is the test. */
import type { Client as ClientV2 } from '@modelcontextprotocol/client';
import type { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import type { Server as ServerV1 } from '@modelcontextprotocol/sdk/server/index.js';
import type { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Transport as TransportV1 } from '@modelcontextprotocol/sdk/shared/transport.js';
import type {
  McpServer as McpServerV2,
  Server as ServerV2,
  Transport as TransportV2,
} from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { fromOfficial, fromOfficialTransport, toOfficialTransport } from '../../src/official/index.ts';
import type { Server } from '../../src/server/server.ts';

interface Given {
  readonly servers: readonly [McpServerV1, ServerV1, McpServerV2, ServerV2];
  readonly transports: readonly [TransportV1, TransportV2];
  readonly clients: readonly [ClientV1, ClientV2];
  readonly server: Server;
}

async function compiles({ servers, transports, clients, server }: Given): Promise<void> {
  const [mcp1, low1, mcp2, low2] = servers;
  await fromOfficial(mcp1);
  await fromOfficial(low1, { shared: true });
  await fromOfficial(() => mcp2, { maxInstances: 5, guard: undefined as never });
  await fromOfficial(async () => low2);
  for (const transport of transports) fromOfficialTransport(transport);
  await clients[0].connect(toOfficialTransport(server));
  await clients[1].connect(toOfficialTransport(server));
  // @ts-expect-error a server is needed
  await fromOfficial({});
  // @ts-expect-error it is maxInstances
  await fromOfficial(mcp1, { maxInstance: 5 });
}

it('servers and transports of both versions compile where the bridge takes them', () => {
  expect(compiles).toBeTypeOf('function');
});
