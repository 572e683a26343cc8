/** Members that a protocol version does not have, so that it does not check them, and objects that cannot become texts. */
import { createServer, type ProtocolVersion, prompt, resourceTemplate, serveHttp, tool } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { lone, loneCall, request, startSession } from '../../kit/http/messages.ts';
import { type Json, send } from '../../kit/http/raw-http.ts';

/** `String` and `Number` throw for it. */
const noText = { toString: null, valueOf: null };
const followsTasks = {
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
};

async function start(protocolVersions?: readonly ProtocolVersion[]) {
  const seen: unknown[] = [];
  const problems: unknown[] = [];
  const server = createServer(
    {
      name: 'shop',
      version: '1',
      tools: {
        add: tool({ inputSchema: z.looseObject({}) }, () => 'added'),
        report: tool({ task: { support: 'required', answerWithinMs: 0, ttlMs: 1000 } }, () => 'done'),
      },
      prompts: { plan: prompt({}, () => 'a plan') },
      resourceTemplates: {
        'notes://{user}/{day}': resourceTemplate(
          {
            complete: {
              day: (_value, { arguments: chosen }) => {
                seen.push(chosen);
                return ['monday'];
              },
            },
          },
          () => 'a note',
        ),
      },
    },
    {
      secrets: ['at least sixteen characters'],
      onError: (error) => void problems.push(error),
      ...(protocolVersions && { protocolVersions }),
    },
  );
  const service = await serveHttp(server, { port: 0, onWarning: (warning) => void problems.push(warning) });
  onTestFinished(() => service.close());
  return { url: service.url, seen, problems };
}

describe('an object without a text', () => {
  it.each([
    ['tools/call', 'name'],
    ['prompts/get', 'name'],
    ['resources/read', 'uri'],
    ['tasks/get', 'taskId'],
  ])('as the target of %s gets an error as any other wrong one [S24, S36]', async (method, member) => {
    const { url, problems } = await start();
    const { headers, body } = lone(method);
    const params = { ...body.params, [member]: noText };
    const sent = { headers: { ...headers, 'mcp-name': 'x' }, body: { ...body, params } };
    const { status, json } = await send(url, sent);
    expect(status).toBe(400);
    expect((json as Json).error).toMatchObject({ code: -32020 });
    expect(problems).toEqual([]);
  });

  it('as the protocol version of a handshake gets the error for an unknown one [S24, S36]', async () => {
    const { url, problems } = await start(['2026-07-28']);
    const params = { protocolVersion: noText, capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
    const { status, json } = await send(url, { headers: {}, body: request('initialize', params) });
    expect(status).toBe(400);
    expect((json as Json).error).toMatchObject({ data: { supported: ['2026-07-28'] } });
    expect(problems).toEqual([]);
  });
});

describe.each(['2024-11-05', '2025-03-26'])('the context of a completion at %s', (revision) => {
  const completion = (context: unknown) => ({
    ref: { type: 'ref/resource', uri: 'notes://{user}/{day}' },
    argument: { name: 'day', value: 'm' },
    context,
  });

  it('gives a completer texts, whatever was sent [S24, S36]', async () => {
    const { url, seen, problems } = await start();
    const session = await startSession(url, revision);
    for (const context of [null, 'a', { arguments: null }, { arguments: ['a'] }, { arguments: { user: noText } }])
      expect((await session.post(request('completion/complete', completion(context)))).status).toBe(200);
    await session.post(request('completion/complete', completion({ arguments: { user: 'ada', day: 7 } })));
    expect(seen).toEqual([{}, {}, {}, {}, {}, { user: 'ada' }]);
    expect(problems).toEqual([]);
  });

  it('has a limit on its characters that an object with a length cannot lift [S24, S36]', async () => {
    const { url, seen } = await start();
    const session = await startSession(url, revision);
    const context = { arguments: { a: { length: -1e9 }, user: 'x'.repeat(100_000) } };
    const { json } = await session.post(request('completion/complete', completion(context)));
    expect((json as Json).error).toMatchObject({ code: -32602 });
    expect(seen).toEqual([]);
  });
});

it.each(['abc', -5, noText, 604_800_000])(
  'params.task.ttl, where the server decides about tasks, changes nothing: %j [S24, S36]',
  async (ttl) => {
    const { url, problems } = await start();
    const { headers, body } = loneCall('report', {}, followsTasks);
    const { json } = await send(url, { headers, body: { ...body, params: { ...body.params, task: { ttl } } } });
    expect((json as { result: Json }).result).toMatchObject({ ttlMs: 1000 });
    expect(problems).toEqual([]);
  },
);
