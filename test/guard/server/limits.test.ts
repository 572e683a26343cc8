/** The limits of a guarded server, from request to answer: every transport, both lifecycles, batches, rounds. */
import { connect, createServer, resource, type ServeHttpOptions, serveHttp, tool, toText } from 'tenon';
import { createPolicy, type GuardOptions, guard } from 'tenon/guard';
import { protocolVersions } from 'tenon/protocol';
import { type LimitAnswer, type LimitStore } from 'tenon/store';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { memoryLimits } from '../../../src/store/memory.ts';
import { call, loneCall, startSession } from '../../kit/http/messages.ts';
import { type Headers as Named, send } from '../../kit/http/raw-http.ts';
import { envelope, type Json, openRaw, request } from '../../kit/transport/raw-connection.ts';
import { versionsFrom } from '../../kit/version-order.ts';
import { withTimeout } from '../../kit/with-timeout.ts';
import { memoryAudit } from './kit.ts';

const policy = `
version: 1
rules: [{ id: all, allow: [list, call, read, get, complete, subscribe, elicit, sample], to: any, on: any }]
`;

function limited(limits: NonNullable<GuardOptions['limits']>, errors: unknown[] = []) {
  const audit = memoryAudit();
  const releases: Array<() => void> = [];
  const server = createServer(
    {
      name: 'limited',
      version: '1.0.0',
      tools: {
        echo: tool({}, () => 'echo'),
        scan: tool({ inputSchema: z.object({ rows: z.coerce.number() }) }, ({ rows }) => `${rows}`),
        ask: tool({}, async (_given, ctx) => {
          const one = await ctx.elicit('one', { message: 'One?', schema: z.object({}) });
          const two = await ctx.elicit('two', { message: 'Two?', schema: z.object({}) });
          return `${one.action} ${two.action}`;
        }),
        hold: tool({}, () => new Promise<string>((resolve) => releases.push(() => resolve('held')))),
      },
    },
    { guard: guard({ policy: createPolicy(policy), audit, limits }), onError: (error) => errors.push(error) },
  );
  return { server, audit, releases };
}

const authenticate = ({ header }: { header(name: string): string | undefined }) =>
  header('x-user') ?? ({ anonymous: true } as const);

async function overHttp(limits: NonNullable<GuardOptions['limits']>, options: ServeHttpOptions = {}) {
  const made = limited(limits);
  const http = await serveHttp(made.server, { port: 0, authenticate, ...options });
  onTestFinished(() => http.close());
  const lone = (name: string, headers: Named = {}) => {
    const { headers: own, body } = loneCall(name);
    return send(http.url, { body, headers: { ...own, ...headers } });
  };
  return { ...made, url: http.url, lone };
}

const refusal = (limit: string) => ({
  code: -31429,
  data: { limit, outcome: 'not-started', retryAfterMs: expect.any(Number) },
});

