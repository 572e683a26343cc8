/** Many requests that wait for one task with a long journal: each would read all of it whenever the task changes, and every second. */
import { connect, createServer, serveHttp, tool } from 'tenon';
import { createPolicy, type Guard, guard } from 'tenon/guard';
import { createMemoryStore } from 'tenon/store';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createDeferred } from '../../../src/lib/values/deferred.ts';
import { lone, loneCall } from '../../kit/http/messages.ts';
import { type Json, open, send } from '../../kit/http/raw-http.ts';

const waits = 40;
const follows = {
  'io.modelcontextprotocol/clientCapabilities': {
    elicitation: { form: {} },
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  },
};

/** A server with a tool that asks two questions at once, and one that reports progress when a test wants it; and how often its store has read rows and journals of tasks. */
async function start(guarded?: Guard) {
  const memory = createMemoryStore();
  const { tasks } = memory;
  const read = { rows: 0, journals: 0 };
  const counted: typeof tasks = {
    ...tasks,
    read: (id) => {
      read.rows++;
      return tasks.read(id);
    },
    readJournal: (id, from) => {
      read.journals++;
      return tasks.readJournal(id, from);
    },
  };
  const schema = z.object({ name: z.string() });
  const options = {
    task: { support: 'required', answerWithinMs: 0 },
    inputSchema: z.object({ text: z.string() }),
  } as const;
  const reported = createDeferred();
  const work = tool(options, async (_given, ctx) => {
    await reported.promise;
    ctx.reportProgress(1);
    await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
    return 'done';
  });
  const form = tool(options, async (_given, ctx) => {
    await Promise.all(['first', 'second'].map((key) => ctx.elicit(key, { message: key, schema })));
    return 'done';
  });
  const server = createServer(
    { name: 'shop', version: '1', tools: { form, work } },
    { secrets: ['at least sixteen characters'], ...(guarded && { guard: guarded }) },
  );
  const service = await serveHttp(server, {
    port: 0,
    store: { ...memory, tasks: counted },
    timeouts: { shutdownMs: 100 },
  });
  onTestFinished(() => service.close());
  return { service, read, report: () => reported.resolve() };
}

const until = async (isSo: () => boolean): Promise<void> => {
  await expect.poll(isSo, { interval: 1 }).toBe(true);
};

const openPolicy = 'version: 1\nrules:\n  - {id: all, allow: [list, call], to: any, on: any}\n';
const arguments_ = { text: 'x'.repeat(100_000) };

describe('the journal of a task', () => {
  it('is not read by requests that wait for its result and have nothing to send [S24, S36]', async () => {
    const { service, read } = await start();
    const answers: (() => void)[] = [];
    const client = await connect(service.url, {
      protocolVersions: ['2025-11-25'],
      handlers: {
        elicitForm: () =>
          new Promise((resolve) => {
            answers.push(() => resolve({ action: 'accept', content: { name: 'Ada' } }));
          }),
      },
    });
    onTestFinished(() => client.close());
    const created = new Promise<string>((resolve) => {
      client.tools.call('form', arguments_, { task: {}, onTask: ({ taskId }) => resolve(taskId) }).catch(() => {});
    });
    const taskId = await created;
    await until(() => answers.length === 2);
    for (let at = 0; at < waits; at++) client.request('tasks/result', { taskId }).catch(() => {});
    await until(() => service.stats().activeCalls >= waits);
    const before = { ...read };
    answers[0]?.();
    // Each of them looks at the task, which has changed.
    await until(() => read.rows - before.rows >= waits);
    expect(read.journals - before.journals).toBeLessThan(waits / 4);
    for (const answer of answers) answer();
  });

  it('is not read by subscriptions to which its change is nothing new [S24, S36]', async () => {
    const { service, read, report } = await start();
    const { url } = service;
    const { json } = await send(url, loneCall('work', arguments_, follows));
    const { taskId } = (json as { result: Json }).result;
    for (let at = 0; at < waits; at++) {
      const { headers, body } = lone('subscriptions/listen', { notifications: { taskIds: [taskId] } }, follows, at);
      const stream = await open(url, { headers, body });
      onTestFinished(() => stream.cut());
      await stream.until(() => stream.messages().length > 0, 'the acknowledgement');
    }
    const before = { ...read };
    report();
    await until(() => read.rows - before.rows >= waits);
    expect(read.journals - before.journals).toBeLessThan(waits / 4);
  });

  it('is not read by polls while the task works, nor for what a guard asks of it [S24, S36]', async () => {
    const { service, read } = await start(guard({ policy: createPolicy(openPolicy) }));
    const { url } = service;
    const { json } = await send(url, loneCall('work', arguments_, follows));
    const { taskId } = (json as { result: Json }).result;
    const { headers, body } = lone('tasks/get', { taskId }, follows);
    for (let at = 0; at < waits; at++) {
      const answer = await send(url, { headers: { ...headers, 'mcp-name': String(taskId) }, body });
      expect((answer.json as { result: Json }).result).toMatchObject({ status: 'working' });
    }
    expect(read.journals).toBe(0);
  });
});
