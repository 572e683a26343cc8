/** Requests of a server that its client of 2025-11-25 runs as tasks, as messages on the wire. */
import { createServer, tool } from 'tenon';
import type { ServerRequestOptions } from 'tenon/server';
import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { handshake, type Json, openRaw } from '../../kit/transport/raw-connection.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const related = 'io.modelcontextprotocol/related-task';
const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } } as const;
const accept = { action: 'accept', content: { name: 'Ann' } };
const runsTasks = {
  list: {},
  cancel: {},
  requests: { elicitation: { create: {} }, sampling: { createMessage: {} } },
};
const taskOf = (status: string, more: Json = {}): Json => {
  const at = '2026-01-01T00:00:00.000Z';
  return { taskId: 't1', status, createdAt: at, lastUpdatedAt: at, ttl: 60_000, pollInterval: 500, ...more };
};

/** A server whose tool sends one elicitation with these options, and a client of raw messages that has called it. */
async function asking(options: ServerRequestOptions | undefined, tasks: Json | null = runsTasks, how: Json = {}) {
  const clock = createFakeClock();
  const server = createServer(
    {
      name: 's',
      version: '1',
      tools: {
        ask: tool({}, async (_given, ctx) => {
          const request = { message: 'Who?', requestedSchema };
          const answer = await ctx.elicit('who', request, options).catch((error) => ({ action: 'failed', error }));
          return answer.action === 'failed'
            ? describeError((answer as { error: Error }).error)
            : JSON.stringify(answer);
        }),
      },
    },
    { ...withClock(clock), ...how, onError: () => undefined },
  );
  const raw = openRaw(server);
  const { params } = handshake('2025-11-25');
  raw.send({
    jsonrpc: '2.0',
    id: 'i',
    method: 'initialize',
    params: { ...(params as Json), capabilities: { elicitation: {}, ...(tasks && { tasks }) } },
  });
  await raw.next();
  raw.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  raw.send({ jsonrpc: '2.0', id: 'c', method: 'tools/call', params: { name: 'ask' } });
  const next = (): Promise<Json> => withTimeout(raw.next(), 'a message of the server');
  return {
    clock,
    next,
    send: (message: Json) => raw.send({ jsonrpc: '2.0', ...message }),
    /** Waits for a request, checks its method, and answers it. */
    async answers(method: string, result: Json): Promise<Json> {
      const request = await next();
      expect(request.method).toBe(method);
      raw.send({ jsonrpc: '2.0', id: request.id, result });
      return request.params as Json;
    },
    async refuses(method: string, error: Json): Promise<void> {
      const request = await next();
      expect(request.method).toBe(method);
      raw.send({ jsonrpc: '2.0', id: request.id, error });
    },
    /** Resolves when the server waits before it looks again. */
    async paused(): Promise<void> {
      raw.send({ jsonrpc: '2.0', id: 'ping', method: 'ping' });
      expect(await next()).toMatchObject({ id: 'ping' });
    },
    async result(): Promise<unknown> {
      const { id, result } = await next();
      expect(id).toBe('c');
      return ((result as { content: { text: string }[] }).content[0] as { text: string }).text;
    },
  };
}

function describeError(error: Error): string {
  const { code, cause } = error as { code?: string; cause?: { code?: unknown; message?: string } };
  return `${code}: ${cause?.code} ${cause?.message}`;
}

describe('an elicitation that the client runs as a task', () => {
  it('is sent with a ttl, polled as often as the client says, and its result is that of the request [s-tasks-12, s-tasks-16, s-tasks-17, s-tasks-18, s-tasks-20, s-tasks-21, s-tasks-50]', async () => {
    const { answers, clock, paused, result } = await asking({ task: { ttlMs: 30_000 } });
    const params = await answers('elicitation/create', { task: taskOf('working') });
    expect(params).toMatchObject({ message: 'Who?', task: { ttl: 30_000 } });
    for (let looks = 0; looks < 2; looks++) {
      await paused();
      clock.advance(499);
      await paused();
      clock.advance(1);
      expect(await answers('tasks/get', taskOf(looks === 0 ? 'working' : 'completed'))).toEqual({ taskId: 't1' });
    }
    expect(await answers('tasks/result', { ...accept, _meta: { [related]: { taskId: 't1' } } })).toEqual({
      taskId: 't1',
    });
    expect(await result()).toBe(JSON.stringify(accept));
  });

  it('is looked at again at once when the client reports its status', async () => {
    const { answers, send, paused, result } = await asking({ task: true });
    expect(await answers('elicitation/create', { task: taskOf('working') })).toMatchObject({
      task: { ttl: 3_600_000 },
    });
    await paused();
    send({ method: 'notifications/tasks/status', params: taskOf('completed') });
    await answers('tasks/get', taskOf('completed'));
    await answers('tasks/result', accept);
    expect(await result()).toBe(JSON.stringify(accept));
  });

  it('is looked at once even if the report overtakes the answer with its id', async () => {
    const { next, send, answers, result } = await asking({ task: true });
    const request = await next();
    send({ method: 'notifications/tasks/status', params: taskOf('completed') });
    send({ id: request.id, result: { task: taskOf('working') } });
    await answers('tasks/get', taskOf('completed'));
    await answers('tasks/result', { action: 'decline' });
    expect(await result()).toBe('{"action":"decline"}');
  });

  it('waits for the result as soon as the client needs input for it [s-tasks-34]', async () => {
    const { answers, result } = await asking({ task: true });
    await answers('elicitation/create', { task: taskOf('input_required') });
    await answers('tasks/result', accept);
    expect(await result()).toBe(JSON.stringify(accept));
  });

  it('is sent without `task` if the client did not declare this request, or no tasks, or the handler forbids it [s-tasks-02, s-tasks-03, s-tasks-04]', async () => {
    for (const [options, tasks] of [
      [{ task: true }, { requests: { sampling: { createMessage: {} } } }],
      [{ task: true }, null],
      [{ task: false }, runsTasks],
      [undefined, runsTasks],
    ] as const) {
      const { answers, result } = await asking(options, tasks);
      expect(await answers('elicitation/create', accept)).not.toHaveProperty('task');
      expect(await result()).toBe(JSON.stringify(accept));
    }
  });

  it('reports progress until it is over, under one token', async () => {
    const updates: unknown[] = [];
    const onProgress = (update: unknown): void => void updates.push(update);
    const { answers, send, paused, result } = await asking({ task: true, onProgress });
    const { _meta } = await answers('elicitation/create', { task: taskOf('working') });
    await paused();
    const { progressToken } = _meta as Json;
    send({ method: 'notifications/progress', params: { progressToken, progress: 1, total: 2 } });
    send({ method: 'notifications/tasks/status', params: taskOf('completed') });
    await answers('tasks/get', taskOf('completed'));
    await answers('tasks/result', accept);
    expect(await result()).toBe(JSON.stringify(accept));
    expect(updates).toEqual([{ progress: 1, total: 2 }]);
  });

  it('may be answered plainly all the same', async () => {
    const { answers, result } = await asking({ task: true });
    await answers('elicitation/create', accept);
    expect(await result()).toBe(JSON.stringify(accept));
  });

  it('runs as a task when the handler is replayed', async () => {
    const { answers, result } = await asking({ task: { ttlMs: 7000 } }, runsTasks, { alwaysReplay: true });
    expect(await answers('elicitation/create', { task: taskOf('completed') })).toMatchObject({ task: { ttl: 7000 } });
    await answers('tasks/result', accept);
    expect(await result()).toBe(JSON.stringify(accept));
  });
});