describe('a call over a limit', () => {
  it('gets 429 with Retry-After and the typed error, in both lifecycles [S24]', async () => {
    // Its clock stands still, so that Retry-After is a whole half hour.
    const store = memoryLimits({ now: () => 0 });
    const { url, lone, audit } = await overHttp({ perPrincipal: '2/h', store });
    const expected = { status: 429, headers: { 'retry-after': '1800' }, json: { error: refusal('perPrincipal') } };
    const ada = { 'x-user': 'ada' };
    expect([(await lone('echo', ada)).status, (await lone('echo', ada)).status]).toEqual([200, 200]);
    expect(await lone('echo', ada)).toMatchObject(expected);
    expect((await lone('echo', { 'x-user': 'eve' })).status).toBe(200);
    const session = await startSession(url, '2025-11-25');
    for (const id of [1, 2]) expect((await session.post(call('echo', {}, id))).status).toBe(200);
    expect(await session.post(call('echo', {}, 3))).toMatchObject(expected);
    expect(audit.events.filter(({ kind }) => kind === 'limit')).toMatchObject([
      { what: { reason: 'rate-limited', limit: 'perPrincipal' } },
    ]);
  });

  it('in a batch is refused for itself, and the others run [S24]', async () => {
    const { url } = await overHttp({ perPrincipal: '2/h' });
    const session = await startSession(url, '2025-03-26');
    const { status, text } = await session.post(['a', 'b', 'c'].map((id) => call('echo', {}, id)));
    expect(status).toBe(200);
    const answers = JSON.parse(text) as Array<{ id: string }>;
    expect(answers.sort((one, other) => one.id.localeCompare(other.id))).toMatchObject([
      { id: 'a', result: {} },
      { id: 'b', result: {} },
      { id: 'c', error: refusal('perPrincipal') },
    ]);
  });

  it('counts by the address that a trusted proxy forwards, and by no other [S24]', async () => {
    const trusted = await overHttp({ perAddress: '1/h' }, { trustedProxies: ['127.0.0.1'] });
    const from = (address: string): Named => ({ 'x-forwarded-for': address, 'x-user': address });
    const statuses = async (addresses: readonly string[], lone: typeof trusted.lone) => {
      const found = [];
      for (const address of addresses) found.push((await lone('echo', from(address))).status);
      return found;
    };
    const sent = ['203.0.113.1', '203.0.113.2', '203.0.113.1', '2001:db8::1', '2001:db8::2', '2001:db8:0:1::1'];
    expect(await statuses(sent, trusted.lone)).toEqual([200, 200, 429, 200, 429, 200]);
    const untrusted = await overHttp({ perAddress: '1/h' });
    expect(await statuses(sent, untrusted.lone)).toEqual([200, 429, 429, 429, 429, 429]);
  });

  it('is sent again by our client when its time has come [S24]', async () => {
    for (const protocolVersion of protocolVersions) {
      const clock = createFakeClock();
      const store = memoryLimits({ now: clock.now });
      const { server } = limited({ perPrincipal: { rate: '60/min', burst: 1 }, store });
      const client = await connect(server, {
        protocolVersions: [protocolVersion],
        reconnect: false,
        ...withClock(clock),
      });
      onTestFinished(() => client.close());
      expect(toText(await client.tools.call('echo'))).toBe('echo');
      const second = client.tools.call('echo');
      second.catch(() => {});
      let isDone = false;
      second.finally(() => (isDone = true)).catch(() => {});
      await vi.waitFor(() => {
        if (!isDone) clock.advance(50);
        expect(isDone).toBe(true);
      });
      expect(toText(await withTimeout(second, 'the answer'))).toBe('echo');
      expect(clock.now()).toBeGreaterThanOrEqual(1000);
    }
  });
});

it.each(versionsFrom('2025-06-18'))(
  'a call with two rounds of input pays once at %s [S24]',
  async (protocolVersion) => {
    const { server } = limited({ perPrincipal: '2/h' });
    const elicitForm = async () => ({ action: 'accept', content: {} }) as const;
    const client = await connect(server, { protocolVersions: [protocolVersion], handlers: { elicitForm } });
    onTestFinished(() => client.close());
    expect(toText(await client.tools.call('ask'))).toBe('accept accept');
    expect(toText(await client.tools.call('echo'))).toBe('echo');
    await expect(client.tools.call('echo')).rejects.toMatchObject({ reason: 'rate-limited' });
  },
);

it('costs are computed from validated arguments, after coercion [S24]', async () => {
  const costs = { scan: ({ rows }: Readonly<Record<string, unknown>>) => (typeof rows === 'number' ? rows : 0) };
  const { server } = limited({ perPrincipal: '10/h', costs });
  const client = await connect(server, { reconnect: false });
  onTestFinished(() => client.close());
  await expect(client.tools.call('scan', { rows: 11 })).rejects.toMatchObject({ data: { cost: 11 } });
  await client.tools.call('scan', { rows: '8' as never });
  await expect(client.tools.call('scan', { rows: '9' as never })).rejects.toMatchObject({ reason: 'rate-limited' });
});

