/** What a client sends to follow a task: on a fake clock, against a server that the test scripts. */
import type { ConnectOptions, ProtocolVersion, Task, TaskMemory } from 'tenon';
import type { RememberedTask } from 'tenon/client';
import { describe, expect, it } from 'vitest';
import type { Json, ManualTransport } from '../../kit/client/manual-transport.ts';
import { simulateServer, still } from '../../kit/client/simulated-server.ts';
import { withFixed } from '../../kit/fixed-limits.ts';

const extension = 'io.modelcontextprotocol/tasks';
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';
const created = { createdAt: '2026-01-01T00:00:00Z', lastUpdatedAt: '2026-01-01T00:00:00Z' };
const text = (content: string): Json => ({ content: [{ type: 'text', text: content }] });

type Answer = (params: Json, wire: ManualTransport) => Json | undefined;

interface Script {
  readonly capabilities?: Json;
  /** The answer to each method: a result, `{ error }`, or nothing. */
  readonly answers: Record<string, Answer>;
  readonly options?: ConnectOptions;
}

const sessionTask = { tasks: { cancel: {}, requests: { tools: { call: {} } } } };

function scripted(revision: ProtocolVersion, { capabilities, answers, options = {} }: Script) {
  const isAlone = revision === '2026-07-28';
  const sent: Array<{ readonly method: string; readonly params: Json }> = [];
  const declared = capabilities ?? (isAlone ? { extensions: { [extension]: {} } } : sessionTask);
  const world = simulateServer({
    revision,
    capabilities: { tools: {}, ...declared },
    received(wire, message) {
      const { id, method, params = {} } = message as { id?: number; method: string; params?: Json };
      sent.push({ method, params });
      if (id === undefined) return;
      const answer = answers[method]?.(params, wire);
      if (answer === undefined) return;
      const body = 'error' in answer && !('status' in answer) ? answer : { result: finished(answer, isAlone) };
      queueMicrotask(() => wire.answer(id, body));
    },
  });
  const client = world.client(options);
  return {
    world,
    client,
    sent,
    of: (method: string) => sent.filter((one) => one.method === method),
    /** Advances the clock and waits for everything that follows. */
    async pass(ms: number) {
      await still();
      world.clock.advance(ms);
      await still();
    },
  };
}

const finished = (result: Json, isAlone: boolean): Json =>
  isAlone
    ? { resultType: 'complete', ...result, ...('tools' in result && { ttlMs: 0, cacheScope: 'private' }) }
    : result;

const taskAt = (revision: ProtocolVersion, status: string, more: Json = {}): Json =>
  revision === '2026-07-28'
    ? { taskId: 't1', status, ...created, ttlMs: null, pollIntervalMs: 5000, ...more }
    : { taskId: 't1', status, ...created, ttl: null, pollInterval: 5000, ...more };

const form = { type: 'object', properties: { name: { type: 'string' } } };

const versions: ProtocolVersion[] = ['2026-07-28', '2025-11-25'];

/** A server whose tool becomes a task; `get` answers tasks/get. */
function begun(revision: ProtocolVersion, get: Answer, more: Partial<Script> = {}) {
  const isAlone = revision === '2026-07-28';
  const handle = taskAt(revision, 'working');
  return scripted(revision, {
    ...more,
    answers: {
      'tools/list': () => ({
        tools: [{ name: 'a', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } }],
      }),
      'tools/call': () => (isAlone ? { resultType: 'task', ...handle } : { task: handle }),
      'tasks/get': get,
      'tasks/cancel': () => (isAlone ? {} : taskAt(revision, 'cancelled')),
      ...more.answers,
    },
  });
}

