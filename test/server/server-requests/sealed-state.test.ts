/** Returned request state: one error for every reason, limits of size and rounds, single use by option. */
import { createServer, prompt, resource, resourceTemplate, type Server, type ServerOptions, tool } from 'tenon';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { withFixed } from '../../kit/fixed-limits.ts';
import { form, formModes, opened, run, serverOf } from '../../kit/server-request-modes.ts';
import { envelope, type Json, openRaw, request } from '../../kit/transport/raw-connection.ts';

const able = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
const yes = { action: 'accept', content: { value: 'yes' } };

const definition = (description = 'elicits') => ({
  name: 'sealed',
  version: '1',
  tools: {
    it: tool({ description, inputSchema: z.object({ n: z.number().default(1) }) }, async ({ n }, context) => {
      const answer = await context.elicit('a', form('a'));
      return `${n} ${answer.action}`;
    }),
    other: tool({ description }, async (_given, context) => (await context.elicit('a', form('a'))).action),
  },
  prompts: { it: prompt({ description }, async (_given, context) => (await context.elicit('a', form('a'))).action) },
  resources: { 'a://it': resource({ description }, async (context) => (await context.elicit('a', form('a'))).action) },
  resourceTemplates: {
    'b://{name}': resourceTemplate({ description }, async ({ name }, context) => {
      return `${name} ${(await context.elicit('a', form('a'))).action}`;
    }),
  },
});

/** One exchange with a server, on a connection of its own. */
async function exchange(server: Server, method: string, params: Json, principal?: string): Promise<Json> {
  const raw = openRaw(server, principal === undefined ? {} : { principal });
  raw.send(request(1, method, envelope(params, able)));
  return raw.next();
}

const calling = (server: Server, params: Json, principal?: string): Promise<Json> =>
  exchange(server, 'tools/call', { name: 'it', ...params }, principal);

const stateOf = ({ result }: Json): string => (result as { requestState: string }).requestState;
const round = (state: unknown): Json => ({ inputResponses: { a: yes }, requestState: state });
const refusal = {
  jsonrpc: '2.0',
  id: 1,
  error: { code: -32602, message: 'requestState is not valid for this call', data: { requestState: 'refused' } },
};
const one = 'the first secret of two';
const two = 'the second secret of two';
const secrets = [one];
const started = (options: ServerOptions = {}, description?: string): Server =>
  createServer(definition(description), { secrets, ...options });