describe('a store of limits that fails', () => {
  it('refuses every call with 503, and onError gets store-failed [S24]', async () => {
    const errors: unknown[] = [];
    const broken = { take: () => Promise.reject(new Error('no route to 10.0.0.9')), renew() {}, release() {} };
    const { server } = limited({ perPrincipal: '2/h', store: broken }, errors);
    const http = await serveHttp(server, { port: 0 });
    onTestFinished(() => http.close());
    const answer = await send(http.url, loneCall('echo'));
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' }, json: { error: { code: -31503 } } });
    expect(answer.text).not.toContain('10.0.0.9');
    expect(errors).toMatchObject([{ code: 'store-failed', cause: { message: 'no route to 10.0.0.9' } }]);
  });

  it('that answers after the call was cancelled leaves no slot taken [S24]', async () => {
    const store = memoryLimits();
    const waiting: Array<() => void> = [];
    let isSlow = true;
    const slow: LimitStore = {
      renew: (...given) => store.renew(...given),
      release: (lease) => store.release(lease),
      take: (...given: Parameters<typeof store.take>): LimitAnswer | Promise<LimitAnswer> =>
        isSlow ? new Promise((resolve) => waiting.push(() => resolve(store.take(...given)))) : store.take(...given),
    };
    const { server } = limited({ concurrent: 1, store: slow });
    const client = await connect(server, { reconnect: false });
    onTestFinished(() => client.close());
    const controller = new AbortController();
    const cut = client.tools.call('echo', {}, { signal: controller.signal });
    cut.catch(() => {});
    await vi.waitFor(() => expect(waiting).toHaveLength(1));
    controller.abort();
    await expect(cut).rejects.toMatchObject({ code: 'cancelled' });
    isSlow = false;
    waiting[0]?.();
    expect(toText(await client.tools.call('echo'))).toBe('echo');
  });
});

it('the slot of a call is free when its handler returns, and not before [S24]', async () => {
  const { lone, releases } = await overHttp({ perTool: { hold: { concurrent: 1, shared: true } } });
  const held = lone('hold');
  await vi.waitFor(() => expect(releases).toHaveLength(1));
  expect(await lone('hold')).toMatchObject({ status: 429, json: { error: refusal('perTool.hold') } });
  releases[0]?.();
  expect((await held).status).toBe(200);
  const again = lone('hold');
  await vi.waitFor(() => expect(releases).toHaveLength(2));
  releases[1]?.();
  expect((await again).status).toBe(200);
});

it.each(protocolVersions)(
  'an open subscription takes no slot of a running call, at %s [S24]',
  async (protocolVersion) => {
    const policyOf = createPolicy(policy);
    const server = createServer(
      {
        name: 'x',
        version: '1',
        tools: { echo: tool({}, () => 'echo') },
        resources: { 'a://b': resource({}, () => '') },
      },
      { guard: guard({ policy: policyOf, limits: { concurrent: 1 } }) },
    );
    const client = await connect(server, { protocolVersions: [protocolVersion], reconnect: false });
    onTestFinished(() => client.close());
    await client.resources.watch('a://b', () => {});
    expect(toText(await client.tools.call('echo'))).toBe('echo');
  },
);

describe('a request state', () => {
  const capabilities = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };

  function raw(limits: NonNullable<GuardOptions['limits']>) {
    const made = limited(limits);
    const { send: write, next } = openRaw(made.server);
    let id = 0;
    const ask = async (name: string, more: Json = {}): Promise<Json> => {
      write(request(++id, 'tools/call', envelope({ name, ...more }, capabilities)));
      return next();
    };
    return { ...made, ask, write, next };
  }

  it('that is not valid counts like any request, and so does one that is used up [S24]', async () => {
    const { ask } = raw({ perPrincipal: '2/h' });
    const wrong = () => ask('echo', { requestState: 'x' });
    expect([await wrong(), await wrong(), await wrong()]).toMatchObject([
      { error: { data: { requestState: 'refused' } } },
      { error: { data: { requestState: 'refused' } } },
      { error: refusal('perPrincipal') },
    ]);
  });

  it('is not used up by a round over a limit [S24]', async () => {
    const { ask, write, next, releases } = raw({ concurrent: 1 });
    const { requestState } = (await ask('ask')).result as Json;
    const inputResponses = { one: { action: 'accept', content: {} } };
    write(request('held', 'tools/call', envelope({ name: 'hold' })));
    await vi.waitFor(() => expect(releases).toHaveLength(1));
    expect(await ask('ask', { requestState, inputResponses })).toMatchObject({ error: refusal('perPrincipal') });
    releases[0]?.();
    expect(await next()).toMatchObject({ id: 'held', result: {} });
    expect(await ask('ask', { requestState, inputResponses })).toMatchObject({
      result: { resultType: 'input_required' },
    });
  });
});
