/** A host with a server for each kind of result, as agents meet them. */
import { createServer, ToolError, tool, toolResult } from 'tenon';
import { createHost, type HostOptions } from 'tenon/host';
import { z } from 'zod';

/** One red pixel. */
export const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

export interface Samples {
  /** The names of the tools that ran, in order. */
  readonly ran: string[];
  /** Called when the slow tool runs, with its signal. */
  onSlow: (signal: AbortSignal) => void;
}

export function sampleServers() {
  const samples: Samples = { ran: [], onSlow: () => {} };
  const note = <T>(name: string, result: T): T => {
    samples.ran.push(name);
    return result;
  };
  const files = createServer({
    name: 'files',
    version: '1.0.0',
    instructions: 'Read before you write.',
    tools: {
      read: tool(
        {
          description: 'Reads a file',
          inputSchema: z.object({ path: z.string() }),
          annotations: { readOnlyHint: true },
        },
        ({ path }) => note('read', `The text of ${path}`),
      ),
      long: tool({ description: 'Reads a long file' }, () => note('long', 'line\n'.repeat(10_000))),
      picture: tool({ description: 'Shows a picture' }, () =>
        note('picture', toolResult({ content: [{ type: 'image', data: png, mimeType: 'image/png' }] })),
      ),
      sound: tool({ description: 'Plays a sound' }, () =>
        note('sound', toolResult({ content: [{ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }] })),
      ),
      slow: tool({ description: 'Waits' }, (_args: unknown, ctx) => {
        samples.onSlow(ctx.signal);
        return new Promise<string>((_resolve, reject) =>
          ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason as Error)),
        );
      }),
    },
  });
  const mail = createServer({
    name: 'mail',
    version: '1.0.0',
    tools: {
      send: tool(
        { description: 'Sends a mail', inputSchema: z.object({ to: z.string(), copy: z.string().optional() }) },
        (args) => note('send', `Sent ${JSON.stringify(args)}`),
      ),
      remove: tool({ description: 'Deletes all mail' }, () => note('remove', 'Deleted')),
      fail: tool({ description: 'Fails' }, () => {
        throw new ToolError('The mailbox is full');
      }),
      book: tool({ description: 'Books a table' }, async (_args: unknown, ctx) => {
        const answer = await ctx.elicit('time', { message: 'When?', schema: z.object({ time: z.string() }) });
        return note('book', answer.action === 'accept' ? `Booked at ${answer.content.time}` : 'Not booked');
      }),
    },
  });
  return { samples, servers: { files, mail } };
}

/** Everything is allowed, except for deleting. */
export function sampleHost(options: Partial<HostOptions> = {}) {
  const { samples, servers } = sampleServers();
  const host = createHost({
    servers,
    consent: { tool: ({ tool }) => (tool === 'remove' ? { deny: 'deleting is off' } : 'allow') },
    elicit: () => ({ action: 'accept', content: { time: '8 pm' } }),
    ...options,
  });
  return { host, samples, servers };
}