describe.each(versions)('a client that follows a task at %s', (version) => {
  const isAlone = version === '2026-07-28';
  const over = (): Json => taskAt(version, 'completed', isAlone ? { result: text('done') } : {});
  const result = { 'tasks/result': () => text('done') };

  it('polls no faster than the server asks for [ext-tasks-18, s-tasks-16]', async () => {
    let polls = 0;
    const { client, of, pass } = begun(version, () => (++polls < 3 ? taskAt(version, 'working') : over()), {
      answers: result,
    });
    const call = client.tools.call('a');
    await pass(4999);
    expect(of('tasks/get')).toHaveLength(0);
    await pass(1);
    expect(of('tasks/get')).toHaveLength(1);
    await pass(4999);
    expect(of('tasks/get')).toHaveLength(1);
    await pass(1);
    await pass(5000);
    expect(await call).toMatchObject(text('done'));
    expect(of('tasks/get').map(({ params }) => params.taskId)).toEqual(['t1', 't1', 't1']);
  });

  it('polls also where no notification comes, and at once when one says that the task is over [s-tasks-20, s-tasks-21, s-tasks-30]', async () => {
    const { client, of, pass, world } = begun(version, over, { answers: result });
    const call = client.tools.call('a');
    await still();
    const status = isAlone ? 'notifications/tasks' : 'notifications/tasks/status';
    world.wire()?.write({ method: status, params: taskAt(version, 'working') });
    await still();
    expect(of('tasks/get')).toHaveLength(0);
    world.wire()?.write({ method: status, params: taskAt(version, 'completed') });
    await pass(0);
    expect(await call).toMatchObject(text('done'));
  });

  it('goes on while the server cannot be reached, for as long as an outage may last', async () => {
    let polls = 0;
    const { client, world, pass } = begun(version, () => (++polls < 2 ? taskAt(version, 'working') : over()), {
      answers: result,
    });
    const call = client.tools.call('a');
    await pass(5000);
    world.mode = 'refusing';
    world.wire()?.close();
    for (let passed = 0; passed < 300; passed += 10) await pass(10_000);
    world.mode = 'up';
    for (let passed = 0; passed < 100; passed += 10) await pass(10_000);
    expect(await call).toMatchObject(text('done'));
  });

  it('fails after a longer outage without an answer, and names the task', async () => {
    const { client, world, pass } = begun(version, over, {
      options: { timeouts: withFixed({}, { taskOutageMs: 60_000 }) },
    });
    const call = client.tools.call('a').catch((error) => error);
    await still();
    world.mode = 'refusing';
    world.wire()?.close();
    for (let passed = 0; passed < 300; passed += 10) await pass(10_000);
    expect(await call).toMatchObject({
      details: { taskId: 't1' },
      message: expect.stringContaining('Task t1 goes on'),
    });
  });

  it('rejects with outcome-unknown where the task has failed, and may have had its effect', async () => {
    const error = { code: -32000, message: 'It may have been paid', data: { outcome: 'unknown', retry: false } };
    const failed = (): Json => taskAt(version, 'failed', isAlone ? { error } : {});
    const { client, pass, of } = begun(version, failed, { answers: { 'tasks/result': () => ({ error }) } });
    const call = client.tools.call('a').catch((reason) => reason);
    await pass(5000);
    expect(await call).toMatchObject({
      code: 'outcome-unknown',
      message: expect.stringContaining('It may have been paid'),
      details: { taskId: 't1' },
      cause: { message: 'It may have been paid' },
    });
    expect((await call).message).not.toContain('goes on');
    expect(of('tools/call')).toHaveLength(1);
  });

  it('passes each change of the status and its message to onTaskStatus, whether it was read or notified [ext-tasks-11]', async () => {
    const messages = ['reading', 'reading', 'writing'];
    const get = (): Json => {
      const statusMessage = messages.shift();
      return statusMessage === undefined ? over() : taskAt(version, 'working', { statusMessage });
    };
    const { client, pass, world } = begun(version, get, { answers: result });
    const seen: unknown[] = [];
    const onTaskStatus = ({ status, statusMessage }: Task): void => void seen.push([status, statusMessage]);
    const call = client.tools.call('a', {}, { onTaskStatus });
    await pass(5000);
    await pass(5000);
    const method = isAlone ? 'notifications/tasks' : 'notifications/tasks/status';
    world.wire()?.write({ method, params: taskAt(version, 'working', { statusMessage: 'sorting' }) });
    await pass(5000);
    await pass(5000);
    await call;
    expect(seen).toEqual([
      ['working', 'reading'],
      ['working', 'sorting'],
      ['working', 'writing'],
      ['completed', undefined],
    ]);
  });

  it('follows the interval of each answer [ext-tasks-18]', async () => {
    const intervals = [100, 2000, 4000];
    const every = (ms: number | undefined): Json => (isAlone ? { pollIntervalMs: ms } : { pollInterval: ms });
    const get = (): Json => {
      const ms = intervals.shift();
      return ms === undefined ? over() : taskAt(version, 'working', every(ms));
    };
    const { client, of, pass } = begun(version, get, { answers: result });
    const call = client.tools.call('a');
    await pass(5000);
    for (const ms of [100, 2000, 4000]) {
      const before = of('tasks/get').length;
      await pass(ms - 1);
      expect(of('tasks/get')).toHaveLength(before);
      await pass(1);
      expect(of('tasks/get')).toHaveLength(before + 1);
    }
    await call;
  });

  it('rejects with task-not-found where the server has deleted the task', async () => {
    const { client, pass } = begun(version, () => ({ error: { code: -32602, message: 'No such task' } }));
    const call = client.tools.call('a').catch((error) => error);
    await pass(5000);
    expect(await call).toMatchObject({ code: 'task-not-found', details: { taskId: 't1' } });
  });

  it('passes on the progress of the call as long as its task is followed', async () => {
    const { client, pass, world, of } = begun(version, over, { answers: result });
    const seen: number[] = [];
    const call = client.tools.call('a', {}, { onProgress: ({ progress }) => void seen.push(progress) });
    await still();
    const [{ params } = { params: {} as Json }] = of('tools/call');
    const { progressToken } = params._meta as Json;
    const report = (progress: number): void =>
      world.wire()?.write({ method: 'notifications/progress', params: { progressToken, progress } });
    report(1);
    report(2);
    await pass(5000);
    await call;
    report(3);
    await still();
    expect(seen).toEqual([1, 2]);
  });

  it('refuses a task that it did not allow, and one that answers another method [ext-tasks-05]', async () => {
    const handle = taskAt(version, 'working');
    const asTask = isAlone ? { resultType: 'task', ...handle } : { task: handle };
    const { client } = begun(version, over, {
      answers: { 'prompts/get': () => asTask },
      capabilities: { prompts: {}, ...(isAlone ? { extensions: { [extension]: {} } } : sessionTask) },
    });
    await expect(client.tools.call('a', {}, { task: false })).rejects.toMatchObject({ code: 'invalid-result' });
    await expect(client.prompts.get('p')).rejects.toMatchObject({ code: 'invalid-result' });
  });
});

