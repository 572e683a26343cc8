/** Calls of 2026-07-28 that may become tasks: the process that receives one runs it, and answers with what comes first. */
import {
  type ConnectOptions,
  connect,
  createServer,
  type Middleware,
  type ServerDefinition,
  type ServerOptions,
  type Task,
  tool,
} from 'tenon';
import { createPolicy, guard } from 'tenon/guard';
import { toFetchHandler } from 'tenon/server';
import { createMemoryStore, type Store, type TaskStore } from 'tenon/store';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { memoryAudit } from '../../guard/server/kit.ts';
import { deferred } from '../../kit/deferred.ts';
import type { Json } from '../../kit/transport/raw-connection.ts';
import { resultOf } from './task-server.ts';

type Tools = NonNullable<ServerDefinition['tools']>;

const shop = (tools: Tools, options: ServerOptions = {}) =>
  createServer({ name: 'shop', version: '1.0.0', tools }, { onError: () => undefined, ...options });

/** A client of a server with these tools. */
async function opened(tools: Tools, options: ServerOptions = {}, clientOptions: ConnectOptions = {}) {
  const client = await connect(shop(tools, options), clientOptions);
  onTestFinished(() => client.close());
  return client;
}

const text = ({ content }: { readonly content: unknown }): unknown => (content as { text: string }[])[0]?.text;

const never = (): never => {
  throw new Error('the call became a task');
};

/** A store of tasks that notes its writes; `onCreation` gets what `create` returns. */
function watched(onCreation: (made: unknown) => void = () => {}): { readonly store: Store; readonly writes: string[] } {
  const store = createMemoryStore();
  const writes: string[] = [];
  const tasks: TaskStore = {
    ...store.tasks,
    create: (...given) => {
      writes.push('create');
      const made = store.tasks.create(...given);
      onCreation(made);
      return made;
    },
    write: (...given) => {
      writes.push('write');
      return store.tasks.write(...given);
    },
  };
  return { store: { ...store, tasks }, writes };
}

/** Calls of 2026-07-28 by HTTP, on a store of the test. */
function raw(tools: Tools, options: ServerOptions = {}, store: Store = createMemoryStore()) {
  const server = shop(tools, { secrets: ['at least sixteen characters'], ...options });
  const handle = toFetchHandler(server, { store });
  onTestFinished(() => handle.close());
  async function ask(method: string, params: Json, meta: Json = {}, signal?: AbortSignal): Promise<Json> {
    const headers = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      'mcp-name': String(params.name ?? params.taskId),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const capabilities = { elicitation: { form: {} }, extensions: { 'io.modelcontextprotocol/tasks': {} } };
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': capabilities,
      ...meta,
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } });
    const request = new Request('http://localhost/mcp', { method: 'POST', headers, body, ...(signal && { signal }) });
    return resultOf((await (await handle(request)).json()) as Json);
  }
  const call = (name: string, meta?: Json, signal?: AbortSignal): Promise<Json> =>
    ask('tools/call', { name, arguments: {} }, meta, signal);
  return { ask, call };
}

describe.each(['optional', 'required'] as const)('a call of a tool whose task is %s', (support) => {
  it('is answered with its result if that comes within answerWithinMs, and nothing is stored [ext-tasks-02, ext-tasks-04]', async () => {
    const { store, writes } = watched();
    const { call } = raw({ quick: tool({ task: support }, (_given, ctx) => ctx.step('a', () => 'done')) }, {}, store);
    expect(await call('quick')).toMatchObject({ resultType: 'complete', content: [{ text: 'done' }] });
    expect(writes).toEqual([]);
  });

  it('does not call onTask then, and becomes a task if it takes longer', async () => {
    const held = deferred();
    const client = await opened({
      quick: tool({ task: support }, () => 'done'),
      slow: tool({ task: { support, answerWithinMs: 1 } }, async () => {
        await held.promise;
        return 'late';
      }),
    });
    expect(text(await client.tools.call('quick', {}, { onTask: never }))).toBe('done');
    const onTask = (): void => held.resolve();
    expect(text(await client.tools.call('slow', {}, { onTask }))).toBe('late');
  });
});

