/** Servers of both versions of the official SDK, with a tool for each thing that crosses the bridge. */

import { completable as completableV1 } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer as ServerV1, ResourceTemplate as TemplateV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { completable, ResourceTemplate, McpServer as ServerV2 } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { createDeferred, type Deferred } from '../../src/lib/values/deferred.ts';

/** What the servers of a test have done. */
export interface Ledger {
  /** The texts of the calls whose handler has begun. */
  readonly begun: string[];
  /** How many servers were created. */
  instances: number;
  /** Resolves when a call that waits has begun, and when it was aborted. */
  readonly waiting: Deferred<void>;
  readonly aborted: Deferred<void>;
}

export const newLedger = (): Ledger => ({
  begun: [],
  instances: 0,
  waiting: createDeferred(),
  aborted: createDeferred(),
});

const info = { name: 'official', version: '1.2.3' };
const form = {
  type: 'object' as const,
  properties: { answer: { type: 'string' as const, title: 'Your answer' } },
  required: ['answer'],
};
const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
const addShape = { a: z.number(), b: z.number() };
const question = { question: z.string() };
const cities = (typed: string): string[] => ['Paris', 'Porto', 'Prague'].filter((city) => city.startsWith(typed));
const notes = (uri: URL, name: string) => ({
  contents: [{ uri: uri.href, mimeType: 'text/plain', text: `note ${name}` }],
});

/** An `McpServer` of version 1. Its questions come without the id of the request, as those of most servers. */
export function createV1(ledger: Ledger): ServerV1 {
  ledger.instances++;
  const server = new ServerV1(info, { capabilities: { logging: {} }, instructions: 'Add numbers.' });
  server.registerTool(
    'add',
    { title: 'Add', description: 'Adds numbers', inputSchema: addShape, outputSchema: { sum: z.number() } },
    ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
  );
  server.registerTool('ask', { inputSchema: question }, async ({ question: message }) => {
    ledger.begun.push(message);
    const { action, content } = await server.server.elicitInput({ message, requestedSchema: form });
    return text(`${message}: ${action} ${String(content?.answer)}`);
  });
  server.registerTool('ask-twice', { inputSchema: question }, async ({ question: message }) => {
    ledger.begun.push(message);
    const first = await server.server.elicitInput({ message: `${message} 1`, requestedSchema: form });
    const second = await server.server.elicitInput({ message: `${message} 2`, requestedSchema: form });
    return text(`${String(first.content?.answer)}, ${String(second.content?.answer)}`);
  });
  server.registerTool('sample', { inputSchema: question }, async ({ question: content }, { sendRequest }) => {
    const { CreateMessageResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: content } }];
    const sampled = await sendRequest(
      { method: 'sampling/createMessage', params: { messages, maxTokens: 9 } },
      CreateMessageResultSchema,
    );
    return text(JSON.stringify(sampled.content));
  });
  server.registerTool('roots', {}, async () => text(JSON.stringify((await server.server.listRoots()).roots)));
  server.registerTool('report', {}, async ({ _meta, sendNotification }) => {
    const progressToken = _meta?.progressToken ?? '';
    await sendNotification({ method: 'notifications/progress', params: { progressToken, progress: 1, total: 2 } });
    await server.server.sendLoggingMessage({ level: 'warning', data: 'half way' });
    return text('reported');
  });
  server.registerTool('wait', {}, ({ signal }) => waitForAbort(ledger, signal));
  server.registerTool('who', {}, ({ authInfo }) => text(String(authInfo?.extra?.subject)));
  server.registerPrompt(
    'trip',
    { description: 'Plans', argsSchema: { city: completableV1(z.string(), cities) } },
    ({ city }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Go to ${city}` } }] }),
  );
  server.registerResource('today', 'notes://today', { mimeType: 'text/plain' }, (uri) => notes(uri, 'today'));
  server.registerResource(
    'day',
    new TemplateV1('notes://days/{day}', { list: undefined, complete: { day: cities } }),
    {},
    (uri, { day }) => notes(uri, String(day)),
  );
  return server;
}

/** The same of version 2. */
export function createV2(ledger: Ledger): ServerV2 {
  ledger.instances++;
  const server = new ServerV2(info, { capabilities: { logging: {} }, instructions: 'Add numbers.' });
  server.registerTool(
    'add',
    {
      title: 'Add',
      description: 'Adds numbers',
      inputSchema: z.object(addShape),
      outputSchema: z.object({ sum: z.number() }),
    },
    ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
  );
  server.registerTool('ask', { inputSchema: z.object(question) }, async ({ question: message }, { mcpReq }) => {
    ledger.begun.push(message);
    const { action, content } = await mcpReq.elicitInput({ message, requestedSchema: form });
    return text(`${message}: ${action} ${String(content?.answer)}`);
  });
  server.registerTool('ask-twice', { inputSchema: z.object(question) }, async ({ question: message }) => {
    ledger.begun.push(message);
    const first = await server.server.elicitInput({ message: `${message} 1`, requestedSchema: form });
    const second = await server.server.elicitInput({ message: `${message} 2`, requestedSchema: form });
    return text(`${String(first.content?.answer)}, ${String(second.content?.answer)}`);
  });
  server.registerTool('sample', { inputSchema: z.object(question) }, async ({ question: content }, { mcpReq }) => {
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: content } }];
    return text(JSON.stringify((await mcpReq.requestSampling({ messages, maxTokens: 9 })).content));
  });
  server.registerTool('roots', {}, async () => text(JSON.stringify((await server.server.listRoots()).roots)));
  server.registerTool('report', {}, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken ?? '';
    await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 1, total: 2 } });
    await mcpReq.log('warning', 'half way');
    return text('reported');
  });
  server.registerTool('wait', {}, ({ mcpReq }) => waitForAbort(ledger, mcpReq.signal));
  server.registerTool('who', {}, ({ http }) => text(String(http?.authInfo?.extra?.subject)));
  server.registerPrompt(
    'trip',
    { description: 'Plans', argsSchema: z.object({ city: completable(z.string(), cities) }) },
    ({ city }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Go to ${city}` } }] }),
  );
  server.registerResource('today', 'notes://today', { mimeType: 'text/plain' }, (uri) => notes(uri, 'today'));
  server.registerResource(
    'day',
    new ResourceTemplate('notes://days/{day}', { list: undefined, complete: { day: cities } }),
    {},
    (uri, { day }) => notes(uri, String(day)),
  );
  return server;
}

function waitForAbort({ waiting, aborted }: Ledger, signal: AbortSignal) {
  waiting.resolve();
  return new Promise<ReturnType<typeof text>>((resolve) => {
    signal.addEventListener('abort', () => {
      aborted.resolve();
      resolve(text('aborted'));
    });
  });
}

/** Both versions, for `describe.each`. */
export const sdks = [
  ['SDK v1', createV1],
  ['SDK v2', createV2],
] as const;
