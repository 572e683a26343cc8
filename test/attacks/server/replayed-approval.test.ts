/** An approval of a user that is sent again: the call it belongs to runs once. */
import { connect, createServer, inputRequired, rpcError, type ServerOptions, serveHttp, tool } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { deferred } from '../../kit/deferred.ts';
import { withFixed } from '../../kit/fixed-limits.ts';
import { envelope, type Json, openRaw, request } from '../../kit/transport/raw-connection.ts';

const able = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
const schema = z.object({ ok: z.boolean() });
const yes = { pay: { action: 'accept', content: { ok: true } } };
const no = { pay: { action: 'accept', content: { ok: false } } };

/** A server whose tools need an approval; `paid` counts how often a handler passed it. */
function bank(options: ServerOptions = {}) {
  const paid: string[] = [];
  const { promise: entered, resolve: enter } = deferred();
  const { promise: gate, resolve: open } = deferred();
  const server = createServer(
    {
      name: 'bank',
      version: '1',
      tools: {
        pay: tool({}, async (_given, ctx) => {
          const answer = await ctx.elicit('pay', { message: 'Pay?', schema });
          paid.push(`pay ${answer.action === 'accept' && answer.content.ok}`);
          return `payment ${paid.length}`;
        }),
        refuse: tool({}, async (_given, ctx) => {
          await ctx.elicit('pay', { message: 'Pay?', schema });
          paid.push('refuse');
          throw rpcError('permission-denied', 'No money');
        }),
        slow: tool({}, async (_given, ctx) => {
          await ctx.elicit('pay', { message: 'Pay?', schema });
          paid.push('slow');
          enter();
          await gate;
          ctx.signal.throwIfAborted();
          return `payment ${paid.length}`;
        }),
        twice: tool({}, async (_given, ctx) => {
          await ctx.elicit('pay', { message: 'Pay?', schema });
          await ctx.elicit('sure', { message: 'Sure?', schema });
          paid.push('twice');
          return 'done';
        }),
        returned: tool({}, (_given, { round }) => {
          if (round === 0) return inputRequired({ pay: { message: 'Pay?', schema } });
          paid.push('returned');
          return `payment ${paid.length}`;
        }),
      },
    },
    options,
  );
  return { server, paid, entered, open };
}

/** A client that keeps states and answers, to send them again. */
function attacker(server: ReturnType<typeof bank>['server']) {
  const raw = openRaw(server);
  let ids = 0;
  const send = (params: Json): number => {
    raw.send(request(++ids, 'tools/call', envelope(params, able)));
    return ids;
  };
  const call = async (params: Json): Promise<Json> => {
    send(params);
    return raw.next();
  };
  const begin = async (name: string): Promise<Json> => {
    const { requestState } = (await call({ name })).result as Json;
    return { name, requestState };
  };
  const cancel = (requestId: number): void =>
    raw.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
  return { ...raw, call, begin, send, cancel };
}

const text = (answer: Json): unknown => ((answer.result as Json).content as Json[])[0]?.text;
const used = { code: -32602, data: { requestState: 'used' } };

describe('an approval that is sent six times', () => {
  it.each(['pay', 'returned'])('runs %s once; each repeat gets the stored result', async (name) => {
    const { server, paid } = bank();
    const { call, begin } = attacker(server);
    const approved = { ...(await begin(name)), inputResponses: yes };
    for (let n = 0; n < 6; n++) expect(text(await call(approved))).toBe('payment 1');
    expect(paid).toHaveLength(1);
  });

  it('runs once over HTTP, too, from different connections', async () => {
    const { server, paid } = bank();
    const service = await serveHttp(server, { port: 0 });
    onTestFinished(() => service.close());
    const post = async (params: Json): Promise<Json> => {
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'pay',
        connection: 'close',
      };
      const body = JSON.stringify(request(1, 'tools/call', envelope(params, able)));
      return (await (await fetch(service.url, { method: 'POST', headers, body })).json()) as Json;
    };
    const { requestState } = (await post({ name: 'pay' })).result as Json;
    const approved = { name: 'pay', requestState, inputResponses: yes };
    const answers = await Promise.all(Array.from({ length: 6 }, () => post(approved)));
    expect(answers.map(text)).toEqual(Array.from({ length: 6 }, () => 'payment 1'));
    expect(paid).toHaveLength(1);
  });

  it('runs once while the first still runs: the others wait for its result', async () => {
    const { server, paid, entered, open } = bank();
    const { begin, send, next } = attacker(server);
    const approved = { ...(await begin('slow')), inputResponses: yes };
    send(approved);
    await entered;
    for (let n = 0; n < 5; n++) send(approved);
    open();
    for (let n = 0; n < 6; n++) expect(text(await next())).toBe('payment 1');
    expect(paid).toHaveLength(1);
  });

  it('gets the error again where the handler threw one', async () => {
    const { server, paid } = bank();
    const { call, begin } = attacker(server);
    const approved = { ...(await begin('refuse')), inputResponses: yes };
    for (let n = 0; n < 6; n++) expect((await call(approved)).error).toMatchObject({ message: 'No money' });
    expect(paid).toHaveLength(1);
  });
});

