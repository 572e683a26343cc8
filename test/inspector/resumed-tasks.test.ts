/** Tasks that outlive the inspector that began them: the next one follows them again, and asks what they require. */
import { createServer, type TaskMemory, tool } from 'tenon';
import type { RememberedTask } from 'tenon/client';
import { serveInspector } from 'tenon/inspector';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { deferred } from '../kit/deferred.ts';
import { enter, type Page } from './page.ts';

function memoryOf(stored: RememberedTask[] = []): TaskMemory & { readonly stored: RememberedTask[] } {
  return {
    stored,
    read: async () => [...stored],
    add: async (task) => void stored.push(task),
    async delete({ taskId }) {
      const at = stored.findIndex((task) => task.taskId === taskId);
      if (at !== -1) stored.splice(at, 1);
    },
  };
}

const begun = deferred();
const release = deferred();
const server = createServer({
  name: 'lasting',
  version: '1',
  tools: {
    report: tool({ task: 'required' }, async () => {
      begun.resolve();
      await release.promise;
      return 'the report';
    }),
    approve: tool({ task: 'required' }, async (_, ctx) => {
      const answer = await ctx.elicit('who', { message: 'Who?', schema: z.object({ name: z.string() }) });
      return answer.action === 'accept' ? `approved by ${answer.content.name}` : answer.action;
    }),
  },
});

async function inspected(taskMemory: TaskMemory): Promise<{ page: Page; close: () => Promise<void> }> {
  const service = await serveInspector({ servers: { server }, start: { server: 'server' }, taskMemory });
  const page = await enter(service.url);
  const close = async (): Promise<void> => {
    page.close();
    await service.close();
  };
  onTestFinished(close);
  await page.event('client', (event) => event.client.state === 'ready');
  return { page, close };
}

const start = (page: Page, name: string) =>
  page.call('run', { client: 'c1', request: { kind: 'tool', name, arguments: {} } });

it('a task whose result did not come is followed by the next inspector, under its tool [S32]', async () => {
  const memory = memoryOf();
  const first = await inspected(memory);
  await start(first.page, 'report');
  const { task } = await first.page.event('task');
  await begun.promise;
  await first.close();

  const { page } = await inspected(memory);
  const request = { kind: 'task', taskId: task.taskId, tool: 'report' };
  const { run } = await page.event('run');
  expect(run).toMatchObject({ status: 'running', request });
  release.resolve();
  await page.event('run', (event) => event.run.id === run.id && event.run.status === 'done');
  expect(await page.call('result', { run: run.id })).toMatchObject({ result: { content: [{ text: 'the report' }] } });
  expect(memory.stored).toEqual([]);
});

it('a task that waits for input asks again in the next inspector, and another client of it does not follow it twice', async () => {
  const memory = memoryOf();
  const first = await inspected(memory);
  await start(first.page, 'approve');
  await first.page.event('question');
  await first.close();

  const { page } = await inspected(memory);
  const { question } = await page.event('question');
  const { client } = await page.call('duplicate', { client: 'c1' });
  await page.event('client', (event) => event.client.id === client.id && event.client.state === 'ready');
  expect((await page.call('tasks', { client: client.id })).tasks).toHaveLength(1);
  await page.call('answer', { question: question.id, answer: { action: 'accept', content: { name: 'Ada' } } });
  const { run } = await page.event('run', (event) => event.run.status === 'done');
  expect(await page.call('result', { run: run.id })).toMatchObject({
    result: { content: [{ text: 'approved by Ada' }] },
  });
  expect((await page.call('overview', {})).runs).toHaveLength(1);
});

it('a memory that fails is a warning, and one without its methods is refused', async () => {
  const memory = { ...memoryOf(), read: () => Promise.reject(new Error('no disk')) };
  const { page } = await inspected(memory);
  const { message } = await page.event('warning');
  expect(message).toContain('no disk');
  await expect(serveInspector({ taskMemory: {} as TaskMemory })).rejects.toThrow('taskMemory');
});