describe('a client of 2026-07-28', () => {
  const version = '2026-07-28';
  const asking = (key: string, method: string): Json =>
    taskAt(version, 'input_required', { inputRequests: { [key]: { method } } });

  it('names the task where no handler can answer what it requires', async () => {
    const { client, pass } = begun(version, () => asking('k1', 'roots/list'), { options: { onWarning: () => {} } });
    const call = client.tools.call('a').catch((error) => error);
    await pass(5000);
    expect(await call).toMatchObject({ code: 'server-request-failed', details: { taskId: 't1' } });
  });

  it('answers as many rounds as limits.maxInputRounds allows', async () => {
    let round = 0;
    const { client, pass, of } = begun(version, () => asking(`k${++round}`, 'roots/list'), {
      answers: { 'tasks/update': () => ({}) },
      options: { handlers: { roots: [] }, limits: { maxInputRounds: 2 } },
    });
    const call = client.tools.call('a').catch((error) => error);
    await pass(5000);
    expect(await call).toMatchObject({ code: 'too-many-input-rounds', details: { taskId: 't1' } });
    expect(of('tasks/update').map(({ params }) => params.inputResponses)).toEqual([
      { k1: { roots: [] } },
      { k2: { roots: [] } },
    ]);
  });

  it('subscribes to the task that it watches, by taskIds, and reads it at each notification [ext-tasks-48, ext-tasks-51]', async () => {
    let status = 'working';
    const { client, of, pass, world } = begun(version, () =>
      taskAt(version, status, status === 'completed' ? { result: text('done') } : {}),
    );
    const seen: string[] = [];
    await client.tasks.watch('t1', (task) => void seen.push(task.status));
    await still();
    expect(of('subscriptions/listen').map(({ params }) => params.notifications)).toEqual([{ taskIds: ['t1'] }]);
    status = 'completed';
    world.wire()?.write({ method: 'notifications/tasks', params: taskAt(version, 'completed') });
    await pass(0);
    expect(seen).toEqual(['working', 'completed']);
  });

  it('reports changes of tasks that it subscribes to, and refuses that where the server has none', async () => {
    const { client, world, sent } = begun(version, () => undefined);
    const opening = client.subscribe({ taskIds: ['t1'] });
    await still();
    const [[id = 0] = []] = [[...(world.wire()?.unanswered.keys() ?? [])]];
    const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
    const notify = (method: string, params: Json): void =>
      world.wire()?.write({ method, params: { ...params, _meta } });
    notify('notifications/subscriptions/acknowledged', { notifications: { taskIds: ['t1'] } });
    const subscription = await opening;
    expect(subscription.acknowledged).toEqual({ taskIds: ['t1'] });
    notify('notifications/tasks', taskAt(version, 'working'));
    for await (const change of subscription) {
      expect(change).toEqual({ type: 'task', taskId: 't1' });
      break;
    }
    const other = scripted(version, { capabilities: {}, answers: {} });
    await expect(other.client.subscribe({ taskIds: ['t1'] })).rejects.toMatchObject({
      code: 'capability-not-supported',
    });
    await expect(client.subscribe({ taskIds: 't1' } as never)).rejects.toMatchObject({ details: { place: 'taskIds' } });
    expect(sent.length).toBeGreaterThan(0);
  });
});

