/** A client with a contract connects to servers that fit it, and to no others. */
import { createServer as createHttpServer } from 'node:http';
import {
  connect,
  createClient,
  createServer,
  prompt,
  type ServerDefinition,
  serveHttp,
  toNodeHandler,
  tool,
} from 'tenon';
import { createContract, takeSnapshot } from 'tenon/contract';
import { fromJsonSchema } from 'tenon/json-schema';
import { protocolVersions } from 'tenon/protocol';
import { createFakeClock } from 'tenon/test';
import { describe, expect, it } from 'vitest';
import { withClock } from '../../src/lib/time/internal-deadlines.ts';
import { listening } from '../client/http/broken-targets.ts';
import { scriptedServer } from '../host/scripted-server.ts';
import { deferred } from '../kit/deferred.ts';
import { number, object, text } from './pairs/pair.ts';

const output = object({ celsius: number }, ['celsius']);
const contract = createContract({
  tools: { forecast: { inputSchema: object({ city: text }, ['city']), outputSchema: output } },
  prompts: { review: { arguments: [{ name: 'language' }] } },
});

const review = (required: readonly string[] = []): NonNullable<ServerDefinition['prompts']> => ({
  review: prompt(
    { argsSchema: fromJsonSchema<Record<string, string>>(object({ language: text }, required)) },
    () => 'Review',
  ),
});

const serverWith = (
  input: object,
  { outputs = output, prompts = review(), name = 'forecast' } = {},
): ReturnType<typeof createServer> =>
  createServer({
    name: 'weather',
    version: '1.0.0',
    tools: {
      other: tool({}, () => ''),
      [name]: tool({ inputSchema: fromJsonSchema(input), outputSchema: fromJsonSchema(outputs) }, () => ({
        celsius: 1,
      })),
    },
    prompts,
  }) as ReturnType<typeof createServer>;

const same = object({ city: text }, ['city']);

describe('connect with a contract', () => {
  it.each(protocolVersions)('works with a server that is the same, or takes more, under %s [S31]', async (version) => {
    for (const input of [same, object({ city: text, unit: text }), { ...same, description: 'Other words' }]) {
      await using client = await connect(serverWith(input), { contract, protocolVersions: [version] });
      expect(await client.request('tools/call', { name: 'forecast', arguments: { city: 'Rome' } })).toMatchObject({
        content: [{ type: 'text' }],
      });
    }
  });

  it.each([
    [
      'a required field',
      serverWith(object({ city: text, unit: text }, ['city', 'unit'])),
      /tool forecast input\.unit: `unit` was added, and is required/,
    ],
    [
      'another type of a result',
      serverWith(same, { outputs: object({ celsius: text }, ['celsius']) }),
      /tool forecast output\.celsius/,
    ],
    ['a renamed tool', serverWith(same, { name: 'weather' }), /tool forecast: It was removed/],
    [
      'a required argument of a prompt',
      serverWith(same, { prompts: review(['language']) }),
      /prompt review arguments\.language/,
    ],
    ['no tools at all', createServer({ name: 'empty', version: '1' }), /tool forecast/],
    [
      'a change that is undecided',
      serverWith(object({ city: { ...text, format: 'uri' } }, ['city'])),
      /`city` may not take/,
    ],
  ])('fails as schema-drift with %s, which it names [S31]', async (_, server, message) => {
    const failure = await connect(server, { contract }).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'schema-drift',
      step: 'capabilities',
      message: expect.stringMatching(message),
    });
    expect(failure).toHaveProperty('details.changes.0.effect');
    expect(String(failure)).toContain('tenon types');
  });

  it('fails a client that connects when it is first used, and does not try again', async () => {
    const client = createClient(serverWith(object({}), { name: 'weather' }), { contract });
    await expect(client.tools.list().all()).rejects.toMatchObject({ code: 'schema-drift' });
    await client.close();
  });

  it('checks a server at a URL, whose connection it closes', async () => {
    const service = await serveHttp(serverWith(object({}), { name: 'weather' }), { port: 0 });
    const options = { contract, protocolVersions: ['2025-11-25'] } as const;
    await expect(connect(service.url, options)).rejects.toMatchObject({ code: 'schema-drift' });
    await service.close();
  });

  it('checks the server again when it reconnects, and names what has changed meanwhile', async () => {
    let handler = toNodeHandler(serverWith(same));
    const port = await listening(createHttpServer((request, response) => void handler(request, response)));
    const url = `http://127.0.0.1:${port}/mcp`;
    await using client = await connect(url, { contract, protocolVersions: ['2025-11-25'] });
    await client.request('tools/call', { name: 'forecast', arguments: { city: 'Rome' } });
    // Another process at the same address: it does not know the session.
    const before = handler;
    handler = toNodeHandler(serverWith(object({ city: text, unit: text }, ['city', 'unit'])));
    await before.close();
    await expect(client.tools.list().all()).rejects.toMatchObject({
      code: 'schema-drift',
      message: expect.stringContaining('`unit` was added, and is required'),
    });
    await handler.close();
  });

  it('has the time of one attempt for all pages of its lists, and can be aborted meanwhile [S24]', async () => {
    const clock = createFakeClock();
    const third = deferred();
    const endless = (onThird: () => void) => {
      let page = 0;
      return scriptedServer((method) => {
        if (method !== 'tools/list') return {};
        if (++page < 3) clock.advance(400);
        else onThird();
        return page < 3 ? { tools: [], nextCursor: `${page}` } : undefined;
      });
    };
    const slow = connect(endless(third.resolve), { ...withClock(clock), contract, timeoutMs: 1000 });
    const failed = slow.catch((error: unknown) => error);
    await third.promise;
    clock.advance(200);
    expect(await failed).toMatchObject({ code: 'timeout', details: { timeoutMs: 1000 } });
    const user = new AbortController();
    const server = endless(() => user.abort(new Error('enough')));
    await expect(connect(server, { ...withClock(clock), contract, signal: user.signal })).rejects.toThrow('aborted');
  });

  it('refuses what is no contract by its name', async () => {
    const server = serverWith(same);
    await using client = await connect(server);
    const snapshot = (await takeSnapshot(client)) as never;
    await expect(connect(server, { contract: snapshot })).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('contract must be the contract of a module that tenon types has written'),
    });
  });
});