describe('State that a client sends back', () => {
  it.each<[string, string, Json, Json]>([
    ['a tool call', 'tools/call', { name: 'it' }, { content: [{ type: 'text', text: '1 accept' }] }],
    ['a prompt', 'prompts/get', { name: 'it' }, { messages: [{ content: { text: 'accept' } }] }],
    ['a resource', 'resources/read', { uri: 'a://it' }, { contents: [{ text: 'accept' }] }],
    ['a template', 'resources/read', { uri: 'b://x' }, { contents: [{ text: 'x accept' }] }],
  ])(
    'continues %s on another connection and another node with the same secret',
    async (_name, method, call, result) => {
      const first = await exchange(started(), method, call);
      expect(first.result).toMatchObject({ resultType: 'input_required' });
      expect((await exchange(started(), method, { ...call, ...round(stateOf(first)) })).result).toMatchObject(result);
    },
  );

  it('is rejected with the same error and message, whatever is wrong with it [e-mrtr-10, e-mrtr-11, e-mrtr-12]', async () => {
    const now = vi.spyOn(Date, 'now').mockReturnValue(1000);
    onTestFinished(() => now.mockRestore());
    const server = started({ requestState: { ttlMs: 500 } });
    const state = stateOf(await calling(server, { arguments: { n: 1 } }, 'issuer|ada'));
    const send = (params: Json, principal = 'issuer|ada', to = server): Promise<Json> =>
      calling(to, { arguments: { n: 1 }, ...round(state), ...params }, principal);
    expect((await send({})).result).toMatchObject({ content: [{ text: '1 accept' }] });
    expect(
      await send({ requestState: `${state.slice(0, 40)}${state[40] === 'A' ? 'B' : 'A'}${state.slice(41)}` }),
    ).toEqual(refusal);
    expect(await send({ requestState: 'made up' })).toEqual(refusal);
    expect(await send({ requestState: '' })).toEqual(refusal);
    expect(await send({ requestState: 'x'.repeat(100_000) })).toEqual(refusal);
    expect(await send({}, 'issuer|bob')).toEqual(refusal);
    expect(await send({ name: 'other' })).toEqual(refusal);
    expect(await send({ name: 'unknown' })).toEqual(refusal);
    expect(await send({ arguments: { n: 2 } })).toEqual(refusal);
    expect(await send({ arguments: {} })).toEqual(refusal);
    expect(await send({}, 'issuer|ada', started({ secrets: [two] }))).toEqual(refusal);
    expect(await send({}, 'issuer|ada', started({}, 'changed'))).toEqual(refusal);
    now.mockReturnValue(1501);
    expect(await send({})).toEqual(refusal);
  });

  it('of a template is rejected when its definition has changed', async () => {
    const first = await exchange(started(), 'resources/read', { uri: 'b://x' });
    const params = { uri: 'b://x', ...round(stateOf(first)) };
    expect(await exchange(started({}, 'changed'), 'resources/read', params)).toEqual(refusal);
  });

  it('is valid with another `_meta` and another order of arguments', async () => {
    const server = started();
    const state = stateOf(await calling(server, { arguments: { n: 1, m: 2 } }));
    const raw = openRaw(server);
    const params = { name: 'it', arguments: { m: 2, n: 1 }, ...round(state) };
    raw.send(request(1, 'tools/call', envelope(params, { ...able, 'example/trace': 'x' })));
    expect((await raw.next()).result).toMatchObject({ content: [{ text: '1 accept' }] });
  });

  it('is valid after key rotation, while the earlier key is still listed', async () => {
    const state = stateOf(await calling(started(), {}));
    const rotated = started({ secrets: [two, one] });
    expect((await calling(rotated, round(state))).result).toMatchObject({ content: [{ text: '1 accept' }] });
  });

  it.each<[string, () => boolean | Promise<boolean>]>([
    [
      'throws',
      () => {
        throw new Error('no store');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no store'))],
  ])(
    'is rejected with the same error if consumeNonce %s, and the failure is passed to onError',
    async (_how, consumeNonce) => {
      const errors: unknown[] = [];
      const onError = (error: unknown, call: unknown): unknown => errors.push([error, call]);
      const server = createServer(definition(), { secrets, requestState: { consumeNonce }, onError });
      const state = stateOf(await calling(server, {}));
      expect(await calling(server, round(state))).toEqual(refusal);
      const failed = { code: 'callback-failed', cause: new Error('no store') };
      expect(errors).toEqual([[expect.objectContaining(failed), { method: 'tools/call', target: 'it' }]]);
    },
  );

  it('can be used again, or once if consumeNonce is set [e-mrtr-17]', async () => {
    const used = new Set<string>();
    const consumeNonce = (nonce: string): boolean => !used.has(nonce) && used.add(nonce).size > 0;
    for (const [server, again] of [
      [started(), undefined],
      [started({ requestState: { consumeNonce } }), refusal.error],
    ] as const) {
      const state = stateOf(await calling(server, {}));
      expect((await calling(server, round(state))).error).toBeUndefined();
      expect((await calling(server, round(state))).error).toEqual(again);
    }
  });

  it('that would be too large fails the call, and the reason is passed to onError', async () => {
    const failures: unknown[] = [];
    const server = serverOf(
      async (context) => {
        await context.step('big', () => 'x'.repeat(2000));
        return (await context.elicit('a', form('a'))).action;
      },
      { requestState: withFixed({}, { maxChars: 1000 }), onError: (error) => failures.push(error) },
    );
    expect((await calling(server, {})).error).toMatchObject({ code: -32603 });
    expect(failures).toMatchObject([{ code: 'request-state-too-large' }]);
  });
});

describe('An answer that is malformed', () => {
  const swallowing = serverOf(async (context) => {
    try {
      return (await context.elicit('a', form('a'))).action;
    } catch {
      return 'swallowed';
    }
  });

  it.each<[string, unknown]>([
    ['lacks a field', { action: 'accept', content: {} }],
    ['has a field of the wrong type', { action: 'accept', content: { value: 5 } }],
    ['is accepted without content', { action: 'accept' }],
    ['has an unknown action', { action: 'maybe' }],
    ['is the answer to another kind of server request', { roots: [] }],
    ['is a string', 'yes'],
    ['is null', null],
  ])('that %s fails the call with -32602, even if the handler catches the error', async (_name, answer) => {
    const state = stateOf(await calling(swallowing, {}));
    const reply = await calling(swallowing, { inputResponses: { a: answer }, requestState: state });
    expect(reply.error).toMatchObject({ code: -32602 });
  });

  it.each(['2025-06-18', '2025-11-25'])('fails the call in a session too, %s', async (revision) => {
    for (const answer of [{ action: 'accept', content: {} }, { action: 'maybe' }, {}]) {
      const raw = openRaw(swallowing);
      const clientInfo = { name: 'raw', version: '1' };
      const initialize = { protocolVersion: revision, capabilities: { elicitation: {} }, clientInfo };
      raw.send(request(0, 'initialize', initialize));
      await raw.next();
      raw.send(request(1, 'tools/call', { name: 'it' }));
      const elicitation = await raw.next();
      raw.send({ jsonrpc: '2.0', id: elicitation.id, result: answer });
      expect(await raw.next()).toMatchObject({ id: 1, error: { code: -32602 } });
    }
  });
});

describe.each(formModes)('A handler that never stops eliciting, $name', (mode) => {
  it('is stopped after maxInputRounds of the server', async () => {
    let requested = 0;
    const elicitForm = () => ({ action: 'decline' as const, ...(requested++ && {}) });
    const { client, failures } = await opened(
      mode,
      async (context) => {
        for (let n = 0; ; n++) await context.elicit(`q${n}`, form('more')).catch(() => {});
      },
      { handlers: { elicitForm }, server: { limits: { maxInputRounds: 3 } } },
    );
    await expect(run(client)).rejects.toMatchObject({ code: -32603 });
    expect(requested).toBe(3);
    expect(failures).toMatchObject([{ code: 'too-many-input-rounds' }]);
  });
});

describe('A client', () => {
  it('answers at most maxInputRounds times, and does not call its handler after that', async () => {
    let requested = 0;
    const { client } = await opened(
      { name: '', revision: '2026-07-28', replay: false, repeats: true },
      async (context) => {
        for (let n = 0; n < 10; n++) await context.elicit(`q${n}`, form('more'));
        return 'enough';
      },
      {
        handlers: { elicitForm: () => ({ action: 'decline', ...(requested++ && {}) }) },
        limits: { maxInputRounds: 3 },
      },
    );
    await expect(run(client)).rejects.toMatchObject({ code: 'too-many-input-rounds' });
    expect(requested).toBe(3);
  });
});
