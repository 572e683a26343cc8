/** A client calls tools that become tasks, at both protocol versions that have tasks. */
import { connect, createServer, type ProtocolVersion, RpcError, type Task, tool, toolResult } from 'tenon';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { reconnectable } from '../../kit/client/reconnectable-server.ts';
import { deferred } from '../../kit/deferred.ts';

const task = { support: 'optional', pollIntervalMs: 50 } as const;

function taskServer() {
  const held = deferred();
  const aborted = deferred();
  let runs = 0;
  const server = createServer(
    {
      name: 'shop',
      version: '1.0.0',
      tools: {
        report: tool(
          { inputSchema: z.object({ n: z.number() }), task: { ...task, answerWithinMs: 0 } },
          ({ n }) => `report ${n}, run ${++runs}`,
        ),
        required: tool({ task: { ...task, support: 'required' } }, () => 'required'),
        plain: tool({}, () => 'plain'),
        refusing: tool({ task }, () => {
          throw new RpcError(-32000, 'No paper');
        }),
        failing: tool({ task }, () => toolResult({ content: [{ type: 'text', text: 'no' }], isError: true })),
        greet: tool({ task }, async (_given, ctx) => {
          const first = await ctx.elicit('first', { message: 'First name?', schema: z.object({ name: z.string() }) });
          const last = await ctx.elicit('last', { message: 'Last name?', schema: z.object({ name: z.string() }) });
          const names = [first, last].map((answer) =>
            answer.action === 'accept' ? answer.content.name : answer.action,
          );
          return `Hello, ${names.join(' ')}`;
        }),
        held: tool({ task }, async (_given, { signal }) => {
          signal.addEventListener('abort', () => aborted.resolve());
          await held.promise;
          return 'released';
        }),
      },
    },
    { onError: () => undefined },
  );
  return { server, release: () => held.resolve(), aborted: aborted.promise, runs: () => runs };
}

const versions: ProtocolVersion[] = ['2026-07-28', '2025-11-25'];

describe.each(versions)('a call that becomes a task, at %s,', (version) => {
  const options = { protocolVersions: [version] };
  const asTask = { task: true } as const;
  const text = (result: { content: unknown }): unknown => result.content;

  it('is followed to its result [ext-tasks-04, ext-tasks-20, s-tasks-17]', async () => {
    await using client = await connect(taskServer().server, options);
    const seen: Task[] = [];
    const result = await client.tools.call('report', { n: 1 }, { ...asTask, onTask: (one) => void seen.push(one) });
    expect(text(result)).toEqual([{ type: 'text', text: 'report 1, run 1' }]);
    expect(seen).toEqual([expect.objectContaining({ status: 'working', pollIntervalMs: 50, ttlMs: 3_600_000 })]);
  });

  it('is requested by itself for a tool that requires it, also by client.request [s-tasks-10]', async () => {
    await using client = await connect(taskServer().server, options);
    expect(text(await client.tools.call('required'))).toEqual([{ type: 'text', text: 'required' }]);
    expect(text((await client.request('tools/call', { name: 'required' })) as never)).toEqual([
      { type: 'text', text: 'required' },
    ]);
  });

  it('is plain where `task` is false, and for a tool without tasks [s-tasks-09]', async () => {
    await using client = await connect(taskServer().server, options);
    const onTask = (): never => {
      throw new Error('no task was wanted');
    };
    await client.tools.call('report', { n: 1 }, { task: false, onTask });
    expect(text(await client.tools.call('plain', {}, { onTask }))).toEqual([{ type: 'text', text: 'plain' }]);
  });

  it('rejects with the error that the plain call would have had, and resolves with an error that a tool reports', async () => {
    await using client = await connect(taskServer().server, options);
    await expect(client.tools.call('refusing', {}, asTask)).rejects.toMatchObject({
      code: -32000,
      message: 'No paper',
    });
    expect(await client.tools.call('failing', {}, asTask)).toMatchObject({ isError: true });
  });

  it('has its requests answered by the handlers, each once [ext-tasks-30, ext-tasks-32, ext-tasks-35, ext-tasks-39, s-tasks-34]', async () => {
    const asked: string[] = [];
    await using client = await connect(taskServer().server, {
      ...options,
      handlers: {
        elicitForm({ message }) {
          asked.push(message);
          return { action: 'accept', content: { name: message.split(' ')[0] } };
        },
      },
    });
    const result = await client.tools.call('greet', {}, asTask);
    expect(text(result)).toEqual([{ type: 'text', text: 'Hello, First Last' }]);
    expect(asked).toEqual(['First name?', 'Last name?']);
  });

  it('is cancelled when the caller aborts, by tasks/cancel [ext-tasks-42]', async () => {
    const { server, aborted } = taskServer();
    await using client = await connect(server, options);
    const controller = new AbortController();
    const call = client.tools.call(
      'held',
      {},
      { ...asTask, signal: controller.signal, onTask: () => controller.abort() },
    );
    await expect(call).rejects.toMatchObject({ code: 'cancelled', details: { taskId: expect.any(String) } });
    await aborted;
  });

  it('goes on after a timeout and after close(), and the error names it', async () => {
    const { server, release } = taskServer();
    const client = await connect(server, options);
    // Long enough to learn of the task first.
    const late = await client.tools.call('held', {}, { ...asTask, maxTotalTimeoutMs: 2000 }).catch((error) => error);
    expect(late).toMatchObject({ code: 'timeout', details: { taskId: expect.any(String) } });
    expect(late.hint).toContain('client.tasks.result');
    const begun = deferred();
    const closed = client.tools.call('held', {}, { ...asTask, onTask: () => begun.resolve() }).catch((error) => error);
    await begun.promise;
    await client.close();
    expect(await closed).toMatchObject({ code: 'connection-closed', details: { taskId: expect.any(String) } });
    release();
    await using next = await connect(server, options);
    expect(text(await next.tasks.result(late.details.taskId))).toEqual([{ type: 'text', text: 'released' }]);
  });

  it('is followed over the next connection when one breaks', async () => {
    const { server, release } = taskServer();
    const line = reconnectable(server);
    await using client = line.client(options);
    const onTask = (): void => {
      line.cut();
      release();
    };
    const result = client.tools.call('held', {}, { ...asTask, onTask });
    expect(text(await result)).toEqual([{ type: 'text', text: 'released' }]);
    expect(line.dials).toBe(2);
  });

  it('rejects with task-cancelled where another client cancels it', async () => {
    const { server } = taskServer();
    await using client = await connect(server, options);
    const call = client.tools.call('held', {}, { ...asTask, onTask: ({ taskId }) => client.tasks.cancel(taskId) });
    await expect(call).rejects.toMatchObject({ code: 'task-cancelled', details: { taskId: expect.any(String) } });
  });

  it('rejects where onTask throws, and the task goes on', async () => {
    await using client = await connect(taskServer().server, options);
    const onTask = (): never => {
      throw new Error('disk full');
    };
    await expect(client.tools.call('report', { n: 1 }, { ...asTask, onTask })).rejects.toMatchObject({
      code: 'callback-failed',
      details: { taskId: expect.any(String) },
    });
  });

  it('is the same for the same idempotency key', async () => {
    const { server, runs } = taskServer();
    await using client = await connect(server, options);
    const ids: string[] = [];
    const given = { ...asTask, idempotencyKey: 'k1', onTask: ({ taskId }: Task) => void ids.push(taskId) };
    await client.tools.call('report', { n: 1 }, given);
    await client.tools.call('report', { n: 1 }, given);
    expect(ids[0]).toBe(ids[1]);
    expect(runs()).toBe(1);
  });
});
