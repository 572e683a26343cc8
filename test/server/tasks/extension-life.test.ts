/** How tasks of the extension of 2026-07-28 ask, fail, are cancelled and end, as messages on the wire. */
import { createServer, rpcError, type ServerDefinition, type ServerOptions, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { deferred } from '../../kit/deferred.ts';
import type { Json } from '../../kit/transport/raw-connection.ts';
import { codeOf, openClient, resultOf } from './task-server.ts';

const name = (message: string) => ({ message, schema: z.object({ name: z.string() }) });
const named = (text: string): Json => ({ action: 'accept', content: { name: text } });

function open(tools: NonNullable<ServerDefinition['tools']>, tasks: NonNullable<ServerOptions['tasks']> = {}) {
  const client = openClient(
    createServer({ name: 'shop', version: '1.0.0', tools }, { tasks, onError: () => undefined }),
  );
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {
      elicitation: { form: {} },
      extensions: { 'io.modelcontextprotocol/tasks': {} },
    },
  };
  const ask = (method: string, params: Json = {}): Promise<Json> => client.ask(method, { ...params, _meta });
  const call = (tool: string, more: Json = {}): Promise<Json> => ask('tools/call', { name: tool, ...more });
  const update = (taskId: unknown, inputResponses: Json): Promise<Json> =>
    ask('tasks/update', { taskId, inputResponses });
  /** Asks for a task until it is as wanted. */
  async function getUntil(taskId: unknown, isWanted: (answer: Json) => boolean): Promise<Json> {
    for (;;) {
      const answer = await ask('tasks/get', { taskId });
      if (isWanted((answer.result ?? answer.error) as Json)) return answer;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  const reached = async (taskId: unknown, status: string): Promise<Json> =>
    resultOf(await getUntil(taskId, (task) => task.status === status));
  return { ...client, ask, call, update, getUntil, reached };
}

describe('a task of 2026-07-28', () => {
  it('that fails has the error of the call, and a message that says why [ext-tasks-25, ext-tasks-56, ext-tasks-58, ext-tasks-59, ext-tasks-60]', async () => {
    const { call, reached } = open({
      failing: tool({ task: { support: 'required', answerWithinMs: 0 } }, () => {
        throw rpcError('internal-error', 'The database is down', { since: 'noon' });
      }),
    });
    const { taskId } = resultOf(await call('failing'));
    const task = await reached(taskId, 'failed');
    expect(task).toMatchObject({
      statusMessage: 'The database is down',
      error: { code: -32603, message: 'The database is down', data: { since: 'noon' } },
    });
    expect(task).not.toHaveProperty('result');
  });

  it('never uses the key of a request again, and takes the answers of a round one by one [ext-tasks-34, ext-tasks-37, ext-tasks-41]', async () => {
    const { call, update, reached } = open({
      pair: tool({ task: 'required' }, async (_given, ctx) => {
        const [one, two] = await Promise.all([ctx.elicit('one', name('One?')), ctx.elicit('two', name('Two?'))]);
        const three = await ctx.elicit('three', name('Three?'));
        return [one, two, three].map((answer) => (answer.action === 'accept' ? answer.content.name : '')).join(' ');
      }),
    });
    const { taskId } = resultOf(await call('pair'));
    const requestsOf = async (): Promise<[string, Json][]> =>
      Object.entries((await reached(taskId, 'input_required')).inputRequests as Record<string, Json>);
    const asked = (requests: [string, Json][]) => requests.map(([, { params }]) => (params as Json).message);
    const first = await requestsOf();
    expect(asked(first)).toEqual(['One?', 'Two?']);
    const [[one = ''] = [], [two = ''] = []] = first;
    await update(taskId, { [one]: named('a') });
    const second = await requestsOf();
    expect(second.map(([key]) => key)).toEqual([two]);
    await update(taskId, { [two]: named('b'), [one]: named('too late') });
    // The acknowledgement may come before the task has gone on.
    const isNext = (task: Json): boolean => !Object.hasOwn((task.inputRequests ?? {}) as Json, two);
    let third: [string, Json][] = [];
    while (third.length === 0) {
      const task = await reached(taskId, 'input_required');
      if (isNext(task)) third = Object.entries(task.inputRequests as Record<string, Json>);
    }
    expect(asked(third)).toEqual(['Three?']);
    const [[three = ''] = []] = third;
    expect([one, two]).not.toContain(three);
    await update(taskId, { [three]: named('c') });
    expect(await reached(taskId, 'completed')).toMatchObject({ result: { content: [{ text: 'a b c' }] } });
  });

  it('is not cancelled by notifications/cancelled of the request that created it [ext-tasks-42]', async () => {
    const held = deferred();
    const { send, ask, reached } = open({
      held: tool({ task: 'required' }, async () => {
        await held.promise;
        return 'finished';
      }),
    });
    const created = await ask('tools/call', { name: 'held' });
    const { taskId } = resultOf(created);
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: created.id } });
    expect((await reached(taskId, 'working')).taskId).toBe(taskId);
    held.resolve();
    expect(await reached(taskId, 'completed')).toMatchObject({ result: { content: [{ text: 'finished' }] } });
  });

  it('may finish although a cancellation was acknowledged, and stays as it was [ext-tasks-45]', async () => {
    const { ask, call, reached } = open({
      quick: tool({ task: { support: 'required', answerWithinMs: 0 } }, () => 'done'),
    });
    const { taskId } = resultOf(await call('quick'));
    await reached(taskId, 'completed');
    expect(await ask('tasks/cancel', { taskId })).toHaveProperty('result');
    expect((await reached(taskId, 'completed')).status).toBe('completed');
  });

  it('begins when the handler says so: what is asked before is part of the call [ext-tasks-17]', async () => {
    const { call, reached } = open({
      order: tool({ task: { support: 'optional', begins: 'by-handler' } }, async (_given, ctx) => {
        const answer = await ctx.elicit('who', name('Who?'));
        await ctx.continueAsTask();
        return answer.action === 'accept' ? `for ${answer.content.name}` : 'nothing';
      }),
    });
    const first = resultOf(await call('order'));
    expect(first.resultType).toBe('input_required');
    const { taskId, resultType } = resultOf(
      await call('order', { requestState: first.requestState, inputResponses: { who: named('Ann') } }),
    );
    expect(resultType).toBe('task');
    expect(await reached(taskId, 'completed')).toMatchObject({ result: { content: [{ text: 'for Ann' }] } });
  });

  it('has another ttl when it is over, fails at its deadline, and is deleted after its ttl [ext-tasks-12, ext-tasks-29]', async () => {
    const held = deferred();
    const tools = {
      quick: tool({ task: { support: 'required', answerWithinMs: 0, ttlMs: 1 } }, () => 'done'),
      late: tool({ task: { support: 'required', ttlMs: 1, deadlineMs: 1 } }, async () => {
        await held.promise;
        return 'never';
      }),
    };
    const stored = open(tools, { leaseMs: 30, retentionMs: 600_000 });
    const created = resultOf(await stored.call('quick'));
    // Its poll interval, and the time since it was created.
    expect(created.ttlMs).toBeGreaterThanOrEqual(1000);
    expect(created.ttlMs).toBeLessThan(600_000);
    const completed = await stored.reached(created.taskId, 'completed');
    expect(completed.ttlMs).toBeGreaterThanOrEqual(600_000);
    const { taskId: late } = resultOf(await stored.call('late'));
    expect((await stored.reached(late, 'failed')).statusMessage).toBe('The deadline of the task has passed');

    const short = open(tools, { leaseMs: 30, retentionMs: 1 });
    const { taskId } = resultOf(await short.call('quick'));
    expect(codeOf(await short.getUntil(taskId, ({ code }) => code !== undefined))).toBe(-32602);
    held.resolve();
  });
});
