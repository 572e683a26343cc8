/** A capture replayed as a server gives a client what the recorded server gave. */
import { type Client, connect, createServer, type ProtocolVersion, prompt, tool } from 'tenon';
import {
  callsInCapture,
  createCapture,
  type ReadCapture,
  type ReplayFault,
  readCapture,
  replayServer,
} from 'tenon/capture';
import { protocolVersions } from 'tenon/protocol';
import { expect, it } from 'vitest';
import { z } from 'zod';

const server = () =>
  createServer({
    name: 'recorded',
    version: '1.0.0',
    tools: {
      add: tool({ inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => String(a + b)),
      greet: tool({}, async (_given, ctx) => {
        ctx.reportProgress(1, 2, 'half');
        return `the weather is fine`;
      }),
      ask: tool({}, async (_given, ctx) => {
        const answer = await ctx.elicit('name', { message: 'Your name?', schema: z.object({ name: z.string() }) });
        return `you chose ${answer.action}`;
      }),
    },
    prompts: { hello: prompt({}, () => 'Hello') },
  });

const asks: ReadonlySet<ProtocolVersion> = new Set(['2025-06-18', '2025-11-25', '2026-07-28']);

const handlers = { elicitForm: () => ({ action: 'accept' as const, content: { name: 'Ada' } }) };

/** What a client gets of each call. */
async function used(client: Client, version: ProtocolVersion): Promise<unknown[]> {
  const progress: number[] = [];
  const results: unknown[] = [
    (await client.tools.list().all()).map(({ name }) => name),
    (await client.tools.call('add', { a: 1, b: 2 })).content,
    (await client.tools.call('add', { a: 3, b: 4 })).content,
    (await client.tools.call('greet', {}, { onProgress: (update) => progress.push(update.progress) })).content,
    (await client.prompts.get('hello')).messages,
  ];
  if (asks.has(version)) results.push((await client.tools.call('ask', {})).content);
  return [...results, progress];
}

async function recorded(
  version: ProtocolVersion,
): Promise<{ readonly capture: ReadCapture; readonly results: unknown[] }> {
  const lines: string[] = [];
  const capture = createCapture({ write: (line) => lines.push(line) });
  const client = await connect(server() as never, { tap: capture.tap, protocolVersions: [version], handlers });
  const results = await used(client, version);
  await client.close();
  capture.end();
  return { capture: readCapture(lines.join('')), results };
}

const replayed = async (capture: ReadCapture, version: ProtocolVersion, faults: readonly ReplayFault[] = []) =>
  connect(replayServer(capture, { faults }), { protocolVersions: [version], handlers });

it.each(protocolVersions)('a client of %s gets the recorded results, in any order and again [S31]', async (version) => {
  const { capture, results } = await recorded(version);
  const client = await replayed(capture, version);
  expect(await used(client, version)).toEqual(results);
  expect((await client.tools.call('add', { a: 3, b: 4 })).content).toEqual([{ type: 'text', text: '7' }]);
  expect((await client.tools.call('add', { a: 1, b: 2 })).content).toEqual([{ type: 'text', text: '3' }]);
  await expect(client.tools.call('add', { a: 9, b: 9 })).rejects.toThrow(/The capture has no such tools\/call/);
  await client.close();
});

it('exact mode wants the recorded requests in their order, each once', async () => {
  const { capture } = await recorded('2025-11-25');
  const client = await connect(replayServer(capture, { mode: 'exact' }), { protocolVersions: ['2025-11-25'] });
  await client.tools.list().all();
  await expect(client.tools.call('add', { a: 3, b: 4 })).rejects.toThrow(/no such/);
  await expect(client.tools.call('add', { a: 1, b: 2 })).resolves.toBeDefined();
  await client.close();
});

it.each<[ReplayFault['do'], RegExp, timeoutMs: number]>([
  ['cut', /closed/, 60_000],
  ['error', /A fault of the replay/, 60_000],
  ['drop', /answer|time/i, 300],
])('the fault %s makes a call fail by name', async (effect, message, timeoutMs) => {
  const { capture } = await recorded('2025-11-25');
  const client = await replayed(capture, '2025-11-25', [{ on: 'tools/call', nth: 2, do: effect }]);
  await expect(client.tools.call('add', { a: 1, b: 2 })).resolves.toBeDefined();
  await expect(client.tools.call('add', { a: 1, b: 2 }, { timeoutMs })).rejects.toThrow(message);
  await client.close();
});

it('a delayed and a doubled response still arrive, once', async () => {
  const { capture } = await recorded('2025-11-25');
  const faults: ReplayFault[] = [
    { on: 'tools/call', nth: 1, do: 'delay', ms: 10 },
    { on: 'tools/call', nth: 2, do: 'double' },
  ];
  const client = await replayed(capture, '2025-11-25', faults);
  await expect(client.tools.call('add', { a: 1, b: 2 })).resolves.toBeDefined();
  await expect(client.tools.call('add', { a: 1, b: 2 })).resolves.toBeDefined();
  await client.close();
});

it('a wrong option is refused, and a wrong fault with its place', async () => {
  const { capture } = await recorded('2025-11-25');
  expect(() => replayServer(capture, { faults: [{ on: 'ping', do: 'explode' as never }] })).toThrow(
    /faults\[0\]: do is not valid/,
  );
  expect(() => replayServer(capture, { faults: [{ on: 'ping' } as never] })).toThrow(/faults\[0\]: do is missing/);
  expect(() => replayServer(capture, { faults: {} as never })).toThrow(/faults must be a list such as/);
  expect(() => replayServer(capture, { mode: 'exactly' as never })).toThrow(/mode must be 'match' or 'exact'/);
});

it('lists the calls of a capture with their outcomes and protocol version', async () => {
  const { capture } = await recorded('2025-11-25');
  const calls = callsInCapture(capture);
  expect(calls.map(({ method }) => method)).toEqual([
    'tools/list',
    'tools/call',
    'tools/call',
    'tools/call',
    'prompts/get',
    'tools/call',
  ]);
  expect(calls[1]).toMatchObject({
    protocolVersion: '2025-11-25',
    params: { name: 'add', arguments: { a: 1, b: 2 } },
    result: { content: [{ type: 'text', text: '3' }] },
  });
});
