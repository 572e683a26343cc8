/** Clients of sessions that wait for the result of a task while it asks and sleeps. */
import { createServer, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { handshake, type Json } from '../../../kit/transport/raw-connection.ts';
import { openClient, resultOf } from '../task-server.ts';

const form = { message: 'Go on?', schema: z.object({ yes: z.boolean() }) };

async function open(onRequest: (request: Json, send: (message: Json) => void) => Json | undefined) {
  const server = createServer({
    name: 'shop',
    version: '1.0.0',
    tools: {
      patient: tool({ task: 'required' }, (_given, ctx) => {
        const late = ctx.sleep('patience', 30).then(() => 'no answer');
        return Promise.race([ctx.elicit('go', form).then(({ action }) => String(action)), late]);
      }),
      careful: tool({ task: 'required' }, async (_given, ctx) => {
        const failed = await ctx.elicit('go', form).catch((error: { readonly code: string }) => error.code);
        const { action } = await ctx.elicit('then', form);
        return `${failed} ${action}`;
      }),
    },
  });
  const client = openClient(server, {}, (request) => onRequest(request, (message) => client.send(message)));
  const hello = handshake('2025-11-25').params as Json;
  await client.ask('initialize', { ...hello, capabilities: { elicitation: {} } });
  client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const start = async (name: string): Promise<unknown> =>
    (resultOf(await client.ask('tools/call', { name, arguments: {}, task: {} })).task as Json).taskId;
  return { ...client, start };
}

describe('tasks/result', () => {
  it('is answered when the task is over, although a request of it was not', async () => {
    const { start, ask } = await open(() => undefined);
    const taskId = await start('patient');
    const { content } = resultOf(await ask('tasks/result', { taskId }));
    expect(content).toEqual([{ type: 'text', text: 'no answer' }]);
  });

  it('passes the error of a client to the handler, in every later run', async () => {
    let asked = 0;
    const { start, ask } = await open((request, send) => {
      if (++asked > 1) return { action: 'decline' };
      send({ jsonrpc: '2.0', id: request.id, error: { code: -1, message: 'The user closed the window' } });
      return undefined;
    });
    const taskId = await start('careful');
    const { content } = resultOf(await ask('tasks/result', { taskId }));
    expect(content).toEqual([{ type: 'text', text: 'server-request-failed decline' }]);
    expect(asked).toBe(2);
  });
});
