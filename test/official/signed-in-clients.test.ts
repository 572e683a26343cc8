/** Ten real clients sign in at a bridged server: its handlers see who calls. */
import { McpServer as ServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer as ServerV2 } from '@modelcontextprotocol/server';
import { type Server } from 'tenon';
import { fromOfficial } from 'tenon/official';
import { describe, expect, it } from 'vitest';
import { known, realClients } from '../kit/auth-server/real-clients.ts';
import { startSignInServer } from '../kit/auth-server/sign-in-server.ts';

const info = { name: 'protected', version: '1' };
const text = (subject: unknown) => ({ content: [{ type: 'text' as const, text: String(subject) }] });

function createV1(): ServerV1 {
  const server = new ServerV1(info);
  server.registerTool('whoami', {}, ({ authInfo }) => text(authInfo?.extra?.subject));
  return server;
}

function createV2(): ServerV2 {
  const server = new ServerV2(info);
  server.registerTool('whoami', {}, ({ http }) => text(http?.authInfo?.extra?.subject));
  return server;
}

describe.each([
  ['SDK v1', createV1],
  ['SDK v2', createV2],
] as const)('A protected server of %s', (_sdk, create) => {
  it.each(Object.entries(realClients))(
    'is used by "%s": signs in, calls, refreshes and calls again',
    async (_name, client) => {
      const server = (await fromOfficial(() => create() as never)) as Server;
      const signedIn = await startSignInServer({ options: { clients: { known: [known] } }, server });
      for (const result of await client.run(signedIn)) expect(JSON.stringify(result)).toContain('dev:ada');
    },
  );
});
