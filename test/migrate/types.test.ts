/** A converted TypeScript server compiles, with the inferred arguments of its handlers. */
import { expect, it } from 'vitest';
import { compile } from '../types/compile.ts';
import { convert } from './converted.ts';

const before = `import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  type CallToolResult,
  ElicitResultSchema,
  type GetPromptResult,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

export const server = new McpServer({ name: 'a', version: '1' }, { instructions: 'Ask.', capabilities: { logging: {} } });
type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

server.registerTool(
  'add',
  { description: 'Adds', inputSchema: { a: z.number() }, outputSchema: { sum: z.number() } },
  async ({ a }) => ({ content: [{ type: 'text', text: a.toFixed() }], structuredContent: { sum: a + 1 } }),
);
server.registerTool('ask', { inputSchema: { name: z.string() } }, async ({ name }, extra) => {
  const request = { message: name.trim(), requestedSchema: { type: 'object' as const, properties: {} } };
  const { action } = await extra.sendRequest({ method: 'elicitation/create', params: request }, ElicitResultSchema);
  return { content: [{ type: 'text', text: action }] };
});
server.tool('typed', { b: z.string() }, async ({ b }, extra: Extra): Promise<CallToolResult> => {
  return { content: [{ type: 'text', text: b.trim() + extra.requestId }] };
});
server.tool('plain', async (extra) => ({ content: [{ type: 'text', text: String(extra.signal.aborted) }] }));
const say = async ({ who }: { who: string }): Promise<GetPromptResult> => ({
  messages: [{ role: 'user', content: { type: 'text', text: who } }],
});
server.registerPrompt('say', { argsSchema: { who: completable(z.string(), (typed) => [typed]) } }, say);
server.resource('note', 'a://note', async (uri) => ({ contents: [{ uri: uri.href, text: uri.protocol }] }));
const days = new ResourceTemplate('a://{day}', { list: undefined });
server.registerResource('day', days, {}, async (uri, { day }) => ({
  contents: [{ uri: uri.href, text: String(day) }],
}));
export function more(other: McpServer, handler: () => CallToolResult): void {
  other.registerTool('more', {}, handler);
}
`;

it('compiles, with and without --tidy', () => {
  const after = convert(before);
  const tidy = convert(before, { tidy: true });
  expect(after.report).toEqual([]);
  const programs = { 'after.ts': after.text, 'tidy.ts': tidy.text };
  expect(compile(programs).problems).toEqual([]);
});
