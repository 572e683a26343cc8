/** Tasks of the founding documents as messages on the wire: document 003, section 7. */
import { createServer, type ProtocolVersion, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { deferred } from '../../kit/deferred.ts';
import { handshake, type Json } from '../../kit/transport/raw-connection.ts';
import { codeOf, openClient, resultOf } from './task-server.ts';

const declared = { experimental: { tasks: {} } };
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);

/** The operation that the document shows; `until` names the batch before which it waits. */
function batchServer() {
  const gates = { 46: deferred(), 66: deferred(), 101: deferred() };
  const server = createServer(
    {
      name: 'users',
      version: '1.0.0',
      tools: {
        batch_process_users: tool(
          {
            inputSchema: z.object({ batchSize: z.number(), totalRecords: z.number() }),
            outputSchema: z.object({ processedRecords: z.number(), duration: z.string() }),
            task: 'required',
          },
          async ({ batchSize, totalRecords }, ctx) => {
            const batches = totalRecords / batchSize;
            for (let batch = 1; batch <= batches; batch++) {
              ctx.reportProgress(batch, batches, `Processing batch ${batch} of ${batches}`);
              await gates[(batch + 1) as keyof typeof gates]?.promise;
            }
            return { processedRecords: totalRecords, duration: '00:15:30' };
          },
        ),
        greet: tool({ task: 'optional' }, async (_given, ctx) => {
          const schema = z.object({ name: z.string() });
          const asked = ['first', 'last'].map((key) => ctx.elicit(key, { message: `Your ${key} name?`, schema }));
          const names = (await Promise.all(asked)).map((one) => (one.action === 'accept' ? one.content.name : '?'));
          return `Hello, ${names.join(' ')}`;
        }),
        plain: tool({}, () => 'at once'),
        text: tool({ task: 'optional' }, () => 'done'),
        failing: tool({ task: 'optional' }, () => {
          throw new Error('private');
        }),
      },
    },
    { onError: () => undefined },
  );
  return { server, gates };
}

