/** A server with a tool for each thing that crosses a gateway, and all that a client sees of it. */
import {
  type Client,
  type ConnectOptions,
  createServer,
  prompt,
  promptResult,
  RpcError,
  resource,
  resourceTemplate,
  type Server,
  type ServerOptions,
  tool,
  toolResult,
} from 'tenon';
import { z } from 'zod';
import { createDeferred } from '../../src/lib/values/deferred.ts';
import { isSession, isSince } from '../kit/version-order.ts';

/** What a server has done. */
export interface Ledger {
  /** The tools whose handler has begun, as often as it has. */
  readonly begun: string[];
  readonly aborted: ReturnType<typeof createDeferred<string>>;
  readonly waiting: ReturnType<typeof createDeferred<void>>;
}

export const newLedger = (): Ledger => ({ begun: [], aborted: createDeferred(), waiting: createDeferred() });

const nameForm = z.object({ name: z.string() });

export function upstreamServer(ledger: Ledger = newLedger(), options: ServerOptions = {}): Server {
  return createServer(
    {
      name: 'upstream',
      version: '1.0.0',
      instructions: 'Greet first.',
      tools: {
        echo: tool(
          {
            title: 'Echo',
            description: 'Returns the text',
            inputSchema: z.object({ text: z.string() }),
            annotations: { readOnlyHint: true },
          },
          ({ text }, ctx) => {
            ctx.reportProgress(1, 2, 'half');
            ctx.log('warning', { text }, 'echo');
            return toolResult({ content: [{ type: 'text', text }], _meta: { 'com.example/vendor': 1 } });
          },
        ),
        meta: tool({}, (_args, ctx) => JSON.stringify(Object.keys(ctx.meta).filter((key) => key.includes('example')))),
        key: tool({}, (_args, ctx) => String(ctx.meta['dev.tenon/idempotency-key'])),
        fail: tool({}, () => {
          throw new RpcError(1001, 'Own error', { more: 1 });
        }),
        broken: tool({}, () => toolResult({ content: [{ type: 'text', text: 'no' }], isError: true })),
        greet: tool({}, async (_args, ctx) => {
          ledger.begun.push('greet');
          const first = await ctx.elicit('who', { message: 'Who?', schema: nameForm });
          const second = await ctx.elicit('again', { message: 'And who else?', schema: nameForm });
          return JSON.stringify([first, second]);
        }),
        open: tool({}, async (_args, ctx) => {
          ledger.begun.push('open');
          const { action } = await ctx.elicit('page', { message: 'Sign in', url: 'https://example.com/sign-in' });
          ctx.completeElicitation('page');
          return action;
        }),
        think: tool({}, async (_args, ctx) => {
          const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Two plus two?' } }];
          const sampled = await ctx.sample('sum', { messages, maxTokens: 9 });
          return JSON.stringify(sampled.content);
        }),
        roots: tool({}, async (_args, ctx) => JSON.stringify(await ctx.listRoots())),
        wait: tool({}, async (_args, ctx) => {
          ledger.waiting.resolve();
          await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve(), { once: true }));
          ledger.aborted.resolve(String(ctx.signal.reason));
          return 'aborted';
        }),
      },
      prompts: {
        plan: prompt({ argsSchema: z.object({ city: z.string() }), complete: { city: () => ['Oslo'] } }, ({ city }) =>
          promptResult({ description: 'A plan', messages: [{ role: 'user', content: { type: 'text', text: city } }] }),
        ),
      },
      resources: {
        'notes://one': resource({ mimeType: 'text/plain' }, () => 'first'),
        'ui://page': resource({ mimeType: 'text/html' }, () => '<p>page</p>'),
      },
      resourceTemplates: {
        'notes://days/{day}': resourceTemplate({ complete: { day: () => ['monday'] } }, ({ day }) => day),
      },
    },
    options,
  ) as Server;
}

/** What the client was asked, and its answers. */
export const answering = (seen: unknown[], version: string): ConnectOptions => ({
  handlers: {
    ...(isSince(version, '2025-06-18') && {
      elicitForm: (request) => {
        seen.push(['form', request]);
        return { action: 'accept', content: { name: 'Ada' } };
      },
    }),
    ...(isSince(version, '2025-11-25') && {
      elicitUrl: ({ elicitationId, ...request }) => {
        seen.push(['url', request, typeof elicitationId]);
        return { action: 'accept' };
      },
      onElicitationComplete: ({ url }) => void seen.push(['complete', url]),
    }),
    sample: (request) => {
      seen.push(['sample', request]);
      return { model: 'm', role: 'assistant', content: { type: 'text', text: '4' } };
    },
    roots: [{ uri: 'file:///work', name: 'Work' }],
  },
  onLog: (entry) => void seen.push(['log', entry]),
});

/** An error as its receiver sees it. */
const shown = ({ code, message, data, reason }: RpcError): unknown => ({ code, message, data, reason });

/** All that a client sees of a server, in order. `uri` and `name` are for servers that show other ones. */
export async function transcriptOf(client: Client, seen: unknown[]): Promise<unknown[]> {
  const version = client.protocolVersion;
  const { tools, prompts, resources } = client;
  seen.push(await tools.list().all(), await prompts.list().all());
  seen.push(await resources.list().all(), await resources.listTemplates().all());
  const call = async (name: string, args = {}, options = {}): Promise<void> => {
    seen.push([name, await tools.call(name, args, options).catch(shown)]);
  };
  const onProgress = (update: unknown): void => void seen.push(['progress', update]);
  await call('echo', { text: 'hi' }, { onProgress, ...(!isSession(version) && { logLevel: 'debug' }) });
  await call('echo', { text: 1 });
  await call('meta', {}, { meta: { 'com.example/trace': 'a' } });
  for (const name of ['fail', 'broken', 'nowhere', 'think', 'roots']) await call(name);
  if (isSince(version, '2025-06-18')) await call('greet');
  if (isSince(version, '2025-11-25')) await call('open');
  seen.push(await prompts.get('plan', { city: 'Oslo' }), await prompts.get('plan', {}).catch(shown));
  seen.push(await client.complete({ type: 'ref/prompt', name: 'plan' }, { name: 'city', value: '' }));
  const template = { type: 'ref/resource' as const, uri: 'notes://days/{day}' };
  seen.push(await client.complete(template, { name: 'day', value: 'm' }));
  for (const uri of ['notes://one', 'notes://days/monday', 'notes://none'])
    seen.push(await resources.read(uri).catch(shown));
  return seen;
}
