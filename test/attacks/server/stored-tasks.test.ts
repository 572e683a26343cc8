/** Floods of tasks: what one caller stores is bounded, and no caller loses what is its own to another. */
import { createServer, type ServeHttpOptions, serveHttp, tool } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { shardOf } from '../../../src/store/parts/runs.ts';
import { withFixed } from '../../kit/fixed-limits.ts';
import { lone, loneCall } from '../../kit/http/messages.ts';
import { type Json, send } from '../../kit/http/raw-http.ts';

const follows = {
  'io.modelcontextprotocol/clientCapabilities': {
    elicitation: { form: {} },
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  },
};
const idempotencyKey = 'dev.tenon/idempotency-key';

/** A caller: a principal by its token, or one without a token by its address. */
type Caller = { readonly token: string } | { readonly address: string };
const ann = { token: 'ann' };
const outsider = { address: '203.0.113.1' };
const visitor = { address: '198.51.100.7' };

/** A principal whose tasks are stored in the partition of those without one. */
const besideAnonymous = Array.from({ length: 100_000 }, (_, n) => `user-${n}`).find(
  (name) => shardOf(name) === shardOf(''),
) as string;

interface Reply {
  readonly result?: Json;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Json };
}

/** A server with tasks, for callers with and without tokens. */
async function start(limits: Readonly<Record<string, number>>, more: ServeHttpOptions = {}) {
  const runs: string[] = [];
  const task = { support: 'required', answerWithinMs: 0, ttlMs: 3_600_000 } as const;
  const server = createServer(
    {
      name: 'shop',
      version: '1',
      tools: {
        report: tool(
          { inputSchema: z.object({ of: z.string(), chars: z.number().default(1) }), task },
          ({ of, chars }) => {
            runs.push(of);
            return 'x'.repeat(chars);
          },
        ),
        form: tool({ task }, async (_given, ctx) => {
          await ctx.elicit('name', { message: 'Name?', schema: z.object({ name: z.string() }) });
          return 'done';
        }),
      },
    },
    { secrets: ['at least sixteen characters'], tasks: withFixed({ maxPerPrincipal: 3 }, limits) },
  );
  const authenticate: ServeHttpOptions['authenticate'] = ({ header }) =>
    header('authorization')?.slice(7) ?? { anonymous: true };
  const service = await serveHttp(server, { port: 0, authenticate, trustedProxies: ['127.0.0.1'], ...more });
  onTestFinished(() => service.close());
  const { url } = service;
  const ask = async (caller: Caller, message: ReturnType<typeof lone>): Promise<Reply> => {
    const from =
      'token' in caller ? { authorization: `Bearer ${caller.token}` } : { 'x-forwarded-for': caller.address };
    const { json } = await send(url, { ...message, headers: { ...message.headers, ...from } });
    return json as Reply;
  };
  const get = (caller: Caller, taskId: string): Promise<Reply> => {
    const message = lone('tasks/get', { taskId }, follows);
    return ask(caller, { ...message, headers: { ...message.headers, 'mcp-name': taskId } });
  };
  const call = (caller: Caller, name: string, args: Json = {}, meta: Json = {}): Promise<Reply> =>
    ask(caller, loneCall(name, args, { ...follows, ...meta }));
  /** The task of a call once it has the status. */
  async function until(status: string, caller: Caller, reply: Promise<Reply>): Promise<string> {
    const { result, error } = await reply;
    if (error !== undefined) throw new Error(error.message);
    const taskId = String(result?.taskId);
    for (;;) {
      const { result: task } = await get(caller, taskId);
      if (task?.status === status) return taskId;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  const report = (caller: Caller, of: string, chars = 1): Promise<string> =>
    until('completed', caller, call(caller, 'report', { of, chars }));
  const form = (caller: Caller): Promise<string> => until('input_required', caller, call(caller, 'form'));
  return { call, get, report, form, runs };
}

describe('a flood of tasks that finish', () => {
  it('costs its sender its own oldest results, and no other caller theirs [S24, S36]', async () => {
    const { report, get } = await start({ maxResultsPerCaller: 3 });
    const [own, others] = [await report(ann, 'own'), await report(visitor, 'other')];
    const flood: string[] = [];
    for (let n = 0; n < 5; n++) flood.push(await report(outsider, `flood ${n}`));
    const replies = await Promise.all(flood.map((id) => get(outsider, id)));
    expect(replies.map(({ result }) => result?.status)).toEqual([undefined, undefined, ...Array(3).fill('completed')]);
    expect(replies[0]?.error?.message).toContain('its result is no longer stored');
    expect((await get(ann, own)).result).toMatchObject({ status: 'completed', result: { content: [{ text: 'x' }] } });
    expect((await get(visitor, others)).result).toMatchObject({ status: 'completed' });
  });

  it('of large results is bounded in characters [S24, S36]', async () => {
    const { report, get } = await start({ maxResultCharsPerCaller: 10_000 });
    const own = await report(ann, 'own', 5000);
    const flood: string[] = [];
    for (let n = 0; n < 4; n++) flood.push(await report(outsider, `flood ${n}`, 4000));
    const replies = await Promise.all(flood.map((id) => get(outsider, id)));
    expect(replies.map(({ result }) => result?.status)).toEqual([undefined, undefined, 'completed', 'completed']);
    expect((await get(ann, own)).result).toMatchObject({ status: 'completed' });
  });

  it('stores no key of a million characters [S24, S36]', async () => {
    const { call, runs } = await start({});
    const replies = ['k'.repeat(1_000_000), 'k'.repeat(201), '', 7].map((key) =>
      call(outsider, 'report', { of: 'keyed' }, { [idempotencyKey]: key }),
    );
    for (const { error } of await Promise.all(replies))
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('1 to 200 characters') });
    expect(runs).toEqual([]);
  });

  it('runs no call with a key again, though its result was deleted [S24, S36]', async () => {
    const { report, call, runs } = await start({ maxResultsPerCaller: 1 });
    const keyed = (): Promise<Reply> => call(ann, 'report', { of: 'keyed' }, { [idempotencyKey]: 'k' });
    const first = await keyed();
    for (let n = 0; n < 3; n++) await report(ann, `later ${n}`);
    const again = await keyed();
    expect(again.result).toMatchObject({ taskId: first.result?.taskId, status: 'completed' });
    expect(runs.filter((of) => of === 'keyed')).toHaveLength(1);
  });

  it('is refused by name beyond a number, and callers with a share of their own are not [S24, S36]', async () => {
    const { report, call } = await start({ maxStoredPerCaller: 3 });
    for (let n = 0; n < 3; n++) await report(outsider, `flood ${n}`);
    expect((await call(outsider, 'report', { of: 'more' })).error).toMatchObject({
      data: { reason: 'too-many-tasks', outcome: 'not-started' },
    });
    await Promise.all([report(ann, 'own'), report(visitor, 'other')]);
  });

  it('of large results from many addresses is refused, and costs no other caller its result [S24, S36]', async () => {
    const { report, get, call } = await start({ maxResultChars: 12_000 });
    const [own, others] = [await report(ann, 'own', 4000), await report(visitor, 'other', 4000)];
    const flood = [];
    for (let n = 0; n < 6; n++)
      flood.push((await call({ address: `203.0.113.${n}` }, 'report', { of: `flood ${n}`, chars: 4000 })).error);
    expect(flood.at(-1)).toMatchObject({ data: { reason: 'too-many-tasks', outcome: 'not-started' } });
    expect((await get(visitor, others)).result).toMatchObject({ status: 'completed' });
    expect((await get(ann, own)).result).toMatchObject({ status: 'completed' });
    await report(ann, 'more');
  });

  it('from many addresses fills the share of callers without tokens, and not that of principals [S24, S36]', async () => {
    const { report, call } = await start({ maxStored: 3 });
    for (let n = 0; n < 3; n++) await report({ address: `203.0.113.${n}` }, `flood ${n}`);
    expect((await call(visitor, 'report', { of: 'more' })).error).toMatchObject({ data: { reason: 'too-many-tasks' } });
    await report(ann, 'own');
    await report({ token: besideAnonymous }, 'own');
  });
});