describe('what a client declares', () => {
  const declaredIn = (params: Json): unknown => ((params._meta as Json)[capabilitiesKey] as Json).extensions;

  it('is the extension in calls that may become tasks, and not where `task` is false [ext-tasks-01]', async () => {
    const { client, of } = scripted('2026-07-28', { answers: { 'tools/call': () => text('plain') } });
    await client.tools.call('a');
    await client.tools.call('a', {}, { task: false });
    expect(of('tools/call').map(({ params }) => declaredIn(params))).toEqual([{ [extension]: {} }, undefined]);
  });

  it('does not name the extension to a server without tasks', async () => {
    const { client, of } = scripted('2026-07-28', { capabilities: {}, answers: { 'tools/call': () => text('plain') } });
    await client.tools.call('a');
    expect(of('tools/call').map(({ params }) => declaredIn(params))).toEqual([undefined]);
  });
});

describe('a client of 2025-11-25', () => {
  const tool = (name: string, taskSupport?: string): Json => ({
    name,
    inputSchema: { type: 'object' },
    ...(taskSupport && { execution: { taskSupport } }),
  });
  const tools = {
    tools: [tool('required', 'required'), tool('optional', 'optional'), tool('forbidden', 'forbidden'), tool('absent')],
  };
  const answers = { 'tools/list': () => tools, 'tools/call': () => text('plain') };

  it('lists the tools once, and requests a task where one is required or wanted, never where it is forbidden [s-tasks-07, s-tasks-09, s-tasks-10, s-tasks-12]', async () => {
    const { client, of } = scripted('2025-11-25', { answers });
    for (const name of ['required', 'optional', 'forbidden', 'absent']) await client.tools.call(name);
    await client.tools.call('optional', {}, { task: { ttlMs: 5000 } });
    await expect(client.tools.call('absent', {}, { task: true })).rejects.toMatchObject({
      code: 'capability-not-supported',
    });
    await expect(client.tools.call('forbidden', {}, { task: true })).rejects.toMatchObject({
      code: 'capability-not-supported',
    });
    expect(of('tools/call').map(({ params }) => params.task)).toEqual([
      {},
      undefined,
      undefined,
      undefined,
      { ttl: 5000 },
    ]);
    expect(of('tools/list')).toHaveLength(1);
  });

  it('lists them again when the server says that they have changed', async () => {
    const { client, of, world } = scripted('2025-11-25', { answers });
    await client.tools.call('required');
    world.wire()?.write({ method: 'notifications/tools/list_changed' });
    await client.tools.call('required');
    expect(of('tools/list')).toHaveLength(2);
  });

  it('never requests a task of a server that did not declare tools.call, whatever its tools say [s-tasks-02, s-tasks-03, s-tasks-04, s-tasks-06]', async () => {
    const { client, of } = scripted('2025-11-25', { capabilities: { tasks: { requests: { tools: {} } } }, answers });
    await client.tools.list().all();
    await client.tools.call('required');
    await expect(client.tools.call('required', {}, { task: true })).rejects.toMatchObject({
      code: 'capability-not-supported',
    });
    expect(of('tools/call').map(({ params }) => params.task)).toEqual([undefined]);
  });

  it('puts no related-task metadata into requests about tasks [s-tasks-50]', async () => {
    const { client, pass, sent } = begun('2025-11-25', () => taskAt('2025-11-25', 'completed'), {
      answers: { 'tasks/result': () => text('done') },
    });
    const call = client.tools.call('a');
    await pass(5000);
    await call;
    await client.tasks.cancel('t1');
    expect(sent.map(({ method }) => method)).toEqual(
      expect.arrayContaining(['tasks/get', 'tasks/result', 'tasks/cancel']),
    );
    expect(JSON.stringify(sent)).not.toContain('related-task');
  });

  it('goes on polling where the result takes longer than timeoutMs after input [s-tasks-18]', async () => {
    let polls = 0;
    let waits = 0;
    const statuses = ['input_required', 'working', 'completed'];
    const { client, pass, of } = begun('2025-11-25', () => taskAt('2025-11-25', statuses[polls++] ?? 'completed'), {
      answers: { 'tasks/result': () => (++waits === 1 ? undefined : text('done')) },
      options: { timeoutMs: 1000 },
    });
    const call = client.tools.call('a');
    for (let step = 0; step < 10; step++) await pass(5000);
    expect(await call).toMatchObject(text('done'));
    expect(of('tasks/result')).toHaveLength(2);
  });

  it('does not cancel where the server did not declare tasks.cancel, and says so [s-tasks-05]', async () => {
    const { client, of } = begun('2025-11-25', () => taskAt('2025-11-25', 'working'), {
      capabilities: { tasks: { requests: { tools: { call: {} } } } },
    });
    const controller = new AbortController();
    const call = client.tools.call('a', {}, { signal: controller.signal }).catch((error) => error);
    await still();
    controller.abort();
    expect(await call).toMatchObject({ code: 'cancelled', message: expect.stringContaining('goes on') });
    await expect(client.tasks.cancel('t1')).rejects.toMatchObject({ code: 'capability-not-supported' });
    expect(of('tasks/cancel')).toHaveLength(0);
  });

  it('lists tasks page by page where the server does [s-tasks-57]', async () => {
    const pages: Record<string, Json> = {
      first: { tasks: [taskAt('2025-11-25', 'working')], nextCursor: '%opaque%' },
      '%opaque%': { tasks: [{ ...taskAt('2025-11-25', 'failed'), taskId: 't2' }] },
    };
    const { client } = scripted('2025-11-25', {
      capabilities: { tasks: { list: {} } },
      answers: { 'tasks/list': ({ cursor = 'first' }) => pages[cursor as string] },
    });
    expect(await client.tasks.list().all()).toMatchObject([
      { taskId: 't1', status: 'working', ttlMs: null, pollIntervalMs: 5000 },
      { taskId: 't2', status: 'failed' },
    ]);
  });

  it('stops waiting for a result when the caller aborts, and cancels the task', async () => {
    const { client, pass, of } = begun('2025-11-25', () => taskAt('2025-11-25', 'input_required'));
    const controller = new AbortController();
    const call = client.tools.call('a', {}, { signal: controller.signal }).catch((error) => error);
    await pass(5000);
    expect(of('tasks/result')).toHaveLength(1);
    controller.abort();
    expect(await call).toMatchObject({ code: 'cancelled', details: { taskId: 't1' } });
    expect(of('tasks/cancel')).toHaveLength(1);
  });

  it('returns the task itself where a raw request asks for one', async () => {
    const { client } = begun('2025-11-25', () => undefined);
    expect(await client.request('tools/call', { name: 'a', task: {} })).toMatchObject({ task: { taskId: 't1' } });
  });
});

