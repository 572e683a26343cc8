/** Two sessions that wait for the result of one task, over HTTP. */
import { createServer, serveHttp, tool } from 'tenon';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { request, startSession } from '../../kit/http/messages.ts';
import type { Json } from '../../kit/http/raw-http.ts';

const revision = '2025-11-25';

it('asks a client again that has crashed and waits in another session [s-tasks-45]', async () => {
  const server = createServer({
    name: 'shop',
    version: '1.0.0',
    tools: {
      greet: tool({ task: 'required' }, async (_given, ctx) => {
        const answer = await ctx.elicit('name', { message: 'Who?', schema: z.object({ name: z.string() }) });
        return answer.action === 'accept' ? `Hello, ${answer.content.name}` : answer.action;
      }),
    },
  });
  const { url, close } = await serveHttp(server, { port: 0, authenticate: () => 'ann' });
  onTestFinished(() => close());
  const begin = () => startSession(url, revision, { capabilities: { elicitation: { form: {} } } });

  const crashed = await begin();
  const created = (await crashed.post(request('tools/call', { name: 'greet', task: {} }))).json.result as Json;
  const { taskId } = created.task as { readonly taskId: string };
  const first = await crashed.open({ body: request('tasks/result', { taskId }) });
  await first.until(() => first.messages().length >= 1, 'the question');
  first.cut();

  const next = await begin();
  const second = await next.open({ body: request('tasks/result', { taskId }) });
  await second.until(() => second.messages().length >= 1, 'the question in the other session');
  const [question] = second.messages();
  const result = { action: 'accept', content: { name: 'Ann' } };
  await next.post({ jsonrpc: '2.0', id: question?.id, result });
  await second.ended;
  expect(second.messages()[1]).toMatchObject({ result: { content: [{ type: 'text', text: 'Hello, Ann' }] } });
});
