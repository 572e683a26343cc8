/** Floods of keys that may be used once: each caller has a share, and those without a principal never take that of others. */
import { createServer, type ServeHttpOptions, serveHttp, tool } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { withFixed } from '../../kit/fixed-limits.ts';
import { loneCall } from '../../kit/http/messages.ts';
import { type Json, send } from '../../kit/http/raw-http.ts';

const elicits = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };

type From = Readonly<Record<string, string>>;
const signedIn = (token: string): From => ({ authorization: `Bearer ${token}` });
const at = (address: string): From => ({ 'x-forwarded-for': address });
const [outsider, visitor] = [at('203.0.113.1'), at('198.51.100.7')];

interface Reply {
  readonly result?: Json;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A server that remembers so many keys and used states, a quarter of them for one caller. */
async function start(max: number) {
  const server = createServer(
    {
      name: 'shop',
      version: '1',
      tools: {
        pay: tool({}, () => 'paid'),
        form: tool({}, async (_given, ctx) => {
          await ctx.elicit('name', { message: 'Name?', schema: z.object({ name: z.string() }) });
          return 'done';
        }),
      },
    },
    {
      secrets: ['at least sixteen characters'],
      idempotency: withFixed({}, { maxEntries: max }),
      requestState: withFixed({}, { maxUsed: max }),
    },
  );
  const authenticate: ServeHttpOptions['authenticate'] = ({ header }) =>
    header('authorization')?.slice(7) ?? { anonymous: true };
  const service = await serveHttp(server, { port: 0, authenticate, trustedProxies: ['127.0.0.1'] });
  onTestFinished(() => service.close());
  let keys = 0;
  async function post(from: From, params: Json, meta: Json): Promise<Reply> {
    const { headers, body } = loneCall(String(params.name), {}, { ...elicits, ...meta });
    const all = { ...body, params: { ...params, arguments: {}, _meta: body.params._meta } };
    return (await send(service.url, { headers: { ...headers, ...from }, body: all })).json as Reply;
  }
  /** A call with a key that no other has. */
  const pay = (from: From): Promise<Reply> =>
    post(from, { name: 'pay' }, { 'dev.tenon/idempotency-key': `key ${keys++}` });
  /** A call that asks for input, and gets it. */
  async function fill(from: From): Promise<Reply> {
    const { result } = await post(from, { name: 'form' }, {});
    const [key] = Object.keys(result?.inputRequests as Json);
    const inputResponses = { [String(key)]: { action: 'accept', content: { name: 'Ada' } } };
    return post(from, { name: 'form', requestState: result?.requestState, inputResponses }, {});
  }
  return { pay, fill };
}

const isDone = ({ result }: Reply): boolean => result !== undefined;

describe.each([
  ['idempotency keys', 'pay'],
  ['used request states', 'fill'],
] as const)('a flood of %s', (_name, use) => {
  it.each([
    ['one address', () => outsider],
    ['one IPv6 network', (n: number) => at(`2001:db8::${n}`)],
    ['addresses that are not known', (n: number) => at(n % 2 === 0 ? 'unknown' : '_hidden')],
    ['one principal', () => signedIn('eve')],
  ])('from %s uses up its own share only [S24, S36]', async (_from, callerOf) => {
    const calls = await start(8);
    const flood: boolean[] = [];
    for (let n = 0; n < 12; n++) flood.push(isDone(await calls[use](callerOf(n))));
    expect(flood.filter(Boolean)).toHaveLength(2);
    expect((await calls[use](callerOf(99))).error?.message).toContain('Too many calls');
    for (const from of [visitor, signedIn('ann')]) expect(isDone(await calls[use](from))).toBe(true);
  });

  it('from many addresses does not lock out principals [S24, S36]', async () => {
    const calls = await start(8);
    for (let n = 0; n < 20; n++) await calls[use](at(`203.0.113.${n}`));
    expect(isDone(await calls[use](visitor))).toBe(false);
    for (const token of ['ann', 'ann', 'bob']) expect(isDone(await calls[use](signedIn(token)))).toBe(true);
  });
});