describe('a call that becomes a task', () => {
  it('reports progress while its response is open, and its status message after that [ext-tasks-52]', async () => {
    const announced = deferred();
    const shown = deferred();
    const client = await opened({
      slow: tool({ task: { answerWithinMs: 50 } }, async (_given, ctx) => {
        ctx.reportProgress(1, 3, 'begun');
        await announced.promise;
        ctx.reportProgress(2, 3, 'halfway');
        await shown.promise;
        return 'done';
      }),
    });
    const progress: unknown[] = [];
    const statuses: unknown[] = [];
    const created: Task[] = [];
    const result = await client.tools.call(
      'slow',
      {},
      {
        onProgress: ({ message }) => void progress.push(message),
        onTask: (task) => {
          created.push(task);
          announced.resolve();
        },
        onTaskStatus: ({ status, statusMessage }) => {
          statuses.push([status, statusMessage]);
          shown.resolve();
        },
      },
    );
    expect(text(result)).toBe('done');
    expect(created).toMatchObject([{ status: 'working', statusMessage: 'begun' }]);
    expect(progress).toEqual(['begun']);
    expect(statuses[0]).toEqual(['working', 'halfway']);
  });

  it('does so at once if it waits for input, and its steps so far are not repeated', async () => {
    let steps = 0;
    let runs = 0;
    const client = await opened(
      {
        greet: tool({ task: { answerWithinMs: 60_000 } }, async (_given, ctx) => {
          runs++;
          const first = await ctx.step('first', ({ key }) => `${++steps} ${key}`);
          const answer = await ctx.elicit('name', { message: 'Who?', schema: z.object({ name: z.string() }) });
          return `${first} ${ctx.task?.id} ${answer.action === 'accept' ? answer.content.name : ''}`;
        }),
      },
      {},
      { handlers: { elicitForm: () => ({ action: 'accept', content: { name: 'Ann' } }) } },
    );
    let taskId = '';
    const onTask = (task: Task): void => void (taskId = task.taskId);
    expect(text(await client.tools.call('greet', {}, { onTask }))).toBe(`1 ${taskId}/first ${taskId} Ann`);
    expect([runs, steps]).toEqual([2, 1]);
  });

  it('does so if it is tried again', async () => {
    let runs = 0;
    const client = await opened({
      flaky: tool({ task: { retry: { attempts: 2, backoffMs: 0 } } }, () => {
        if (++runs === 1) throw new Error('not yet');
        return `run ${runs}`;
      }),
    });
    const tasks: string[] = [];
    const onTask = ({ taskId }: Task): void => void tasks.push(taskId);
    expect(text(await client.tools.call('flaky', {}, { onTask }))).toBe('run 2');
    expect(tasks).toHaveLength(1);
  });

  it('is polled often first, and less often with its age, as each answer says [ext-tasks-12, ext-tasks-18]', async () => {
    const held = deferred();
    onTestFinished(() => held.resolve());
    let now = 1_700_000_000_000;
    const store = createMemoryStore({ now: () => now });
    const { call, ask } = raw({ slow: tool({ task: { answerWithinMs: 1 } }, () => held.promise as never) }, {}, store);
    const created = await call('slow');
    const intervals = [created.pollIntervalMs];
    for (const ms of [100, 400, 1000, 60_000]) {
      now += ms;
      intervals.push((await ask('tasks/get', { taskId: created.taskId })).pollIntervalMs);
    }
    expect(intervals).toEqual([100, 100, 250, 750, 1000]);
  });

  it('stays a call where its owner has too many tasks, and is answered when it ends', async () => {
    const [held, tried] = [deferred(), deferred()];
    const { store, writes } = watched((made) => (made === 'full' ? tried.resolve() : undefined));
    const slow = tool({ task: { answerWithinMs: 1 } }, async () => {
      await held.promise;
      return 'done';
    });
    const { call } = raw({ slow }, { tasks: { maxPerPrincipal: 1 } }, store);
    expect((await call('slow')).resultType).toBe('task');
    const second = call('slow');
    await tried.promise;
    held.resolve();
    expect(await second).toMatchObject({ resultType: 'complete', content: [{ text: 'done' }] });
    expect(writes.filter((write) => write === 'create')).toHaveLength(2);
  });

  it('is queued and answered with its task where the process has no room for it', async () => {
    const held = deferred();
    let running = 0;
    const slow = tool({ task: { answerWithinMs: 60_000 } }, async () => {
      running++;
      await held.promise;
      return 'done';
    });
    const client = await opened({ slow }, { tasks: { maxConcurrent: 1 } });
    const first = client.tools.call('slow', {}, { onTask: never });
    const announced = deferred();
    const second = client.tools.call('slow', {}, { onTask: () => announced.resolve() });
    await announced.promise;
    expect(running).toBe(1);
    held.resolve();
    expect([text(await first), text(await second)]).toEqual(['done', 'done']);
  });

  it('passes the middleware once, with the outcome of its run', async () => {
    const held = deferred();
    const seen: unknown[] = [];
    const noting: Middleware = async ({ method, ctx }, next) => {
      if (method !== 'tools/call') return next();
      seen.push(ctx.task);
      const outcome = await next();
      seen.push(outcome.resultType);
      return outcome;
    };
    const client = await opened(
      {
        quick: tool({ task: 'optional' }, () => 'done'),
        slow: tool({ task: { answerWithinMs: 1 } }, async () => {
          await held.promise;
          return 'done';
        }),
      },
      { middleware: [noting] },
    );
    await client.tools.call('quick');
    await client.tools.call('slow', {}, { onTask: () => held.resolve() });
    expect(seen).toEqual([undefined, 'complete', undefined, 'complete']);
  });

  it('has one record of its start and one of its end in the audit log, with its id', async () => {
    const held = deferred();
    const audit = memoryAudit();
    const policy = createPolicy('version: 1\nrules:\n  - { id: open, allow: [list, call], to: any, on: any }\n');
    const client = await opened(
      {
        slow: tool({ task: { answerWithinMs: 1 } }, async () => {
          await held.promise;
          return 'done';
        }),
      },
      { guard: guard({ policy, audit }) },
    );
    let id = '';
    const onTask = ({ taskId }: Task): void => {
      id = taskId;
      held.resolve();
    };
    await client.tools.call('slow', {}, { onTask });
    const calls = audit.events.filter(({ kind, what }) => kind.startsWith('call-') && what?.method === 'tools/call');
    expect(calls).toMatchObject([
      { kind: 'call-start', what: { tool: 'slow' } },
      { kind: 'call-end', what: { outcome: 'result', taskId: id, attempt: 1 } },
    ]);
  });
});

