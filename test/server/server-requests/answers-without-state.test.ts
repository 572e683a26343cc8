/** Answers (`inputResponses`) that arrive without the `requestState` of their call. */
import { connect, createServer, tool } from 'tenon';
import { createMemoryTransports } from 'tenon/transport';
import { expect, it } from 'vitest';
import { z } from 'zod';

const form = { message: 'Your name?', schema: z.object({ name: z.string() }) };
const greeter = (required: boolean) =>
  createServer(
    {
      name: 'greeter',
      version: '1',
      tools: {
        greet: tool({}, async (_, { elicit }) => {
          const answer = await elicit('name', form);
          return answer.action === 'accept' ? `Hello, ${answer.content.name}` : 'Hello';
        }),
      },
    },
    { requestState: { required } },
  );

/** The result of a first call that already has `inputResponses`. */
async function resultOf(server: ReturnType<typeof greeter>, inputResponses: Record<string, unknown>): Promise<unknown> {
  const [here, there] = createMemoryTransports();
  server.accept(there);
  const answer = new Promise((resolve) =>
    here.open({ onMessage: (text) => resolve(JSON.parse(text)), onClose: () => {} }),
  );
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  };
  const params = { name: 'greet', arguments: {}, inputResponses, _meta };
  here.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
  const { result } = (await answer) as { result: unknown };
  here.close();
  return result;
}

const ada = { name: { action: 'accept', content: { name: 'Ada' } }, other: { action: 'decline' } };

it('answers without state are used if requestState is not required, and unrequested ones are ignored', async () => {
  expect(await resultOf(greeter(false), ada)).toMatchObject({ content: [{ text: 'Hello, Ada' }] });
});

it('answers without state are requested again if requestState is required', async () => {
  expect(await resultOf(greeter(true), ada)).toMatchObject({
    resultType: 'input_required',
    inputRequests: { name: expect.anything() },
    requestState: expect.any(String),
  });
});

it('clients that return the state are served if requestState is not required', async () => {
  const client = await connect(greeter(false), {
    handlers: { elicitForm: () => ({ action: 'accept', content: { name: 'Grace' } }) },
  });
  expect((await client.tools.call('greet')).content).toMatchObject([{ text: 'Hello, Grace' }]);
  await client.close();
});
