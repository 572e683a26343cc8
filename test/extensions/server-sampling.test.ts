/** Sampling from client to server, as founding document 001 has it. */
import { type CreateMessageResult, connect, createServer, type ProtocolVersion, type SampleRequest } from 'tenon';
import { defineMethod, defineVendorMethods, serveExtension, serverSampling } from 'tenon/extensions';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { openAt, request } from '../kit/transport/raw-connection.ts';
import { connectRecorded } from '../kit/transport/recorded-connection.ts';

const { createMessage } = serverSampling.methods;

/** As document 001 shows them. */
const params = {
  messages: [{ role: 'user', content: { type: 'text', text: 'Hello!' } }],
  modelPreferences: { hints: [{ name: 'claude-3-5-sonnet' }], intelligencePriority: 0.8 },
  systemPrompt: 'You are helpful',
  maxTokens: 100,
} satisfies SampleRequest;
const sampled = {
  role: 'assistant',
  content: { type: 'text', text: 'Hello there! How can I help you?' },
  model: 'claude-3-5-sonnet-20241022',
  stopReason: 'endTurn',
} as const satisfies CreateMessageResult;

const serverOf = (returned: CreateMessageResult = sampled) =>
  createServer(
    {
      name: 'model',
      version: '1',
      extensions: [serveExtension(serverSampling, { methods: { createMessage: () => returned } })],
    },
    { onError: () => {} },
  );

describe.each(protocolVersions)('a server that offers sampling at %s', (version: ProtocolVersion) => {
  it('declares it and samples for its client [S09]', async () => {
    await using client = await connect(serverOf(), { protocolVersions: [version], extensions: [serverSampling] });
    expect(client.capabilities).toMatchObject({ sampling: {} });
    expect(await client.request(createMessage, params)).toEqual(sampled);
  });

  it('is refused by the client if the server does not declare it, before anything is sent [S04, S09]', async () => {
    const { client, sent } = await connectRecorded(createServer({ name: 's', version: '1' }), {
      protocolVersions: [version],
      extensions: [serverSampling],
    });
    const before = sent.length;
    await expect(client.request(createMessage, params)).rejects.toMatchObject({
      code: 'capability-not-supported',
      details: { capability: 'sampling' },
    });
    expect(sent).toHaveLength(before);
    await client.close();
  });

  it('gets no invalid request, and sends no invalid result [S09, S34]', async () => {
    await using client = await connect(serverOf({ role: 'assistant' } as never), {
      protocolVersions: [version],
      extensions: [serverSampling],
    });
    await expect(client.request(createMessage, { messages: [] } as never)).rejects.toMatchObject({
      code: 'invalid-outgoing-message',
      message: expect.stringContaining('params.maxTokens'),
    });
    await expect(client.request(createMessage, params)).rejects.toMatchObject({ code: -32603 });
  });
});

it('a request of document 001 is answered as it shows [S09]', async () => {
  const { send, next } = await openAt(serverOf(), '2024-11-05');
  send(request(8, 'sampling/createMessage', params));
  expect(await next()).toEqual({ jsonrpc: '2.0', id: 8, result: sampled });
});

it('an extension can define sampling with schemas of its own, and no other method of the protocol [S09]', () => {
  const shape = { params: z.object({}), result: z.object({}) };
  const define = (name: string) => () => defineVendorMethods({ methods: { it: defineMethod(name, shape) } });
  expect(define('sampling/createMessage')).not.toThrow();
  for (const name of ['tools/call', 'elicitation/create', 'roots/list'])
    expect(define(name)).toThrow(expect.objectContaining({ code: 'invalid-definition' }));
});
