/** Tasks on a guarded server: creation, attempts and requests about tasks are decided, limited and recorded. */
import { createServer, type Middleware, type Server, type ServerOptions, serveHttp, tool } from 'tenon';
import { type AuditEvent, createPolicy, type GuardOptions, guard, type Policy } from 'tenon/guard';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { deferred } from '../../kit/deferred.ts';
import { lone } from '../../kit/http/messages.ts';
import { send } from '../../kit/http/raw-http.ts';
import { handshake, type Json } from '../../kit/transport/raw-connection.ts';
import { codeOf, openClient, resultOf } from '../../server/tasks/task-server.ts';
import { type MemoryAudit, memoryAudit } from './kit.ts';

const allowed = `
version: 1
rules:
  - { id: open, allow: [list, call, elicit], to: any, on: any }
  - { id: small, deny: [call], to: any, on: { tool: pay }, when: "args.amount > 100" }
`;
const refused = allowed.replace('[list, call, elicit]', '[list]');
const hidden = allowed.replace('[list, call, elicit]', '[read]');

/** A policy that can be replaced while it is used. */
function changingPolicy(text: string): Policy & { change(to: string): void } {
  let current = createPolicy(text);
  return {
    get rules() {
      return current.rules;
    },
    tests: [],
    decide: (request) => current.decide(request),
    evaluate: (request) => current.evaluate(request),
    possibleEffects: (...given) => current.possibleEffects(...given),
    visible: (request) => current.visible(request),
    explain: (id) => current.explain(id),
    change: (to) => void (current = createPolicy(to)),
  };
}

function guardedTasks(options: Partial<GuardOptions> = {}, more: ServerOptions = {}) {
  const held = deferred();
  const audit = memoryAudit();
  const policy = changingPolicy(allowed);
  const server = createServer(
    {
      name: 'bank',
      version: '1',
      tools: {
        pay: tool(
          { inputSchema: z.object({ amount: z.number().default(1) }), task: { answerWithinMs: 0 } },
          () => 'paid',
        ),
        held: tool({ task: 'optional' }, async () => {
          await held.promise;
          return 'released';
        }),
        ask: tool({ task: 'optional' }, async (_given, ctx) => {
          const { action } = await ctx.elicit('sure', { message: 'Sure?', schema: z.object({}) });
          return action;
        }),
      },
    },
    { guard: guard({ policy, audit, ...options }), onError: () => undefined, ...more },
  );
  onTestFinished(() => held.resolve());
  return { server, audit, policy, release: () => held.resolve() };
}

async function openSession(server: Server, onElicit = (): void => undefined) {
  const client = openClient(server, { principal: 'ann' }, () => {
    onElicit();
    return { action: 'accept', content: {} };
  });
  const params = { ...(handshake('2025-11-25').params as Json), capabilities: { elicitation: {} } };
  await client.ask('initialize', params);
  client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const start = async (name: string, given: Json = {}): Promise<string> =>
    (resultOf(await client.ask('tools/call', { name, arguments: given, task: {} })).task as Json).taskId as string;
  return { ...client, start };
}

const recorded = ({ events }: MemoryAudit, ...kinds: AuditEvent['kind'][]): Json[] =>
  events.filter(({ kind }) => kinds.includes(kind)).map(({ kind, what }) => ({ kind, ...what }));

describe('the audit log', () => {
  it('has the creation of a task, and each of its runs with the id and the attempt [S24]', async () => {
    const { server, audit } = guardedTasks();
    const { start, ask } = await openSession(server);
    const taskId = await start('ask');
    await ask('tasks/result', { taskId });
    const calls = recorded(audit, 'call-start', 'call-end').filter(({ method }) => method === 'tools/call');
    expect(calls).toMatchObject([
      { kind: 'call-start', tool: 'ask' },
      { kind: 'call-end', outcome: 'task', taskId },
      { kind: 'call-start', tool: 'ask', taskId, attempt: 1, round: 0 },
      { kind: 'call-end', outcome: 'input-required', taskId, attempt: 1 },
      { kind: 'call-start', tool: 'ask', taskId, attempt: 1, round: 1 },
      { kind: 'call-end', outcome: 'result', taskId, attempt: 1 },
    ]);
  });

  it('has requests that fetch a result, answer or cancel, with the id of the task; polls are recorded when they are refused', async () => {
    const { server, audit, policy } = guardedTasks();
    const { start, ask } = await openSession(server);
    const taskId = await start('held');
    await ask('tasks/get', { taskId });
    await ask('tasks/list');
    await ask('tasks/cancel', { taskId });
    const ofTasks = recorded(audit, 'call-start', 'call-end').filter(({ method }) => method !== 'tools/call');
    expect(ofTasks).toMatchObject([
      { kind: 'call-start', method: 'tasks/cancel', tool: 'held', taskId },
      { kind: 'call-end', method: 'tasks/cancel', outcome: 'result', taskId },
    ]);
    policy.change(refused);
    await ask('tasks/get', { taskId });
    expect(recorded(audit, 'decision')).toMatchObject([{ method: 'tasks/get', tool: 'held', action: 'call', taskId }]);
  });

  it('that cannot be written delays a run, and does not fail its task', async () => {
    const { server, audit } = guardedTasks();
    const { start, ask } = await openSession(server);
    const failed = deferred();
    const { begin } = audit;
    audit.begin = (event) => {
      if (event.what?.attempt === undefined) return begin(event);
      audit.begin = begin;
      failed.resolve();
      return Promise.reject(new Error('disk full'));
    };
    const taskId = await start('pay');
    await failed.promise;
    expect(resultOf(await ask('tasks/result', { taskId })).content).toEqual([{ type: 'text', text: 'paid' }]);
  });
});

