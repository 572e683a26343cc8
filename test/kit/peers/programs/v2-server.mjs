/** The rich server, written with version 2 of the official SDK, for both lifecycles. */
import {
  acceptedContent,
  completable,
  inputRequired,
  inputResponse,
  McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const cities = ['Bergen', 'Oslo', 'Paris'];
const beginsWith = (typed) => cities.filter((city) => city.toLowerCase().startsWith((typed ?? '').toLowerCase()));
const textResult = (text) => ({ content: [{ type: 'text', text }] });
const reportProgress = ({ mcpReq }, progress, total, message) =>
  mcpReq._meta?.progressToken === undefined
    ? undefined
    : mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken: mcpReq._meta.progressToken, progress, total, message },
      });

let aborted = 0;
let note = 'first';

function addPlainTools(mcp) {
  mcp.registerTool('echo', { inputSchema: z.object({ message: z.string() }) }, ({ message }) => textResult(message));
  mcp.registerTool(
    'add',
    {
      title: 'Add',
      annotations: { readOnlyHint: true },
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
    },
    ({ a, b }) => ({ ...textResult(JSON.stringify({ sum: a + b })), structuredContent: { sum: a + b } }),
  );
  mcp.registerTool('fail', {}, () => {
    throw new Error('It went wrong');
  });
  mcp.registerTool('count', { inputSchema: z.object({ to: z.number() }) }, async ({ to }, ctx) => {
    for (let at = 1; at <= to; at++) await reportProgress(ctx, at, to, `${at} of ${to}`);
    await ctx.mcpReq.log('info', { counted: to }, 'counter');
    await ctx.mcpReq.log('debug', 'below the requested level');
    return textResult(`counted to ${to}`);
  });
  mcp.registerTool('wait', {}, async (ctx) => {
    await reportProgress(ctx, 1);
    return new Promise((resolve) => {
      ctx.mcpReq.signal.addEventListener('abort', () => {
        aborted++;
        resolve(textResult('aborted'));
      });
    });
  });
  mcp.registerTool('aborted', {}, () => textResult(String(aborted)));
}

function addRequestingTools(mcp) {
  const person = z.object({ name: z.string() });
  mcp.registerTool('greet', {}, ({ mcpReq }) => {
    const who = inputResponse(mcpReq.inputResponses, 'who');
    if (who.kind === 'missing') {
      const elicitation = inputRequired.elicit({ message: 'Who are you?', requestedSchema: person });
      return inputRequired({ inputRequests: { who: elicitation } });
    }
    const content = acceptedContent(mcpReq.inputResponses, 'who', person);
    return textResult(content === undefined ? who.action : `Hello, ${content.name}`);
  });
  mcp.registerTool('think', {}, ({ mcpReq }) => {
    const thought = inputResponse(mcpReq.inputResponses, 'thought');
    const messages = [{ role: 'user', content: { type: 'text', text: 'What now?' } }];
    return thought.kind === 'sampling'
      ? textResult(`${thought.result.model}: ${thought.result.content.text}`)
      : inputRequired({ inputRequests: { thought: inputRequired.createMessage({ messages, maxTokens: 10 }) } });
  });
  mcp.registerTool('where', {}, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'roots');
    return answer.kind === 'roots'
      ? textResult(answer.roots.map(({ uri }) => uri).join())
      : inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
  });
}

function addChangingTools(mcp) {
  mcp.registerTool('write', { inputSchema: z.object({ text: z.string() }) }, async ({ text }) => {
    note = text;
    await mcp.server.sendResourceUpdated({ uri: 'note://one' });
    return textResult('written');
  });
  mcp.registerTool('grow', {}, () => {
    mcp.registerTool('grown', {}, () => textResult('new'));
    mcp.registerPrompt('grown', {}, () => ({ messages: [] }));
    mcp.registerResource('grown', 'note://grown', {}, (uri) => ({ contents: [{ uri: uri.href, text: 'new' }] }));
    return textResult('grown');
  });
}

function addResourcesAndPrompts(mcp) {
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
    { description: 'A plan', argsSchema: z.object({ city: completable(z.string(), beginsWith) }) },
    ({ city }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Plan a day in ${city}` } }] }),
  );
}

console.error(`started ${process.pid}`);
const build = () => {
  const mcp = new McpServer(
    { name: 'rich', version: '1.0.0' },
    {
      instructions: 'Try everything.',
      capabilities: {
        logging: {},
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
      },
    },
  );
  addPlainTools(mcp);
  addRequestingTools(mcp);
  addChangingTools(mcp);
  addResourcesAndPrompts(mcp);
  mcp.server.setRequestHandler('resources/subscribe', () => ({}));
  mcp.server.setRequestHandler('resources/unsubscribe', () => ({}));
  return mcp;
};

if (!process.argv.includes('--http')) serveStdio(build);
else (await import('./v2-http.mjs')).serveBoth(build);