describe('a state that is used up', () => {
  it('is refused with other answers, by name', async () => {
    const { server, paid } = bank();
    const { call, begin } = attacker(server);
    const state = await begin('pay');
    expect(text(await call({ ...state, inputResponses: no }))).toBe('payment 1');
    expect((await call({ ...state, inputResponses: yes })).error).toMatchObject(used);
    expect(paid).toEqual(['pay false']);
  });

  it('is refused with other answers while its call runs', async () => {
    const { server, paid, entered, open } = bank();
    const { call, begin, send, next } = attacker(server);
    const state = await begin('slow');
    send({ ...state, inputResponses: yes });
    await entered;
    expect((await call({ ...state, inputResponses: no })).error).toMatchObject(used);
    open();
    expect(text(await next())).toBe('payment 1');
    expect(paid).toHaveLength(1);
  });

  it('of an earlier round is refused once the call has finished, and not before', async () => {
    const { server, paid } = bank();
    const { call, begin } = attacker(server);
    const first = { ...(await begin('twice')), inputResponses: yes };
    const again = async (): Promise<Json> => (await call(first)).result as Json;
    const { requestState } = await again();
    expect(await again()).toMatchObject({ resultType: 'input_required' });
    const second = { name: 'twice', requestState, inputResponses: { sure: yes.pay } };
    expect(text(await call(second))).toBe('done');
    expect((await call(first)).error).toMatchObject(used);
    expect(text(await call(second))).toBe('done');
    expect(paid).toHaveLength(1);
  });

  it('of a call that was cancelled does not run it again', async () => {
    const { server, paid, entered, open } = bank();
    const { call, begin, send, cancel, settled } = attacker(server);
    const approved = { ...(await begin('slow')), inputResponses: yes };
    const requestId = send(approved);
    await entered;
    cancel(requestId);
    open();
    await settled();
    expect((await call(approved)).result).toMatchObject({ isError: true });
    expect(paid).toHaveLength(1);
  });

  it('keeps no more results than maxResultChars: then a repeat gets the error', async () => {
    const { server, paid } = bank({ requestState: withFixed({}, { maxResultChars: 10 }) });
    const { call, begin } = attacker(server);
    const approved = { ...(await begin('pay')), inputResponses: yes };
    expect(text(await call(approved))).toBe('payment 1');
    expect((await call(approved)).error).toMatchObject(used);
    expect(paid).toHaveLength(1);
  });

  it('is never forgotten for room: beyond maxUsed, other calls cannot continue until it expires', async () => {
    const { server, paid } = bank({ requestState: withFixed({}, { maxUsed: 1 }) });
    const { call, begin } = attacker(server);
    const [one, other] = [await begin('pay'), await begin('pay')];
    const approved = { ...one, inputResponses: yes };
    await call(approved);
    expect((await call({ ...other, inputResponses: yes })).error).toMatchObject({
      message: expect.stringMatching(/^Too many calls that required input/),
    });
    expect(text(await call(approved))).toBe('payment 1');
    expect(paid).toHaveLength(1);
  });
});

it('two calls with equal arguments and answers are two calls', async () => {
  const { server, paid } = bank();
  await using client = await connect(server, {
    protocolVersions: ['2026-07-28'],
    handlers: { elicitForm: () => ({ action: 'accept', content: { ok: true } }) },
  });
  await Promise.all([client.tools.call('pay'), client.tools.call('pay')]);
  expect(paid).toHaveLength(2);
});