async function open(
  capabilities: Json = declared,
  revision: ProtocolVersion = '2025-11-25',
  onRequest?: (request: Json) => Json | undefined,
  fixture = batchServer(),
) {
  const client = openClient(fixture.server, {}, onRequest);
  const params = { ...(handshake(revision).params as Json), capabilities };
  const { result } = await client.ask('initialize', params);
  client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const create = (name: string, parameters?: Json): Promise<Json> =>
    client.ask('tasks/create', { name, ...(parameters && { parameters }) });
  /** Asks for a task until it is as wanted. */
  async function getUntil(taskId: unknown, isWanted: (task: Json) => boolean): Promise<Json> {
    for (;;) {
      const message = await client.ask('tasks/get', { taskId });
      if (isWanted(resultOf(message))) return message;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  const isOver = ({ status }: Json): boolean => status !== 'pending' && status !== 'running';
  return { ...fixture, ...client, initialized: result as Json, create, getUntil, isOver };
}

const creation = {
  name: 'batch_process_users',
  description: 'Process user records in batches',
  parameters: { batchSize: 100, totalRecords: 10000 },
};

describe('tasks as document 003 shows them', () => {
  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const)(
    'are declared under experimental.tasks on both sides, at %s [S18]',
    async (revision) => {
      const { initialized } = await open(declared, revision);
      expect(initialized.capabilities).toMatchObject(declared);
      expect(initialized.capabilities).not.toHaveProperty('tasks');
      const { initialized: plain } = await open({}, revision);
      expect(plain.capabilities).not.toHaveProperty('experimental');
    },
  );

  it('are created, read and cancelled by the messages of section 7 [S18]', async () => {
    const { ask, getUntil } = await open();
    const created = await ask('tasks/create', creation);
    expect(created).toEqual({
      jsonrpc: '2.0',
      id: created.id,
      result: { taskId: expect.any(String), status: 'pending', createdAt: moment },
    });
    const { taskId } = resultOf(created);
    const got = await getUntil(taskId, ({ progress }) => progress === 0.45);
    expect(got).toEqual({
      jsonrpc: '2.0',
      id: got.id,
      result: {
        taskId,
        status: 'running',
        description: creation.description,
        progress: 0.45,
        currentStep: 'Processing batch 45 of 100',
        createdAt: moment,
        startedAt: moment,
      },
    });
    const cancelled = await ask('tasks/cancel', { taskId });
    expect(cancelled).toEqual({
      jsonrpc: '2.0',
      id: cancelled.id,
      result: { taskId, status: 'cancelled', cancelledAt: moment },
    });
    expect(resultOf(await ask('tasks/get', { taskId }))).toMatchObject({ status: 'cancelled', cancelledAt: moment });
  });

  it('have the first 1000 characters of their description', async () => {
    const { ask } = await open();
    const { taskId } = resultOf(await ask('tasks/create', { name: 'text', description: 'é'.repeat(1001) }));
    expect(resultOf(await ask('tasks/get', { taskId }))).toMatchObject({ description: 'é'.repeat(1000) });
  });

  it('notify the session of their progress and of their completion by the messages of section 7 [S18]', async () => {
    const { gates, ask, notified } = await open();
    const { taskId } = resultOf(await ask('tasks/create', creation));
    gates[46].resolve();
    let progressed = await notified();
    while ((progressed.params as Json).progress !== 0.65) progressed = await notified();
    expect(progressed).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/tasks/progress',
      params: { taskId, progress: 0.65, currentStep: 'Processing batch 65 of 100' },
    });
    gates[66].resolve();
    gates[101].resolve();
    let completed = await notified();
    while (completed.method === 'notifications/tasks/progress') completed = await notified();
    expect(completed).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/tasks/completed',
      params: {
        taskId,
        status: 'completed',
        result: { processedRecords: 10000, duration: '00:15:30' },
        completedAt: moment,
      },
    });
  });

  it('notify the session of a failure and of a cancellation too [S18]', async () => {
    const { ask, create, notified } = await open();
    const { taskId: failing } = resultOf(await create('failing'));
    expect(await notified()).toMatchObject({
      method: 'notifications/tasks/completed',
      params: {
        taskId: failing,
        status: 'failed',
        error: { message: 'The tool failing failed.' },
        completedAt: moment,
      },
    });
    const { taskId } = resultOf(await ask('tasks/create', creation));
    await ask('tasks/cancel', { taskId });
    let over = await notified();
    while (over.method === 'notifications/tasks/progress') over = await notified();
    expect(over.params).toEqual({ taskId, status: 'cancelled', cancelledAt: moment });
  });

  it('have the value of the tool as their result, or its whole result where it has no value [S18]', async () => {
    const { gates, ask, create, getUntil, isOver } = await open(declared, '2024-11-05');
    for (const gate of Object.values(gates)) gate.resolve();
    const { taskId } = resultOf(await ask('tasks/create', creation));
    expect(resultOf(await getUntil(taskId, isOver))).toMatchObject({
      status: 'completed',
      result: { processedRecords: 10000, duration: '00:15:30' },
      completedAt: moment,
    });
    const { taskId: text } = resultOf(await create('text'));
    expect(resultOf(await getUntil(text, isOver)).result).toEqual({ content: [{ type: 'text', text: 'done' }] });
  });

  it('fail with an error where the tool fails [S18]', async () => {
    const { create, getUntil, isOver } = await open();
    const { taskId } = resultOf(await create('failing'));
    const task = resultOf(await getUntil(taskId, isOver));
    expect(task).toMatchObject({ status: 'failed', error: { code: -32603, message: 'The tool failing failed.' } });
    expect(task).not.toHaveProperty('result');
  });

  it('send what they require to their session, each request once, and another session gets it when it asks [S18]', async () => {
    const capabilities = { ...declared, elicitation: {} };
    const seen: unknown[] = [];
    const withFirst = (request: Json): Json | undefined => {
      const { message } = request.params as Json;
      seen.push(message);
      return message === 'Your first name?' ? { action: 'accept', content: { name: 'Ann' } } : undefined;
    };
    const { create, getUntil, ask, server, gates } = await open(capabilities, '2025-06-18', withFirst);
    const { taskId } = resultOf(await create('greet'));
    await getUntil(taskId, () => seen.length === 2);
    expect(resultOf(await ask('tasks/get', { taskId })).status).toBe('running');
    const others: unknown[] = [];
    const withLast = ({ params }: Json): Json => {
      others.push((params as Json).message);
      return { action: 'accept', content: { name: 'Lee' } };
    };
    const other = await open(capabilities, '2025-06-18', withLast, { server, gates });
    const task = resultOf(await other.getUntil(taskId, other.isOver));
    expect(task.result).toEqual({ content: [{ type: 'text', text: 'Hello, Ann Lee' }] });
    expect([seen.sort(), others]).toEqual([['Your first name?', 'Your last name?'], ['Your last name?']]);
  });

  it('are refused with an error, never with a result, where there can be none', async () => {
    const { ask, create } = await open();
    expect((await create('plain')).error).toMatchObject({
      code: -32602,
      message: 'The tool plain cannot run as a task',
    });
    expect(codeOf(await create('missing'))).toBe(-32602);
    expect((await create('batch_process_users', { batchSize: 'many' })).error).toMatchObject({
      code: -32602,
      data: { toolName: 'batch_process_users' },
    });
    expect((await ask('tasks/create', { parameters: {} })).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('params.name'),
    });
    expect(
      (await ask('tools/call', { name: 'batch_process_users', arguments: creation.parameters })).error,
    ).toMatchObject({
      message: 'The tool batch_process_users must be called as a task: send tasks/create',
    });
    expect(codeOf(await ask('tasks/get', { taskId: 'none' }))).toBe(-32602);
  });

  it('cannot be cancelled when they are over', async () => {
    const { ask, create, getUntil, isOver } = await open();
    const { taskId } = resultOf(await create('text'));
    await getUntil(taskId, isOver);
    expect(codeOf(await ask('tasks/cancel', { taskId }))).toBe(-32602);
  });

  it('leave plain calls as they are, also those that ask for a task of the specification', async () => {
    const { ask } = await open();
    const content = [{ type: 'text', text: 'done' }];
    expect(resultOf(await ask('tools/call', { name: 'text', task: {} })).content).toEqual(content);
    expect(codeOf(await ask('tasks/list'))).toBe(-32601);
  });
});

describe('a client that does not declare experimental.tasks, or declares the tasks of the specification too', () => {
  it.each([{}, { ...declared, tasks: {} }])('gets those of the specification: %j', async (capabilities) => {
    const { ask, create, initialized } = await open(capabilities);
    expect(initialized.capabilities).toHaveProperty('tasks');
    expect(codeOf(await create('text'))).toBe(-32601);
    const { task } = resultOf(await ask('tools/call', { name: 'text', task: {} })) as { task: Json };
    expect(resultOf(await ask('tasks/get', { taskId: task.taskId }))).toHaveProperty('lastUpdatedAt');
  });
});
