/** The tasks extension of 2026-07-28 as messages on the wire. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../kit/transport/raw-connection.ts';
import { codeOf, openClient, resultOf, taskServer } from './task-server.ts';

const extension = 'io.modelcontextprotocol/tasks';
const isoDate = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);

function open(declares = true, options: Parameters<typeof openClient>[1] = {}, fixture = taskServer()) {
  const client = openClient(fixture.server, options);
  const capabilities = { elicitation: { form: {} }, ...(declares && { extensions: { [extension]: {} } }) };
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  const ask = (method: string, params: Json = {}): Promise<Json> => client.ask(method, { ...params, _meta: meta });
  const call = (name: string, given: Json = {}): Promise<Json> => ask('tools/call', { name, arguments: given });
  /** Polls until the task has another status than `working`. */
  async function followed(taskId: unknown): Promise<Json> {
    for (;;) {
      const task = resultOf(await ask('tasks/get', { taskId }));
      if (task.status !== 'working') return task;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return { ...fixture, ...client, ask, call, followed };
}

describe('a server of 2026-07-28 with tools that run as tasks', () => {
  it('declares the extension with empty settings [ext-tasks-01]', async () => {
    const { capabilities } = resultOf(await open().ask('server/discover'));
    expect((capabilities as Json).extensions).toEqual({ [extension]: {} });
    expect(capabilities).not.toHaveProperty('tasks');
  });

  it('answers with a task that can be read at once [ext-tasks-02, ext-tasks-08, ext-tasks-10, ext-tasks-15, ext-tasks-16, ext-tasks-22, ext-tasks-27]', async () => {
    const { call, ask } = open();
    const { taskId, ...rest } = resultOf(await call('report', { n: 1 }));
    expect(rest).toEqual({
      resultType: 'task',
      status: 'working',
      createdAt: isoDate,
      lastUpdatedAt: isoDate,
      ttlMs: 3_600_000,
      pollIntervalMs: 100,
    });
    expect(resultOf(await ask('tasks/get', { taskId }))).toMatchObject({ taskId, resultType: 'complete' });
  });

  it('never answers with a task where the client did not declare the extension [ext-tasks-03, ext-tasks-09]', async () => {
    const { call } = open(false);
    expect(resultOf(await call('report', { n: 1 }))).toMatchObject({
      resultType: 'complete',
      content: [{ type: 'text', text: 'report 1' }],
    });
  });

  it('answers -32021 where only a task will do, and names the extension [ext-tasks-06, ext-tasks-57]', async () => {
    const { call, ask } = open(false);
    const needed = { requiredCapabilities: { extensions: { [extension]: {} } } };
    expect((await call('required')).error).toMatchObject({ code: -32021, data: needed });
    for (const method of ['tasks/get', 'tasks/cancel'])
      expect((await ask(method, { taskId: 'x' })).error).toMatchObject({ code: -32021, data: needed });
    expect(codeOf(await ask('tasks/update', { taskId: 'x', inputResponses: {} }))).toBe(-32021);
  });

  it('has the result that the plain call would have returned, and no error of the protocol where a tool reports one [ext-tasks-13, ext-tasks-24, ext-tasks-61, ext-tasks-62]', async () => {
    const { call, followed } = open();
    const plain = resultOf(await open(false).call('report', { n: 7 }));
    const { taskId } = resultOf(await call('report', { n: 7 }));
    expect(await followed(taskId)).toMatchObject({ status: 'completed', result: plain });
    const failing = await followed(resultOf(await call('failing')).taskId);
    expect(failing).toMatchObject({ status: 'completed', result: { isError: true } });
    expect(failing).not.toHaveProperty('error');
  });

  it('shows all open requests under keys of their own, takes answers one by one, and ignores others [ext-tasks-23, ext-tasks-33, ext-tasks-36, ext-tasks-40]', async () => {
    const { call, ask, followed } = open();
    const { taskId } = resultOf(await call('greet'));
    const waiting = await followed(taskId);
    const [key = ''] = Object.keys(waiting.inputRequests as Json);
    expect(waiting).toMatchObject({
      status: 'input_required',
      inputRequests: { [key]: { method: 'elicitation/create', params: { message: 'Who?' } } },
    });
    const update = (inputResponses: Json): Promise<Json> => ask('tasks/update', { taskId, inputResponses });
    const ignored = resultOf(await update({ unknown: { action: 'accept' } }));
    expect(Object.keys(ignored).sort()).toEqual(['_meta', 'resultType']);
    expect((await followed(taskId)).status).toBe('input_required');
    expect(codeOf(await update({ [key]: { action: 'accept', content: { name: 7 } } }))).toBe(-32602);
    await update({ [key]: { action: 'accept', content: { name: 'Ann' } } });
    expect(await followed(taskId)).toMatchObject({
      status: 'completed',
      result: { content: [{ type: 'text', text: 'Hello, Ann' }] },
    });
    // An answer that comes again is ignored.
    expect(await update({ [key]: { action: 'decline' } })).toHaveProperty('result');
  });

  it('acknowledges a cancellation with an empty result, also of a task that is over [ext-tasks-14, ext-tasks-26, ext-tasks-43]', async () => {
    const { call, ask, followed, aborted, release } = open();
    const { taskId } = resultOf(await call('held'));
    expect(Object.keys(resultOf(await ask('tasks/cancel', { taskId }))).sort()).toEqual(['_meta', 'resultType']);
    await aborted;
    release();
    expect((await followed(taskId)).status).toBe('cancelled');
    expect(await ask('tasks/cancel', { taskId })).toHaveProperty('result');
    expect((await followed(taskId)).status).toBe('cancelled');
  });

  it('answers an unknown task with -32602, and has no tasks/result and tasks/list [ext-tasks-38, ext-tasks-44, ext-tasks-54, ext-tasks-55]', async () => {
    const { ask } = open();
    expect(codeOf(await ask('tasks/get', { taskId: 'none' }))).toBe(-32602);
    expect(codeOf(await ask('tasks/cancel', { taskId: 'none' }))).toBe(-32602);
    expect(codeOf(await ask('tasks/update', { taskId: 'none', inputResponses: {} }))).toBe(-32602);
    expect(codeOf(await ask('tasks/result', { taskId: 'none' }))).toBe(-32601);
    expect(codeOf(await ask('tasks/list'))).toBe(-32601);
  });

  it('shows a task to its owner only, and to others as if there were none [ext-tasks-64, ext-tasks-65]', async () => {
    const fixture = taskServer();
    const ann = open(true, { principal: 'ann' }, fixture);
    const bob = open(true, { principal: 'bob' }, fixture);
    const { taskId } = resultOf(await ann.call('held'));
    const unknown = await bob.ask('tasks/get', { taskId: 'none' });
    const foreign = await bob.ask('tasks/get', { taskId });
    expect(codeOf(foreign)).toBe(-32602);
    expect((foreign.error as Json).message).toBe((unknown.error as Json).message);
    expect(codeOf(await bob.ask('tasks/cancel', { taskId }))).toBe(-32602);
    expect(resultOf(await ann.ask('tasks/get', { taskId })).status).toBe('working');
  });
});
