/** Clients of the official SDK on a Tenon server, and transports of the official SDK under a Tenon client. */
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport as MemoryV1 } from '@modelcontextprotocol/sdk/inMemory.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { InMemoryTransport as MemoryV2 } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { connect } from '../../src/node/index.ts';
import { fromOfficialTransport, type OfficialTransport, toOfficialTransport } from '../../src/official/index.ts';
import { createServer, tool } from '../../src/server/index.ts';
import { createV1, createV2, newLedger } from './servers.ts';

const info = { name: 'client', version: '1' };
const server = createServer({
  name: 'ours',
  version: '1',
  tools: {
    add: tool({ inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => String(a + b)),
    ask: tool({}, async (_args, ctx) => {
      const answer = await ctx.elicit('name', { message: 'Name?', schema: z.object({ name: z.string() }) });
      return answer.action === 'accept' ? answer.content.name : answer.action;
    }),
  },
});

describe('A client of the official SDK', () => {
  it('of version 1 calls a Tenon server, and answers it', async () => {
    const client = new ClientV1(info, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ada' } }));
    await client.connect(toOfficialTransport(server));
    expect(await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })).toMatchObject({
      content: [{ text: '3' }],
    });
    expect(await client.callTool({ name: 'ask', arguments: {} })).toMatchObject({ content: [{ text: 'Ada' }] });
    await client.close();
  });

  it('of version 2 calls a Tenon server, and answers it', async () => {
    const client = new ClientV2(info, { capabilities: { elicitation: {} } });
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }));
    await client.connect(toOfficialTransport(server));
    expect(await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })).toMatchObject({
      content: [{ text: '3' }],
    });
    expect(await client.callTool({ name: 'ask', arguments: {} })).toMatchObject({ content: [{ text: 'Ada' }] });
    await client.close();
  });

  it('gets the close of its transport', async () => {
    const client = new ClientV1(info);
    const closed = new Promise<void>((resolve) => (client.onclose = resolve));
    const transport = toOfficialTransport(server);
    await client.connect(transport);
    await transport.close();
    expect(await closed).toBeUndefined();
  });
});

describe('A transport of the official SDK', () => {
  it.each([
    ['1', createV1, () => MemoryV1.createLinkedPair()],
    ['2', createV2, () => MemoryV2.createLinkedPair()],
  ] as const)('of version %s carries a Tenon client', async (_, create, pair) => {
    const [here, there] = pair() as readonly [OfficialTransport, OfficialTransport];
    const served = create(newLedger());
    await served.connect(there as never);
    const client = await connect(fromOfficialTransport(here), {
      handlers: { elicitForm: ({ message }) => ({ action: 'accept', content: { answer: message } }) },
    });
    expect(await client.tools.call('add', { a: 1, b: 2 })).toMatchObject({ structuredContent: { sum: 3 } });
    expect(await client.tools.call('ask', { question: 'q' })).toMatchObject({ content: [{ text: 'q: accept q' }] });
    await client.close();
  });

  it('that cannot start fails connect() with its error', async () => {
    const broken: OfficialTransport = {
      start: () => Promise.reject(new Error('no socket')),
      send: async () => {},
      close: async () => {},
    };
    await expect(connect(fromOfficialTransport(broken))).rejects.toThrow('no socket');
  });

  it('that cannot send a request rejects its call, and stays open', async () => {
    const warnings: unknown[] = [];
    const broken: OfficialTransport = {
      start: async () => {},
      send: () => Promise.reject(new Error('no network')),
      close: async () => {},
    };
    const connecting = connect(fromOfficialTransport(broken), { onWarning: (warning) => warnings.push(warning) });
    await expect(connecting).rejects.toThrow(/no network/);
  });
});
