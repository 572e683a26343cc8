/** A server over HTTP on a free port, with a tool for each behaviour to test. It closes at the end of the test. */

import {
  createServer,
  type HttpService,
  prompt,
  resource,
  type ServeHttpOptions,
  type Server,
  serveHttp,
  tool,
} from 'tenon';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { deferred } from '../deferred.ts';
import { forgetVersions } from './remembered-versions.ts';

/** What a test sees and controls of the handlers. */
export interface SampleInternals {
  readonly server: Server;
  /** Resolves when the handler of `wait` or `leave` runs. */
  readonly waits: Promise<void>;
  /** Lets that handler continue. */
  release(): void;
  /** Resolves with the reason when the handler of `wait` is aborted. */
  readonly aborted: Promise<unknown>;
  /** The warnings of the endpoint. */
  readonly warnings: Error[];
}

export interface Served extends SampleInternals {
  readonly url: string;
  readonly stats: HttpService['stats'];
  readonly revoke: HttpService['revoke'];
  close(): Promise<void>;
}

const headed = z.object({
  tenant: z.string().optional().meta({ 'x-mcp-header': 'Tenant' }),
  size: z.int().optional().meta({ 'x-mcp-header': 'Size' }),
  options: z.object({ dry: z.boolean().meta({ 'x-mcp-header': 'Dry-Run' }) }).optional(),
});

type Definition = Parameters<typeof createServer>[0];
type Options = Parameters<typeof createServer>[1];

export function sampleServer(options: Options = {}, more: Partial<Definition> = {}): Omit<SampleInternals, 'warnings'> {
  const started = deferred();
  const held = deferred();
  const left = deferred<unknown>();
  const server = createServer(
    {
      name: more.name ?? 'sample',
      version: '1',
      tools: {
        echo: tool({ inputSchema: z.object({ text: z.string() }) }, ({ text }) => text),
        headed: tool({ inputSchema: headed }, (given) => JSON.stringify(given)),
        count: tool({ inputSchema: z.object({ to: z.number() }) }, ({ to }, ctx) => {
          for (let at = 1; at <= to; at++) ctx.reportProgress(at, to);
          return `counted to ${to}`;
        }),
        /** Reports progress once, then waits. */
        wait: tool({}, async (_given, ctx) => {
          ctx.signal.addEventListener('abort', () => left.resolve(ctx.signal.reason));
          ctx.reportProgress(1);
          started.resolve();
          await held.promise;
          ctx.reportProgress(2);
          return 'waited';
        }),
        greet: tool({}, async (_given, ctx) => {
          const who = await ctx.elicit('who', { message: 'Who?', schema: z.object({ name: z.string() }) });
          return who.action === 'accept' ? `Hello, ${who.content.name}` : who.action;
        }),
        log: tool({}, (_given, ctx) => {
          ctx.log('info', 'something');
          return 'logged';
        }),
        /** Reports progress, waits, closes the stream, then returns. */
        leave: tool({}, async (_given, ctx) => {
          ctx.reportProgress(1);
          started.resolve();
          await held.promise;
          ctx.closeStream({ retryMs: 5 });
          return 'left';
        }),
        fail: tool({}, () => {
          throw new Error('a secret');
        }),
        ...more.tools,
      },
      resources: { 'note://one': resource({ name: 'one' }, () => 'first') },
      prompts: { plan: prompt({}, () => 'Plan') },
    },
    { onError: () => {}, ...options },
  );
  return { server, waits: started.promise, release: () => held.resolve(), aborted: left.promise };
}

export async function serve(
  options: ServeHttpOptions = {},
  serverOptions: Options = {},
  more: Partial<Definition> = {},
): Promise<Served> {
  const internals = sampleServer(serverOptions, more);
  const warnings: Error[] = [];
  const service = await serveHttp(internals.server, {
    port: 0,
    onWarning: (error) => warnings.push(error),
    ...options,
    timeouts: { shutdownMs: 2000, ...options.timeouts },
  });
  onTestFinished(async () => {
    internals.release();
    await service.close();
    forgetVersions();
  });
  const { url, stats, revoke } = service;
  return { ...internals, warnings, url, stats, revoke, close: () => service.close() };
}
