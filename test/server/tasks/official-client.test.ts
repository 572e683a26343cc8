/** The client of the official SDK runs an elicitation of our server as a task. */

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { createServer, serveHttp, tool } from 'tenon';
import { expect, it, onTestFinished } from 'vitest';

const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } } as const;

it('an elicitation of our server runs as a task of the official client', async () => {
  const server = createServer({
    name: 's',
    version: '1',
    tools: {
      ask: tool({}, async (_given, ctx) => {
        const answer = await ctx.elicit('who', { message: 'Who?', requestedSchema }, { task: { ttlMs: 60_000 } });
        return answer.action === 'accept' ? `Hello, ${answer.content.name}` : answer.action;
      }),
    },
  });
  const service = await serveHttp(server, { port: 0 });
  onTestFinished(() => service.close());
  const tasks = new InMemoryTaskStore();
  onTestFinished(() => tasks.cleanup());
  const client = new Client(
    { name: 'official', version: '1' },
    {
      capabilities: { elicitation: { form: {} }, tasks: { cancel: {}, requests: { elicitation: { create: {} } } } },
      taskStore: tasks,
    },
  );
  const ttls: unknown[] = [];
  client.setRequestHandler(ElicitRequestSchema, async (_request, { taskStore, taskRequestedTtl }) => {
    ttls.push(taskRequestedTtl);
    if (taskStore === undefined) throw new Error('The request has no task');
    const task = await taskStore.createTask({ ttl: taskRequestedTtl ?? null, pollInterval: 100 });
    queueMicrotask(() => {
      void taskStore.storeTaskResult(task.taskId, 'completed', { action: 'accept', content: { name: 'Ann' } });
    });
    return { task };
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(service.url)) as never);
  const result = await client.callTool({ name: 'ask' });
  expect(result.content).toEqual([{ type: 'text', text: 'Hello, Ann' }]);
  expect(ttls).toEqual([60_000]);
  await client.close();
});
