/** Unknown names that are far longer than any valid one. */
import { createServer, prompt, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Json, openAt } from '../../kit/transport/raw-connection.ts';

const server = createServer({
  name: 'short',
  version: '1',
  tools: { echo: tool({}, () => 'x') },
  prompts: {
    plan: prompt({ argsSchema: z.object({ city: z.string() }), complete: { city: () => ['Oslo'] } }, () => 'Plan'),
  },
});
const long = 'n'.repeat(1_000_000);

describe.each(protocolVersions)('a long name at %s', (revision) => {
  it.each<[what: string, method: string, params: Json]>([
    ['a method', long, {}],
    ['a tool', 'tools/call', { name: long }],
    ['a prompt', 'prompts/get', { name: long }],
    [
      'a completion reference',
      'completion/complete',
      { ref: { type: 'ref/prompt', name: long }, argument: { name: 'a', value: '' } },
    ],
  ])('of %s is not sent back in full', async (_what, method, params) => {
    const { send, ask, settled } = await openAt(server, revision);
    send(ask(1, method, params));
    const [answer] = await settled();
    expect(answer).toMatchObject({ id: 1, error: { message: expect.any(String) } });
    expect(JSON.stringify(answer).length).toBeLessThan(1000);
  });
});

it('the error of a protocol version with such a name shows only its beginning', async () => {
  const { send, settled } = await openAt(server, '2026-07-28');
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': long,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  send({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } });
  const [answer] = (await settled()) as { error?: { message: string } }[];
  expect(answer?.error?.message.length).toBeLessThan(200);
});
