/** Tasks of another principal: whatever is asked about them, the answer is that for a task that never was. */
import { type Client, connect, createServer, type ServeHttpOptions, serveHttp, tool } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { lone, loneCall } from '../../kit/http/messages.ts';
import { type Json, open, send } from '../../kit/http/raw-http.ts';

const follows = {
  'io.modelcontextprotocol/clientCapabilities': {
    elicitation: { form: {} },
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  },
};

type Caller = string | undefined;
/** The same subject of another issuer, another subject, one whose name ends like the key of the owner, and no principal. */
const others: readonly Caller[] = ['https://two.test ann', 'https://one.test bob', 'https://one.test x ann', undefined];
const ann: Caller = 'https://one.test ann';

async function start() {
  const runs: string[] = [];
  const task = { support: 'required', answerWithinMs: 0, ttlMs: 60_000 } as const;
  const server = createServer(
    {
      name: 'shop',
      version: '1',
      tools: {
        pay: tool({ task }, (_given, { caller }) => {
          runs.push(caller.principal?.key ?? 'no principal');
          return 'the secret of ann';
        }),
        form: tool({ task }, async (_given, ctx) => {
          const answer = await ctx.elicit('name', { message: 'Name?', schema: z.object({ name: z.string() }) });
          return JSON.stringify(answer);
        }),
      },
    },
    { secrets: ['at least sixteen characters'] },
  );
  const authenticate: ServeHttpOptions['authenticate'] = ({ header }) => {
    const [, issuer, subject] = /^Bearer (\S+) (.+)$/.exec(header('authorization') ?? '') ?? [];
    return issuer === undefined || subject === undefined ? { anonymous: true } : { issuer, subject };
  };
  const service = await serveHttp(server, { port: 0, authenticate, timeouts: { shutdownMs: 100 } });
  onTestFinished(() => service.close());
  return { url: service.url, runs };
}

const credentials = (caller: Caller): Record<string, string> =>
  caller === undefined ? {} : { authorization: `Bearer ${caller}` };

describe('at 2026-07-28', () => {
  async function startAlone() {
    const { url, runs } = await start();
    async function ask(caller: Caller, { headers, body }: ReturnType<typeof lone>): Promise<Json> {
      const { taskId } = body.params as Json;
      const named = { ...headers, ...(taskId !== undefined && { 'mcp-name': String(taskId) }) };
      return (await send(url, { headers: { ...named, ...credentials(caller) }, body })).json as Json;
    }
    const about = (caller: Caller, method: string, params: Json): Promise<Json> =>
      ask(caller, lone(method, params, follows));
    async function until(status: string, taskId: string): Promise<Json> {
      for (;;) {
        const { result } = (await about(ann, 'tasks/get', { taskId })) as { result: Json };
        if (result.status === status) return result;
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    const begin = async (caller: Caller, name: string, meta: Json = {}): Promise<string> =>
      String(((await ask(caller, loneCall(name, {}, { ...follows, ...meta }))).result as Json).taskId);
    return { url, runs, about, until, begin };
  }

  it('are not read, answered, cancelled or watched [S24, S36, ext-tasks-64]', async () => {
    const { url, about, until, begin } = await startAlone();
    const [paid, form] = [await begin(ann, 'pay'), await begin(ann, 'form')];
    await until('completed', paid);
    const [key] = Object.keys((await until('input_required', form)).inputRequests as Json);
    const inputResponses = { [String(key)]: { action: 'accept', content: { name: 'Eve' } } };
    for (const other of others) {
      for (const [method, more] of [
        ['tasks/get', {}],
        ['tasks/cancel', {}],
        ['tasks/update', { inputResponses }],
      ] as const)
        for (const taskId of [paid, form]) {
          // Of a task that never was, it says the same.
          const never = await about(other, method, { taskId: taskId.replace(/.$/, '~'), ...more });
          const found = await about(other, method, { taskId, ...more });
          expect(found.error).toMatchObject({ code: -32602, message: (never.error as Json).message, data: { taskId } });
          expect(found.result).toBeUndefined();
        }
      const { headers, body } = lone('subscriptions/listen', { notifications: { taskIds: [paid, form] } }, follows);
      const stream = await open(url, { headers: { ...headers, ...credentials(other) }, body });
      await stream.until(() => stream.messages().length > 0, 'the acknowledgement');
      for (const taskId of [paid, form]) expect(stream.text()).not.toContain(taskId);
      stream.cut();
    }
    expect((await about(ann, 'tasks/get', { taskId: form })).result).toMatchObject({ status: 'input_required' });
    expect(JSON.stringify(await about(ann, 'tasks/get', { taskId: paid }))).toContain('the secret of ann');
  });

  it('are not found by their key: each caller has its own [S24, S36]', async () => {
    const { runs, until, begin, about } = await startAlone();
    const key = { 'dev.tenon/idempotency-key': 'the same' };
    const own = await begin(ann, 'pay', key);
    await until('completed', own);
    for (const other of others) {
      const theirs = await begin(other, 'pay', key);
      expect(theirs).not.toBe(own);
      expect((await about(ann, 'tasks/get', { taskId: theirs })).error).toMatchObject({ code: -32602 });
    }
    expect(await begin(ann, 'pay', key)).toBe(own);
    expect(runs).toHaveLength(1 + others.length);
  });
});

it('in sessions of 2025-11-25, are not read, listed or cancelled [S24, S36, s-tasks-74]', async () => {
  const { url } = await start();
  const connected = async (caller: Caller): Promise<Client> => {
    const client = await connect(
      { url, headers: credentials(caller) },
      { protocolVersions: ['2025-11-25'], handlers: { elicitForm: () => new Promise<never>(() => {}) } },
    );
    onTestFinished(() => client.close());
    return client;
  };
  const owner = await connected(ann);
  const created = new Promise<string>((resolve) => {
    void owner.tools.call('form', {}, { task: {}, onTask: ({ taskId }) => resolve(taskId) }).catch(() => {});
  });
  const taskId = await created;
  for (const other of others) {
    const client = await connected(other);
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'] as const) {
      const never = await client.request(method, { taskId: taskId.replace(/.$/, '~') }).catch((error: Error) => error);
      const found = await client.request(method, { taskId }).catch((error: Error) => error);
      expect(found).toMatchObject({ code: -32602, message: (never as Error).message });
    }
    const listed = await client.request('tasks/list', {}).catch(() => ({ tasks: [] }));
    expect(listed).toMatchObject({ tasks: [] });
  }
  expect(await owner.tasks.get(taskId)).toMatchObject({ taskId });
});
