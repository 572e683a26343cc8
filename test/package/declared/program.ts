/** A program that exports values from each entry point without type annotations. */
import {
  type CallOutcome,
  type ConnectTarget,
  connect,
  content,
  createClient,
  createServer,
  inputRequired,
  type MiddlewareCall,
  prompt,
  promptResult,
  resource,
  resourceTemplate,
  serveHttp,
  serveStdio,
  toFetchHandler,
  toNodeHandler,
  tool,
  toolResult,
} from 'tenon';
import { protect } from 'tenon/auth';
import type { SendTraced, TelemetryRequest } from 'tenon/client';
import { createSharedCache, toModelContent, toParts } from 'tenon/client';
import { defineExtension, defineMethod, defineNotification, serveExtension, useExtension } from 'tenon/extensions';
import { createHost, type HostOptions, type ToolRequest } from 'tenon/host';
import { fromJsonSchema } from 'tenon/json-schema';
import type { AcceptOptions } from 'tenon/server';
import { createSkillsClient, readSkillsFolder, serveSkills, skillsExtension } from 'tenon/skills';
import { createMemoryStore } from 'tenon/store';
import { clientTelemetry, serverTelemetry } from 'tenon/telemetry';
import { createTestConnection, eachProtocolVersion } from 'tenon/test';
import { createMemoryTransports } from 'tenon/transport';
import { z } from 'zod';

const inputSchema = z.object({ city: z.string(), days: z.number().optional() });

export const lookUp = tool({ description: 'Looks up', inputSchema }, ({ city }) => city);
export const structured = tool({ inputSchema, outputSchema: z.object({ sum: z.number() }) }, () => ({ sum: 3 }));
export const whole = tool({}, () => toolResult({ content: [{ type: 'text', text: 'a' }], isError: true }));
export const blocks = tool({}, () => content({ type: 'text', text: 'a' }));
export const requesting = tool({}, async (_, ctx) => {
  const given = await ctx.elicit('day', { message: 'Which day?', schema: z.object({ day: z.string() }) });
  return given.action === 'accept' ? given.content.day : 'no day';
});
export const planned = fromJsonSchema({ type: 'object', properties: { a: { type: 'string' } } });
export const greeting = prompt({ argsSchema: z.object({ name: z.string() }) }, ({ name }) => `Greet ${name}`);
export const wholePrompt = prompt({}, () => promptResult({ messages: [] }));
export const notes = resource({ name: 'notes' }, () => 'text');
export const note = resourceTemplate({ name: 'note' }, () => 'text');

export const server = createServer({
  name: 'declared',
  version: '1.0.0',
  tools: { lookUp, structured, whole, requesting },
  resources: { 'notes://all': notes },
  resourceTemplates: { 'notes://{id}': note },
  prompts: { greeting, wholePrompt },
});
export const copied = { ...lookUp, options: { ...lookUp.options, title: 'Look up' } };
export const copies = [{ ...greeting }, { ...notes }, { ...note }];
export const accepting = (options: AcceptOptions): AcceptOptions => ({ ...options, strict: true });
export const mounted = createServer({ name: 'outer', version: '1.0.0', mounts: { inner: server } });
export const { features } = server;
export const handler = toFetchHandler(server);
export const nodeHandler = toNodeHandler(server);
export const middleware = (call: MiddlewareCall, next: () => Promise<CallOutcome>) =>
  call.ctx.finished ? next() : next();
export const paramsOf = (call: MiddlewareCall) => call.params;
export const copyingMiddleware = async (_: MiddlewareCall, next: () => Promise<CallOutcome>) => ({ ...(await next()) });
export const guarded = createServer({ name: 'guarded', version: '1.0.0' }, { middleware: [middleware] });
export const service = await serveHttp(server);
export const serving = (...given: Parameters<typeof serveHttp>) => serveHttp(...given);
export const stdio = serveStdio(server);
export const required = inputRequired;

export const client = await connect('http://localhost:3000/mcp');
export const typed = await connect<typeof server>('http://localhost:3000/mcp');
export const inProcess = await connect(server);
export const unconnected = createClient('http://localhost:3000/mcp');
export const listed = await client.tools.list();
export const { tools, resources, prompts } = typed;
export const { call } = client.tools;
export const requested = await client.request('tools/list', {});
export const withoutCommand = (target: ConnectTarget) =>
  typeof target === 'object' && 'command' in target ? undefined : target;
export const called = await typed.tools.call('structured', { city: 'Bern' });
export const completed = await client.complete({ type: 'ref/prompt', name: 'greeting' }, { name: 'name', value: 'A' });
export const subscription = await client.subscribe({});
export const parts = toParts(await client.tools.call('whole'));
export const forModel = toModelContent(await client.tools.call('whole'));
export const cache = createSharedCache();

export const traced = serverTelemetry();
export const tracedClient = clientTelemetry();
export const protection = protect({ issuer: 'https://id.example', resource: 'https://mcp.example/mcp' });
export const onSent = (sent: Parameters<SendTraced>[1]) => sent;
export const timed = async (request: TelemetryRequest, send: SendTraced) => send({ ...request.params }, () => {});
export const store = createMemoryStore();
export const [here, there] = createMemoryTransports();
export const host = createHost({ servers: {} });
export const hostTools = await host.tools.list();
export const argumentsOf = (request: ToolRequest) => request.arguments;
export const consent = { tool: (request: ToolRequest) => ({ edit: request.arguments }) };
export const limitsOf = (options: HostOptions): HostOptions['limits'] => options.limits;
export const withServers = (options: HostOptions): HostOptions => ({ ...options, servers: {} });
export const open = (...given: Parameters<typeof createTestConnection>) => createTestConnection(...given);
export const everywhere = eachProtocolVersion;

export const hello = defineMethod('greetings/hello', {
  params: z.object({ name: z.string() }),
  result: z.object({ text: z.string() }),
});
export const waved = defineNotification('notifications/greetings/waved', { from: 'server', params: z.object({}) });
export const greetings = defineExtension('com.example/greetings', { methods: { hello }, notifications: { waved } });
export const served = serveExtension(greetings, { methods: { hello: ({ name }) => ({ text: name }) } });
export const copiedExtension = { ...served };
export const used = useExtension(greetings, {});
export const skills = serveSkills(await readSkillsFolder('skills'));
export const skillsClient = createSkillsClient(client, { serverLabel: 'declared' });
export const contract = skillsExtension;