describe('a flood of tasks that wait', () => {
  it('with large arguments is bounded in characters for its sender [S24, S36]', async () => {
    const { call, form, report } = await start({ maxResultCharsPerCaller: 20_000 });
    const large = (): Promise<Reply> => call(outsider, 'form', { filler: 'x'.repeat(15_000) });
    expect([(await large()).error, (await large()).error]).toEqual([undefined, undefined]);
    expect((await large()).error?.message).toContain('Too many of your tasks');
    await form(visitor);
    await report(ann, 'own');
  });

  it.each([
    ['one address', () => outsider],
    ['one IPv6 network', (n: number) => ({ address: `2001:db8::${n}` })],
  ])('from %s is bounded for it alone [S24, S36]', async (_name, callerOf) => {
    const { form, call, report } = await start({});
    for (let n = 0; n < 3; n++) await form(callerOf(n));
    expect((await call(callerOf(9), 'form')).error?.message).toContain('Too many of your tasks');
    await form(visitor);
    await report(ann, 'own');
  });

  it('is one share for all addresses that are not known [S24, S36]', async () => {
    const { form, call } = await start({});
    for (let n = 0; n < 3; n++) await form({ address: n % 2 === 0 ? 'unknown' : '_hidden' });
    await form(visitor);
    expect((await call({ address: 'unknown' }, 'form')).error?.message).toContain('Too many of your tasks');
  });
});
