/** Request states and cursors as attackers send them back: changed, written in another way, or after their use. */
import { createServer, type ServeHttpOptions, serveHttp, tool } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { lone, loneCall } from '../../kit/http/messages.ts';
import { type Json, send } from '../../kit/http/raw-http.ts';

const elicits = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
const secrets = ['at least sixteen characters'];

interface Reply {
  readonly result?: Json;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A server whose states are used up by a callback of its author. */
async function start(name: string, used = new Set<string>()) {
  const runs: string[] = [];
  const form = (of: string) =>
    tool({}, async (_given, ctx) => {
      const { action } = await ctx.elicit('name', { message: 'Name?', schema: z.object({ name: z.string() }) });
      runs.push(`${of} ${action}`);
      return 'done';
    });
  const server = createServer(
    { name, version: '1', pageSize: 2, tools: { form: form('form'), other: form('other'), third: form('third') } },
    {
      secrets,
      requestState: { consumeNonce: (nonce) => !used.has(nonce) && used.add(nonce).size > 0 },
    },
  );
  const authenticate: ServeHttpOptions['authenticate'] = ({ header }) =>
    header('authorization')?.slice(7) ?? { anonymous: true };
  const service = await serveHttp(server, { port: 0, authenticate });
  onTestFinished(() => service.close());
  async function post(who: string | undefined, { headers, body }: ReturnType<typeof lone>): Promise<Reply> {
    const all = who === undefined ? headers : { ...headers, authorization: `Bearer ${who}` };
    return (await send(service.url, { headers: all, body })).json as Reply;
  }
  const begin = async (who: string | undefined, of = 'form'): Promise<string> =>
    String((await post(who, loneCall(of, {}, elicits))).result?.requestState);
  const answer = (who: string | undefined, requestState: string, of = 'form'): Promise<Reply> => {
    const inputResponses = { name: { action: 'accept', content: { name: 'Ada' } } };
    return post(who, lone('tools/call', { name: of, arguments: {}, requestState, inputResponses }, elicits));
  };
  const list = (cursor?: string): Promise<Reply> =>
    post('ann', lone('tools/list', cursor === undefined ? {} : { cursor }));
  return { begin, answer, list, runs };
}

/** The same bytes in Base64 as `atob` reads them: with spaces, padding, and the letters of the other alphabet. */
function rewritten(state: string): readonly string[] {
  const parts = state.split('.');
  const iv = parts.length - 2;
  return [iv, iv + 1].flatMap((at) =>
    [
      (text: string) => ` ${text}`,
      (text: string) => `${text}\n`,
      (text: string) => `${text.slice(0, 4)}\t${text.slice(4)}`,
      (text: string) => text.replaceAll('-', '+').replaceAll('_', '/'),
      (text: string) => `${text}${'='.repeat((4 - (text.length % 4)) % 4)}`,
      lastBitSet,
    ].map((change) => parts.map((part, n) => (n === at ? change(part) : part)).join('.')),
  );
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** A bit after the last byte, which nothing decodes. */
const lastBitSet = (text: string): string =>
  text.length % 4 === 0 ? text : text.slice(0, -1) + letters[letters.indexOf(text.at(-1) as string) + 1];

describe('a request state', () => {
  it('is used once on nodes that share only what is used, however it is written [S24, S36]', async () => {
    const used = new Set<string>();
    const nodes = [await start('shop', used), await start('shop', used)] as const;
    for (let n = 0; n < 4; n++) {
      const state = await nodes[0].begin('ann');
      expect((await nodes[0].answer('ann', state)).result).toBeDefined();
      for (const node of nodes.toReversed())
        for (const again of [state, ...rewritten(state)])
          expect([again, (await node.answer('ann', again)).error?.code]).toEqual([again, -32602]);
    }
    expect(nodes.map(({ runs }) => runs.length)).toEqual([4, 0]);
  });

  it('that was changed in one bit, cut or lengthened is refused, and does not use it up [S24, S36]', async () => {
    const { begin, answer, runs } = await start('shop');
    const state = await begin('ann');
    // The last letter has bits that belong to no byte.
    const places = Array.from({ length: state.length }, (_, at) => at).filter((at) => at % 9 === 0);
    const changed = [...places, state.length - 1].map((at) => {
      const next = letters[(letters.indexOf(state.charAt(at)) + 1) % letters.length] ?? '0';
      return state.slice(0, at) + next + state.slice(at + 1);
    });
    const cut = [1, 20, state.length - 1].map((length) => state.slice(0, length));
    const sent = [...changed, ...cut, `${state}A`, `${state}.A`, `${state}\0`, `\0${state}`, state.toUpperCase()];
    for (const one of sent) expect([one, (await answer('ann', one)).error?.code]).toEqual([one, -32602]);
    expect(runs).toEqual([]);
    expect((await answer('ann', state)).result).toBeDefined();
  });

  it('of another caller, tool or server with the same secret is refused [S24, S36]', async () => {
    const [shop, bank] = [await start('shop'), await start('bank')];
    const state = await shop.begin('ann');
    const refused = [
      shop.answer('bob', state),
      shop.answer(undefined, state),
      shop.answer('ann', state, 'other'),
      bank.answer('ann', state),
      shop.answer('ann', await shop.begin(undefined)),
    ];
    for (const one of refused) expect((await one).error?.code).toBe(-32602);
    expect([...shop.runs, ...bank.runs]).toEqual([]);
    expect((await shop.answer('ann', state)).result).toBeDefined();
  });
});

it('a cursor that nothing has sent gets an error, or a page of what its caller may see [S24]', async () => {
  const { list } = await start('shop');
  const { nextCursor } = (await list()).result as { nextCursor: string };
  const forged = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const odd = ['', '\0', 'x', ` ${nextCursor}`, nextCursor.slice(1), forged(['prompts', 'form']), forged(['tools', 1])];
  const names = ['', '\0', '\ud800', '__proto__', 'constructor', "'; DROP TABLE row; --", 'z'.repeat(100_000)];
  for (const cursor of [...odd, ...names.map((name) => forged(['tools', name]))]) {
    const { result, error } = await list(cursor);
    expect(error?.code ?? 'a page').toBe(result === undefined ? -32602 : 'a page');
    for (const { name } of (result?.tools ?? []) as { name: string }[])
      expect(['form', 'other', 'third']).toContain(name);
  }
});