describe.each<ProtocolVersion>(['2024-11-05', '2025-06-18'])('a client of %s', (version) => {
  it('has no tasks, and says so before anything is sent', async () => {
    const { client, sent } = scripted(version, { answers: {} });
    const refused = { code: 'capability-not-supported', details: { capability: 'tasks' } };
    await expect(client.tools.call('a', {}, { task: true })).rejects.toMatchObject(refused);
    await expect(client.tasks.get('t1')).rejects.toMatchObject(refused);
    await expect(client.tasks.list().all()).rejects.toMatchObject(refused);
    const seen: Task[] = [];
    await expect(client.tasks.watch('t1', (task) => void seen.push(task))).rejects.toMatchObject(refused);
    expect(sent.filter(({ method }) => method.startsWith('t'))).toEqual([]);
  });
});

it('a user need not answer once the task is over, or waits for something else', async () => {
  const asked = (key: string): Json => ({
    inputRequests: { [key]: { method: 'elicitation/create', params: { message: key, requestedSchema: form } } },
  });
  const version = '2026-07-28';
  const states = [
    taskAt(version, 'input_required', asked('first')),
    // It may still wait for the answer.
    taskAt(version, 'working'),
    taskAt(version, 'input_required', asked('second')),
    taskAt(version, 'input_required', asked('second')),
    taskAt(version, 'completed', { result: text('done') }),
  ];
  const shown: string[] = [];
  const { client, of, pass } = begun(version, () => (states.length > 1 ? states.shift() : states[0]), {
    options: {
      handlers: {
        elicitForm: ({ message }, { signal }) =>
          new Promise((_, reject) => {
            shown.push(message);
            signal.addEventListener('abort', () => reject(new Error(`closed ${shown.push(`no ${message}`)}`)));
          }),
      },
    },
  });
  const call = client.tools.call('a');
  for (let n = 0; n < 3; n++) await pass(5000);
  expect(shown).toEqual(['first', 'no first', 'second']);
  await pass(5000);
  expect(await call).toMatchObject(text('done'));
  expect(shown.at(-1)).toBe('no second');
  expect(of('tasks/update')).toEqual([]);
});

it('a task is remembered as long as it may go on, also if a request about it failed', async () => {
  const remembered: RememberedTask[] = [];
  const memory: TaskMemory = {
    read: async () => remembered,
    add: async (task) => void remembered.push(task),
    delete: async () => void remembered.pop(),
  };
  let status = 'working';
  const { client, pass } = begun(
    '2026-07-28',
    () =>
      status === 'failed'
        ? taskAt('2026-07-28', 'failed', { error: { code: -32603, message: 'it broke' } })
        : { error: { code: -32603, message: 'no way' } },
    { options: { tasks: { memory } } },
  );
  const first = client.tools.call('a').catch(({ message }) => message);
  await pass(5000);
  expect(await first).toBe('no way');
  expect(remembered).toHaveLength(1);
  status = 'failed';
  const second = client.tools.call('a').catch(({ message }) => message);
  await pass(5000);
  expect(await second).toBe('it broke');
  expect(remembered).toHaveLength(1);
});
