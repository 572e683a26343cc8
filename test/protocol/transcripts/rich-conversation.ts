/** A server with every feature, and a conversation that uses all of them. */

import {
  type Client,
  connect,
  createServer,
  type ProtocolVersion,
  prompt,
  promptResult,
  resource,
  resourceTemplate,
  type Server,
  tool,
  toolResult,
  urlElicitationRequired,
} from 'tenon';
import { z } from 'zod';
import { type Line, recorded } from '../../kit/transport/recorded-connection.ts';

const icons = [{ src: 'https://example.com/a.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'dark' as const }];
const annotations = { audience: ['user' as const], priority: 0.5, lastModified: '2026-01-01T00:00:00Z' };
const _meta = { 'example.com/ours': 1 };
const labels = { title: 'A title', description: 'What it is', icons, _meta };
const text = (words: string) => ({ type: 'text' as const, text: words });

const whole = {
  content: [
    { ...text('words'), annotations, _meta },
    { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' },
    { type: 'audio' as const, data: 'AAAA', mimeType: 'audio/wav' },
    { type: 'resource_link' as const, uri: 'a://b', name: 'b', ...labels },
    { type: 'resource' as const, resource: { uri: 'a://b', text: 'inside', mimeType: 'text/plain' } },
  ],
  structuredContent: { celsius: 4 },
  _meta,
};

const tools = {
  measure: tool(
    {
      ...labels,
      annotations: { title: 'Measure', readOnlyHint: true },
      inputSchema: z.object({ city: z.string().describe('Where') }),
      outputSchema: z.object({ celsius: z.number() }),
    },
    ({ city }, ctx) => {
      ctx.log('debug', 'not sent');
      ctx.log('warning', { city }, 'measuring');
      ctx.reportProgress(1, 2, 'half way');
      ctx.reportProgress(2, 2);
      return toolResult(whole);
    },
  ),
  list: tool({ outputSchema: z.array(z.number()) }, () => [1, 2]),
  ask: tool({}, async (_given, ctx) => {
    const received: string[] = [];
    const schema = z.object({ name: z.string(), size: z.enum(['small', 'large']).default('small') });
    if (ctx.clientSupports('elicitation.form'))
      received.push((await ctx.elicit('form', { message: 'Who?', schema })).action);
    if (ctx.clientSupports('elicitation.url'))
      received.push(
        (await ctx.elicit('url', { message: 'Open', url: 'https://example.com', elicitationId: 'e1' })).action,
      );
    const messages = [{ role: 'user' as const, content: text('Hello?') }];
    if (ctx.clientSupports('sampling')) received.push((await ctx.sample('sample', { messages, maxTokens: 5 })).model);
    if (ctx.clientSupports('roots')) received.push(String((await ctx.listRoots()).length));
    return received.join(' ');
  }),
  broken: tool({}, () => {
    throw new Error('a secret');
  }),
};

/** A tool that requires a URL elicitation first. */
function blocked() {
  let opened = false;
  return tool({}, (_given, ctx) => {
    if (ctx.inputResponses.page !== undefined) return 'asked to open';
    if (opened) return 'opened';
    opened = ctx.clientSupports('elicitation.url');
    // The URL elicitation completes as soon as the client has received it.
    setTimeout(() => ctx.completeElicitation('page'), 0);
    return urlElicitationRequired({ page: { message: 'Open', url: 'https://example.com', elicitationId: 'e2' } });
  });
}

export const richServer = (): Server =>
  createServer(
    {
      name: 'rich',
      version: '1.0.0',
      title: 'Rich',
      description: 'All of it',
      websiteUrl: 'https://example.com',
      icons,
      instructions: 'Ask.',
      experimental: { ours: {} },
      pageSize: 3,
      cache: { ttlMs: 3_600_000, scope: 'public' },
      tools: { ...tools, blocked: blocked() },
      resources: {
        'a://b': resource({ name: 'b', ...labels, mimeType: 'text/plain', size: 4, annotations }, () => 'text'),
        'a://bytes': resource({ mimeType: 'image/png' }, () => new Uint8Array([1, 2, 255])),
      },
      resourceTemplates: {
        'w://{city}/now': resourceTemplate(
          { name: 'now', ...labels, annotations, complete: { city: () => ['oslo'] } },
          ({ city }) => `now in ${city}`,
        ),
      },
      prompts: {
        plan: prompt({ ...labels, argsSchema: z.object({ city: z.string().describe('Where') }) }, ({ city }) =>
          promptResult({
            description: 'A plan',
            messages: [...whole.content, text(city)].map((content) => ({ role: 'user', content })),
          }),
        ),
      },
    },
    { onError: () => {} },
  );

const ignore = (): void => {};

async function converse(client: Client, server: Server): Promise<void> {
  await client.tools.list().all();
  await client.resources.list().all();
  await client.resources.listTemplates().all();
  await client.prompts.list().all();
  await client.tools.call(
    'measure',
    { city: 'Oslo' },
    { onProgress: ignore, meta: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' } },
  );
  for (const name of ['list', 'ask', 'broken', 'blocked', 'nowhere', 'measure'])
    await client.tools.call(name).catch(ignore);
  for (const uri of ['a://b', 'a://bytes', 'w://oslo/now', 'a://nowhere'])
    await client.resources.read(uri).catch(ignore);
  await client.prompts.get('plan', { city: 'Oslo' });
  await client.prompts.get('nowhere').catch(ignore);
  await client.complete({ type: 'ref/resource', uri: 'w://{city}/now' }, { name: 'city', value: 'o' }, { a: 'b' });
  await client.ping().catch(ignore);
  await client.request('unheard/of').catch(ignore);
  const changes = await client.subscribe({
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
    resourceSubscriptions: ['a://b'],
  });
  server.update((draft) => {
    delete draft.tools.broken;
    delete draft.prompts.plan;
    delete draft.resources['a://bytes'];
  });
  server.sendResourceUpdated('a://b');
  await client.tools.list().all();
  await changes.close();
}

/** The transcript at one revision. Request state differs every time, so a placeholder replaces it. */
export async function richTranscript(revision: ProtocolVersion): Promise<Line[]> {
  const server = richServer();
  const lines: Line[] = [];
  const transport = recorded(server, (line) => void lines.push(line));
  const client = await connect(transport, {
    protocolVersions: [revision],
    clientInfo: { name: 'rich-client', version: '1.0.0', title: 'Rich client', icons },
    logLevel: 'info',
    handlers: {
      elicitForm: () => ({ action: 'accept', content: { name: 'Ada' } }),
      elicitUrl: () => ({ action: 'accept' }),
      sample: () => ({ role: 'assistant', model: 'm1', stopReason: 'endTurn', content: text('Hello.') }),
      samplingTools: true,
      roots: [{ uri: 'file:///a', name: 'a' }],
    },
  });
  await converse(client, server);
  await client.close();
  const withPlaceholder = (key: string, value: unknown): unknown => (key === 'requestState' ? '<sealed>' : value);
  return JSON.parse(JSON.stringify(lines, withPlaceholder));
}