describe('an elicitation as a task that fails', () => {
  it('gives the handler the error of the client', async () => {
    const { answers, refuses, result } = await asking({ task: true });
    await answers('elicitation/create', { task: taskOf('failed') });
    await refuses('tasks/result', { code: -32001, message: 'The user is away' });
    expect(await result()).toBe('server-request-failed: -32001 The user is away');
  });

  it('names the task that was not finished in time, and cancels it', async () => {
    const { answers, clock, paused, result } = await asking({ task: { ttlMs: 700 } });
    await answers('elicitation/create', { task: taskOf('working') });
    await paused();
    clock.advance(500);
    await answers('tasks/get', taskOf('working'));
    await paused();
    clock.advance(200);
    expect(await answers('tasks/cancel', taskOf('cancelled'))).toEqual({ taskId: 't1' });
    expect(await result()).toContain('timeout The client did not finish its task t1 within 700 ms');
  });

  it('ends at once if the client no longer has the task', async () => {
    const { answers, refuses, clock, paused, result } = await asking({ task: true });
    await answers('elicitation/create', { task: taskOf('working') });
    await paused();
    clock.advance(500);
    await refuses('tasks/get', { code: -32602, message: 'There is no such task' });
    expect(await result()).toBe('server-request-failed: -32602 There is no such task');
  });

  it('looks again if the client is silent for a while', async () => {
    const { answers, next, clock, paused, result } = await asking({ task: true });
    await answers('elicitation/create', { task: taskOf('working', { ttl: null, pollInterval: 1 }) });
    await paused();
    clock.advance(99);
    await paused();
    clock.advance(1);
    expect(await next()).toMatchObject({ method: 'tasks/get' });
    clock.advance(60_000);
    expect(await next()).toMatchObject({ method: 'notifications/cancelled' });
    await paused();
    clock.advance(100);
    await answers('tasks/get', taskOf('completed'));
    await answers('tasks/result', accept);
    expect(await result()).toBe(JSON.stringify(accept));
  });

  it('ends the call if the result does not fit the request', async () => {
    const { answers, next } = await asking({ task: true });
    await answers('elicitation/create', { task: taskOf('completed') });
    await answers('tasks/result', { action: 'perhaps' });
    expect(await next()).toMatchObject({ id: 'c', error: { code: -32602 } });
  });

  it('names wrong options', async () => {
    const { result } = await asking({ task: { ttl: 5 } } as never);
    expect(await result()).toMatch(/^invalid-argument/);
  });
});

describe('a call that is cancelled while its client runs a task for it', () => {
  const cancelled = { method: 'notifications/cancelled', params: { requestId: 'c' } };

  it('cancels the task by its id, and not by that of the request', async () => {
    const { answers, next, send, paused } = await asking({ task: true });
    await answers('elicitation/create', { task: taskOf('working') });
    await paused();
    send(cancelled);
    expect(await next()).toMatchObject({ method: 'tasks/cancel', params: { taskId: 't1' } });
  });

  it('cancels a task whose id is not known yet when it is', async () => {
    const { next, send, paused } = await asking({ task: true });
    const { id } = await next();
    send(cancelled);
    await paused();
    send({ id, result: { task: taskOf('working') } });
    expect(await next()).toMatchObject({ method: 'tasks/cancel', params: { taskId: 't1' } });
  });

  it('sends nothing to a client that lets no tasks be cancelled [s-tasks-05]', async () => {
    const { requests } = runsTasks;
    const { answers, send, paused, next } = await asking({ task: true }, { requests });
    await answers('elicitation/create', { task: taskOf('working') });
    await paused();
    send(cancelled);
    send({ id: 'after', method: 'ping' });
    expect(await next()).toMatchObject({ id: 'after' });
  });
});
