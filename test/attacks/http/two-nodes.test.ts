/** Two nodes that share a store, each with its own connection to it: what one refuses, the other does not let through. */
import { createServer, type ServeHttpOptions, serveHttp, tool } from 'tenon';
import { createPolicy, guard } from 'tenon/guard';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { memoryAudit } from '../../guard/server/kit.ts';
import { deferred } from '../../kit/deferred.ts';
import { lone, loneCall, request, startSession } from '../../kit/http/messages.ts';
import { type Headers, type Json, send } from '../../kit/http/raw-http.ts';
import { enginesHere, type StartedEngine } from '../../kit/stores/engines.ts';
import { openAt, type StoreAddress } from '../../kit/stores/open-at.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const policy = createPolicy(`version: 1
rules:
  - { id: all, allow: [list, call, read, get, complete, subscribe, elicit, sample], to: any, on: any }
  - { id: closed, deny: call, to: any, on: { tool: closed } }
`);

const able = {
  'io.modelcontextprotocol/clientCapabilities': {
    elicitation: { form: {} },
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  },
};
const patient = { commandMs: 60_000, connectMs: 60_000 };
const by = (token: string): Headers => ({ authorization: `Bearer ${token}` });
const from = (address: string): Headers => ({ 'x-forwarded-for': address });
const key = (text: string): Json => ({ 'dev.tenon/idempotency-key': text });

interface Shared {
  paid: number;
  readonly entered: ReturnType<typeof deferred<void>>;
  readonly gate: ReturnType<typeof deferred<void>>;
  aborted: number;
}

/** One of the nodes, in the same process, with a connection to the store of its own. */
async function startNode(address: StoreAddress, shared: Shared) {
  const store = await openAt(address, patient);
  onTestFinished(() => store.close());
  const audit = memoryAudit();
  const limits = {
    perTool: { rare: '2/h' },
    perPrincipal: { concurrent: 2 },
    perAddress: '30/h',
  } as const;
  const schema = z.object({ ok: z.boolean() });
  const server = createServer(
    {
      name: 'bank',
      version: '1',
      tools: {
        pay: tool({ inputSchema: z.object({ to: z.string() }) }, () => `payment ${++shared.paid}`),
        rare: tool({}, () => 'rare'),
        closed: tool({}, () => 'closed'),
        ask: tool({}, async (_given, ctx) => {
          await ctx.elicit('ok', { message: 'Pay?', schema });
          return `payment ${++shared.paid}`;
        }),
        hold: tool({}, async (_given, { signal }) => {
          shared.entered.resolve();
          await Promise.race([
            shared.gate.promise,
            new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())),
          ]);
          if (signal.aborted) shared.aborted++;
          return 'held';
        }),
        work: tool({ task: { support: 'required', answerWithinMs: 0 } }, async (_given, ctx) => {
          await ctx.elicit('ok', { message: 'Pay?', schema });
          return `payment ${++shared.paid}`;
        }),
      },
    },
    {
      secrets: ['at least sixteen characters'],
      guard: guard({ policy, audit, limits }),
      tasks: { maxPerPrincipal: 3 },
    },
  );
  const authenticate: ServeHttpOptions['authenticate'] = ({ header }) =>
    header('authorization')?.slice(7) ?? { anonymous: true };
  const service = await serveHttp(server, {
    port: 0,
    store,
    authenticate,
    trustedProxies: ['127.0.0.1'],
    timeouts: { shutdownMs: 100 },
  });
  onTestFinished(() => service.close());
  async function ask(headers: Headers, message: ReturnType<typeof lone>, name?: string): Promise<Json> {
    const all = { ...message.headers, ...headers, ...(name !== undefined && { 'mcp-name': name }) };
    return (await send(service.url, { ...message, headers: all })).json as Json;
  }
  return {
    audit,
    service,
    call: (headers: Headers, name: string, args: Json = {}, meta: Json = {}, more: Json = {}) => {
      const { headers: own, body } = loneCall(name, args, { ...able, ...meta });
      return ask(headers, { headers: own, body: { ...body, params: { ...body.params, ...more } } } as never);
    },
    task: (headers: Headers, method: string, params: Json) =>
      ask(headers, lone(method, params, able), String(params.taskId)),
  };
}

const textOf = ({ result }: Json): unknown =>
  ((result as Json | undefined)?.content as [{ text: string }] | undefined)?.[0].text;
const reasonOf = ({ error }: Json): unknown => (error as { message?: string } | undefined)?.message;

describe.each(enginesHere)('two nodes on %s [S20, S24, S36]', (_label, engine) => {
  let started: StartedEngine;
  beforeAll(async () => {
    started = await engine.start();
  });
  afterAll(() => started.close());

  async function start() {
    const address = started.next();
    const shared: Shared = { paid: 0, entered: deferred(), gate: deferred(), aborted: 0 };
    const one = await startNode(address, shared);
    return { one, other: await startNode(address, shared), shared };
  }

  it('count rates together: of a tool, and of an address', async () => {
    const { one, other } = await start();
    expect([textOf(await one.call(by('ann'), 'rare')), textOf(await other.call(by('ann'), 'rare'))]).toEqual([
      'rare',
      'rare',
    ]);
    for (const node of [one, other]) expect(reasonOf(await node.call(by('ann'), 'rare'))).toBeDefined();
    const outsider = from('203.0.113.9');
    const passed: unknown[] = [];
    for (let n = 0; n < 40; n++) passed.push(textOf(await (n % 2 ? one : other).call(outsider, 'pay', { to: 'x' })));
    expect(passed.filter((text) => text !== undefined).length).toBeLessThanOrEqual(30);
  });

  it('count running calls together', async () => {
    const { one, other, shared } = await start();
    const held = [one.call(by('ann'), 'hold'), other.call(by('ann'), 'hold')];
    await withTimeout(shared.entered.promise, 'the first call');
    let refused: Json = {};
    for (let n = 0; n < 3; n++) refused = await (n % 2 ? one : other).call(by('ann'), 'pay', { to: 'x' });
    shared.gate.resolve();
    await Promise.all(held);
    expect(reasonOf(refused)).toContain('Too many');
    expect(shared.paid).toBeLessThanOrEqual(1);
  });

  it('run a call with a key once, whichever of them gets it, at the same time or later, and refuse another use of it', async () => {
    const { one, other, shared } = await start();
    const pays = Array.from({ length: 8 }, (_, n) =>
      (n % 2 ? one : other).call(by('ann'), 'pay', { to: 'x' }, key('k')),
    );
    const texts = new Set((await Promise.all(pays)).map(textOf).filter(Boolean));
    expect([shared.paid, texts]).toEqual([1, new Set(['payment 1'])]);
    expect(textOf(await other.call(by('ann'), 'pay', { to: 'x' }, key('k')))).toBe('payment 1');
    expect(reasonOf(await other.call(by('ann'), 'pay', { to: 'eve' }, key('k')))).toBeDefined();
    await other.call(by('eve'), 'pay', { to: 'x' }, key('k'));
    expect(shared.paid).toBe(2);
  });

  it('use a request state once, and only for its caller', async () => {
    const { one, other, shared } = await start();
    const { result } = await one.call(by('ann'), 'ask');
    const [name] = Object.keys((result as Json).inputRequests as Json);
    const more = {
      requestState: (result as Json).requestState,
      inputResponses: { [String(name)]: { action: 'accept', content: { ok: true } } },
    };
    expect(reasonOf(await other.call(by('eve'), 'ask', {}, {}, more))).toBeDefined();
    const all = await Promise.all([one, other, one, other].map((node) => node.call(by('ann'), 'ask', {}, {}, more)));
    expect(
      all
        .map(textOf)
        .filter(Boolean)
        .every((text) => text === 'payment 1'),
    ).toBe(true);
    expect(shared.paid).toBe(1);
    expect(textOf(await other.call(by('ann'), 'ask', {}, {}, more)) ?? 'payment 1').toBe('payment 1');
    expect(shared.paid).toBe(1);
  });

  it('refuse by policy, and each of them records what it has refused', async () => {
    const { one, other } = await start();
    for (const node of [one, other]) {
      expect(reasonOf(await node.call(by('eve'), 'closed'))).toBeDefined();
      expect(JSON.stringify(node.audit)).toContain('closed');
    }
  });

  it('show and change a task only for its owner, and count tasks together', async () => {
    const { one, other, shared } = await start();
    const created = (await one.call(by('ann'), 'work')).result as Json;
    const taskId = String(created.taskId);
    const attempts = ['tasks/get', 'tasks/cancel', 'tasks/update'];
    for (const method of attempts) {
      const params = {
        taskId,
        ...(method === 'tasks/update' && { inputResponses: { ok: { action: 'accept', content: { ok: true } } } }),
      };
      expect(await other.task(by('eve'), method, params)).toHaveProperty('error');
      expect(await other.task(from('203.0.113.1'), method, params)).toHaveProperty('error');
    }
    expect(shared.paid).toBe(0);
    const nodes = Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? one : other));
    const more = await Promise.all(nodes.map((node) => node.call(by('ann'), 'work')));
    expect(more.filter(({ error }) => error === undefined)).toHaveLength(2);
    expect((await other.call(by('bob'), 'work')).result).toHaveProperty('taskId');
    expect((await other.task(by('ann'), 'tasks/get', { taskId })).result).toMatchObject({ taskId });
  });

  it('end a session, its calls and the rights of a principal on both', async () => {
    const { one, other, shared } = await start();
    const session = await startSession(one.service.url, '2025-11-25', { headers: by('ann') });
    const elsewhere = (token: string) =>
      send(other.service.url, {
        body: request('tools/call', { name: 'pay', arguments: { to: 'x' } }),
        headers: { ...session.headers, ...by(token) },
      });
    expect((await elsewhere('eve')).status).toBe(404);
    expect(shared.paid).toBe(0);
    const held = one.call(by('ann'), 'hold').catch(() => undefined);
    await withTimeout(shared.entered.promise, 'the call');
    other.service.revoke('ann');
    await withTimeout(held, 'the end of the call');
    expect(shared.aborted).toBe(1);
    const before = shared.paid;
    await expect.poll(async () => (await elsewhere('ann')).status).toBe(404);
    expect(shared.paid - before).toBeLessThanOrEqual(1);
  });
});
