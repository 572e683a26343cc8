/** The rich server, written with version 1 of the official SDK. */
import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { SubscribeRequestSchema, UnsubscribeRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

const cities = ['Bergen', 'Oslo', 'Paris'];
const beginsWith = (typed) => cities.filter((city) => city.toLowerCase().startsWith((typed ?? '').toLowerCase()));
const textResult = (text) => ({ content: [{ type: 'text', text }] });
let aborted = 0;
let note = 'first';
const watched = new Set();

const mcp = new McpServer(
  { name: 'rich', version: '1.0.0' },
  { instructions: 'Try everything.', capabilities: { logging: {}, resources: { subscribe: true } } },
);
const { server } = mcp;

const reportProgress = ({ _meta, sendNotification }, progress, total, message) =>
  _meta?.progressToken === undefined
    ? undefined
    : sendNotification({
        method: 'notifications/progress',
        params: { progressToken: _meta.progressToken, progress, total, message },
      });

mcp.registerTool('echo', { inputSchema: { message: z.string() } }, ({ message }) => textResult(message));
mcp.registerTool(
  'add',
  {
    title: 'Add',
    annotations: { readOnlyHint: true },
    inputSchema: { a: z.number(), b: z.number() },
    outputSchema: { sum: z.number() },
  },
  ({ a, b }) => ({ ...textResult(JSON.stringify({ sum: a + b })), structuredContent: { sum: a + b } }),
);
mcp.registerTool('fail', {}, () => {
  throw new Error('It went wrong');
});
mcp.registerTool('count', { inputSchema: { to: z.number() } }, async ({ to }, extra) => {
  for (let at = 1; at <= to; at++) await reportProgress(extra, at, to, `${at} of ${to}`);
  await server.sendLoggingMessage({ level: 'info', logger: 'counter', data: { counted: to } });
  await server.sendLoggingMessage({ level: 'debug', data: 'below the requested level' });
  return textResult(`counted to ${to}`);
});
mcp.registerTool('wait', {}, async (extra) => {
  await reportProgress(extra, 1);
  return new Promise((resolve) => {
    extra.signal.addEventListener('abort', () => {
      aborted++;
      resolve(textResult('aborted'));
    });
  });
});
mcp.registerTool('aborted', {}, () => textResult(String(aborted)));
mcp.registerTool('greet', {}, async () => {
  const { action, content } = await server.elicitInput({
    message: 'Who are you?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  });
  return textResult(action === 'accept' ? `Hello, ${content.name}` : action);
});
mcp.registerTool('think', {}, async () => {
  const messages = [{ role: 'user', content: { type: 'text', text: 'What now?' } }];
  const { model, content } = await server.createMessage({ messages, maxTokens: 10 });
  return textResult(`${model}: ${content.text}`);
});
mcp.registerTool('where', {}, async () => textResult((await server.listRoots()).roots.map(({ uri }) => uri).join()));
mcp.registerTool('write', { inputSchema: { text: z.string() } }, async ({ text }) => {
  note = text;
  if (watched.has('note://one')) await server.sendResourceUpdated({ uri: 'note://one' });
  return textResult('written');
});
mcp.registerTool('grow', {}, () => {
  mcp.registerTool('grown', {}, () => textResult('new'));
  mcp.registerPrompt('grown', {}, () => ({ messages: [] }));
  mcp.registerResource('grown', 'note://grown', {}, (uri) => ({ contents: [{ uri: uri.href, text: 'new' }] }));
  return textResult('grown');
});

mcp.registerResource('one', 'note://one', { mimeType: 'text/plain' }, (uri) => ({
  contents: [{ uri: uri.href, mimeType: 'text/plain', text: note }],
}));
mcp.registerResource('bytes', 'note://bytes', { mimeType: 'image/png' }, (uri) => ({
  contents: [{ uri: uri.href, mimeType: 'image/png', blob: 'AQL/' }],
}));
mcp.registerResource(
  'weather',
  new ResourceTemplate('weather://{city}/now', { list: undefined, complete: { city: beginsWith } }),
  {},
  (uri, { city }) => ({ contents: [{ uri: uri.href, text: `sunny in ${city}` }] }),
);
mcp.registerPrompt(
  'plan',
  { description: 'A plan', argsSchema: { city: completable(z.string(), beginsWith) } },
  ({ city }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Plan a day in ${city}` } }] }),
);
server.setRequestHandler(SubscribeRequestSchema, ({ params }) => {
  watched.add(params.uri);
  return {};
});
server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
  watched.delete(params.uri);
  return {};
});

console.error(`started ${process.pid}`);
const [over] = process.argv.slice(2);
if (over === undefined) await mcp.connect(new StdioServerTransport());
else {
  const { serveStreamable, serveEvents } = await import('./v1-http.mjs');
  await (over === '--sse' ? serveEvents(mcp) : serveStreamable(mcp));
}