describe('requests about a task', () => {
  it('need the permission to call its tool, whatever the arguments; without it they get permission-denied', async () => {
    const { server, policy } = guardedTasks();
    const { start, ask } = await openSession(server);
    const taskId = await start('pay');
    expect(resultOf(await ask('tasks/result', { taskId })).content).toEqual([{ type: 'text', text: 'paid' }]);
    policy.change(refused);
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
      expect((await ask(method, { taskId })).error).toMatchObject({ data: { reason: 'denied' } });
    policy.change(allowed);
    expect(resultOf(await ask('tasks/get', { taskId })).status).toBe('completed');
  });

  it('of a tool that the caller does not see are answered as if there were no such task', async () => {
    const { server, policy } = guardedTasks();
    const { start, ask } = await openSession(server);
    const taskId = await start('pay');
    policy.change(hidden);
    const [hiddenOne, unknown] = [await ask('tasks/get', { taskId }), await ask('tasks/get', { taskId: 'none' })];
    expect(codeOf(hiddenOne)).toBe(-32602);
    expect((hiddenOne.error as Json).message).toBe((unknown.error as Json).message);
    expect(resultOf(await ask('tasks/list')).tasks).toEqual([]);
    policy.change(allowed);
    expect(resultOf(await ask('tasks/list')).tasks).toHaveLength(1);
  });

  it('follow no task by a subscription without it', async () => {
    const { server, policy } = guardedTasks();
    const extensions = { 'io.modelcontextprotocol/tasks': {} };
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { extensions },
    };
    const { ask, send: post, notified } = openClient(server, { principal: 'ann' });
    const { taskId } = resultOf(await ask('tools/call', { name: 'held', arguments: {}, _meta }));
    policy.change(refused);
    const params = { notifications: { taskIds: [taskId] }, _meta };
    post({ jsonrpc: '2.0', id: 'l', method: 'subscriptions/listen', params });
    expect((await notified()).params).toMatchObject({ notifications: { taskIds: [] } });
  });
});

describe('an attempt', () => {
  it('is decided like its call: a task that the policy no longer allows fails', async () => {
    const { server, policy, audit } = guardedTasks();
    const { start, ask } = await openSession(server, () => policy.change(refused));
    const taskId = await start('ask');
    expect((await ask('tasks/result', { taskId })).error).toMatchObject({ data: { reason: 'denied' } });
    expect(recorded(audit, 'decision')).toMatchObject([{ method: 'tools/call', tool: 'ask', taskId, attempt: 1 }]);
  });

  it('costs no tokens and takes no slots: its creation has paid', async () => {
    const limits = { perPrincipal: { rate: '3/h', concurrent: 1 } };
    const { server } = guardedTasks({ limits } as Partial<GuardOptions>);
    const { start, ask } = await openSession(server);
    const taskId = await start('pay');
    expect(resultOf(await ask('tasks/result', { taskId })).content).toEqual([{ type: 'text', text: 'paid' }]);
    expect(resultOf(await ask('tasks/get', { taskId })).status).toBe('completed');
    expect((await ask('tasks/get', { taskId })).error).toMatchObject({ data: { limit: 'perPrincipal' } });
  });

  it('has the address of the caller, for rules about networks', async () => {
    const rules = `
version: 1
rules:
  - { id: local, allow: [list, call], to: { network: ["127.0.0.0/8", "::1/128"] }, on: any }
`;
    const { server } = guardedTasks({ policy: createPolicy(rules) });
    const { url, close } = await serveHttp(server, { port: 0 });
    onTestFinished(() => close());
    const declared = {
      'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
    };
    const created = await send(url, lone('tools/call', { name: 'pay', arguments: {} }, declared));
    const { taskId } = created.json.result as Json;
    const get = lone('tasks/get', { taskId }, declared);
    const headers = { ...get.headers, 'mcp-name': String(taskId) };
    for (;;) {
      const { result } = (await send(url, { ...get, headers })).json;
      const { status } = result as Json;
      if (status === 'working') continue;
      expect(status).toBe('completed');
      break;
    }
  });

  it('is known to middleware by the id of its task and its number', async () => {
    const seen: unknown[] = [];
    const noting: Middleware = (call, next) => {
      if (call.method === 'tools/call') seen.push(call.ctx.task);
      return next();
    };
    const { server } = guardedTasks({}, { middleware: [noting] });
    const { start, ask } = await openSession(server);
    const id = await start('ask');
    await ask('tasks/result', { taskId: id });
    expect(seen).toMatchObject([undefined, { id, attempt: 1 }, { id, attempt: 1, inputMs: expect.any(Number) }]);
  });
});