describe('a call that its client cancels before it is a task', () => {
  it('is aborted, and no task is stored for it', async () => {
    const { store, writes } = watched();
    const [begun, aborted] = [deferred(), deferred()];
    const slow = tool({ task: { answerWithinMs: 5 } }, (_given, { signal }) => {
      begun.resolve();
      return new Promise<string>((resolve) => {
        signal.addEventListener('abort', () => {
          aborted.resolve();
          resolve('aborted');
        });
      });
    });
    const { call } = raw({ slow, quick: tool({ task: 'optional' }, () => 'done') }, {}, store);
    const stop = new AbortController();
    call('slow', {}, stop.signal).catch(() => {});
    await begun.promise;
    stop.abort();
    await aborted.promise;
    expect((await call('quick')).resultType).toBe('complete');
    expect(writes).toEqual([]);
  });
});

describe('a call with an idempotency key', () => {
  it('is stored before its handler runs, with two writes in all, and a repeat gets its task', async () => {
    const { store, writes } = watched();
    let before: readonly string[] = [];
    const { call, ask } = raw(
      {
        quick: tool({ task: 'optional' }, () => {
          before = [...writes];
          return 'done';
        }),
      },
      {},
      store,
    );
    const meta = { 'dev.tenon/idempotency-key': 'k1' };
    expect(await call('quick', meta)).toMatchObject({ resultType: 'complete', content: [{ text: 'done' }] });
    expect(before).toEqual(['create']);
    expect(writes).toEqual(['create', 'write']);
    const repeated = await call('quick', meta);
    expect(repeated).toMatchObject({ resultType: 'task', status: 'completed' });
    const { result } = await ask('tasks/get', { taskId: repeated.taskId });
    expect(result).toMatchObject({ content: [{ text: 'done' }] });
  });
});
