/** Tool handlers of the official SDK inside a Tenon server, in every protocol version. */
import { CreateMessageResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ProtocolVersion } from '../../src/node/index.ts';
import { sdkHandler } from '../../src/official/index.ts';
import { protocolVersions } from '../../src/protocol/revisions/revisions.ts';
import { createServer, tool } from '../../src/server/index.ts';
import { createTestConnection } from '../../src/test/index.ts';
import { isSince } from '../kit/version-order.ts';

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
const requestedSchema = { type: 'object', properties: { answer: { type: 'string' } } };

function started() {
  const begun: string[] = [];
  const server = createServer({
    name: 's',
    version: '1',
    tools: {
      add: tool(
        { inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }) },
        sdkHandler(({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } })),
      ),
      ask: tool(
        { inputSchema: z.object({ question: z.string() }) },
        sdkHandler(async ({ question }, { mcpReq }) => {
          begun.push(question);
          const first = await mcpReq.elicitInput({ message: `${question} 1`, requestedSchema });
          const second = await mcpReq.elicitInput({ message: `${question} 2`, requestedSchema });
          return text(`${first.content?.answer}, ${second.content?.answer}`);
        }),
      ),
      sample: tool(
        {},
        sdkHandler(async (_args, { sendRequest }) => {
          const messages = [{ role: 'user', content: { type: 'text', text: 'Hello' } }];
          const request = { method: 'sampling/createMessage', params: { messages, maxTokens: 9 } };
          return text(JSON.stringify((await sendRequest(request, CreateMessageResultSchema)).content));
        }),
      ),
      report: tool(
        {},
        sdkHandler(async (_args, { _meta, sendNotification }) => {
          const params = { progressToken: _meta?.progressToken, progress: 1, total: 2 };
          await sendNotification({ method: 'notifications/progress', params });
          return text('reported');
        }),
      ),
      who: tool(
        {},
        sdkHandler((_args, { authInfo, http }) => text(`${authInfo?.clientId} ${http?.authInfo?.clientId}`)),
      ),
      fail: tool(
        {},
        sdkHandler(() => Promise.reject(new Error('no database'))),
      ),
    },
  });
  return { server, begun };
}

describe.each(protocolVersions as readonly ProtocolVersion[])(
  'A handler of the official SDK in %s',
  (protocolVersion) => {
    it('gets its arguments and its second argument, and its results and errors are those of the SDK', async () => {
      const { client, close } = await createTestConnection(started().server, {
        protocolVersion,
        principal: 'ada',
        handlers: { sample: ['sampled'] },
      });
      expect((await client.tools.call('add', { a: 1, b: 2 })).content).toMatchObject([{ text: '3' }]);
      expect(await client.tools.call('who')).toMatchObject({ content: [{ text: 'ada ada' }] });
      expect(await client.tools.call('fail')).toMatchObject({ isError: true, content: [{ text: 'no database' }] });
      expect(JSON.stringify(await client.tools.call('sample'))).toContain('sampled');
      const progress: unknown[] = [];
      await client.tools.call('report', {}, { onProgress: (update) => progress.push(update) });
      expect(progress).toMatchObject([{ progress: 1, total: 2 }]);
      await close();
    });
  },
);

describe.each((protocolVersions as readonly ProtocolVersion[]).filter((version) => isSince(version, '2025-06-18')))(
  'A handler of the official SDK that asks in %s',
  (protocolVersion) => {
    it('runs once', async () => {
      const { server, begun } = started();
      const { client, close } = await createTestConnection(server, {
        protocolVersion,
        handlers: { elicitForm: [{ answer: 'one' }, { answer: 'two' }] },
      });
      const result = await client.tools.call('ask', { question: 'Really?' });
      expect(result.content).toMatchObject([{ text: 'one, two' }]);
      expect(begun).toEqual(['Really?']);
      await close();
    });
  },
);
