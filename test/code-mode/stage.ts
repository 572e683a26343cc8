/** A host with an audit log, a toolkit, and a model that runs scripts. */
import { createServer, ToolError, tool, toolResult } from 'tenon';
import { createToolkit, type ToolkitOptions, type ToolOutcome } from 'tenon/agents';
import { type CodeToolkitOptions, createCodeToolkit } from 'tenon/agents/code';
import { createHost, type HostAuditEvent, type HostOptions } from 'tenon/host';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

export interface Stage {
  readonly host?: Partial<HostOptions>;
  readonly kit?: ToolkitOptions;
  readonly code?: CodeToolkitOptions;
}

/** No script of a test is slow on purpose, but the machine may be. */
export const patient = { timeMs: 60_000 };

export function stage({ host: hostOptions, kit: kitOptions, code: codeOptions }: Stage = {}) {
  /** What ran on the servers, in order. */
  const ran: unknown[] = [];
  /** The records of the audit log of the host. */
  const audited: HostAuditEvent[] = [];
  const slow = { signal: undefined as AbortSignal | undefined, onStart: () => {} };
  const add = async (event: HostAuditEvent): Promise<void> => {
    audited.push(event);
  };
  const note = <T>(what: unknown, result: T): T => {
    ran.push(what);
    return result;
  };
  const shop = createServer(
    {
      name: 'shop',
      version: '1.0.0',
      tools: {
        order: tool({ description: 'Orders an item', inputSchema: z.object({ item: z.string() }) }, ({ item }) =>
          note(item, `Ordered ${item}`),
        ),
        stock: tool(
          {
            description: 'Lists what there is',
            outputSchema: z.object({ items: z.array(z.object({ name: z.string(), price: z.number() })) }),
            annotations: { readOnlyHint: true },
          },
          () =>
            toolResult({
              content: [{ type: 'text', text: 'see the structured content' }],
              structuredContent: {
                items: Array.from({ length: 5000 }, (_, n) => ({ name: `item ${n}`, price: n })),
              },
            }),
        ),
        echo: tool({ description: 'Answers with its arguments', inputSchema: z.looseObject({}) }, (args) =>
          note('echo', JSON.stringify(args)),
        ),
        long: tool({ description: 'Reads a long text', inputSchema: z.object({ chars: z.number() }) }, ({ chars }) =>
          note('long', 'x'.repeat(chars)),
        ),
        picture: tool({ description: 'Shows a picture' }, () =>
          toolResult({ content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] }),
        ),
        fail: tool({ description: 'Fails' }, () => {
          ran.push('fail');
          throw new ToolError('the shop is closed');
        }),
        slow: tool({ description: 'Waits until it is cancelled' }, (_args: unknown, ctx) => {
          slow.signal = ctx.signal;
          slow.onStart();
          return new Promise<string>((_resolve, reject) =>
            ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason as Error)),
          );
        }),
        book: tool({ description: 'Books a table' }, async (_args: unknown, ctx) => {
          const when = await ctx.elicit('time', { message: 'When?', schema: z.object({ time: z.string() }) });
          return note('book', when.action === 'accept' ? `Booked at ${when.content.time}` : 'Not booked');
        }),
        remove: tool({ description: 'Deletes everything' }, () => note('remove', 'Deleted')),
      },
    },
    { secrets: ['a secret of thirty-two characters'] },
  );
  const host = createHost({
    servers: { shop },
    consent: { tool: ({ tool: name }) => (name === 'remove' ? { deny: 'deleting is off' } : 'allow') },
    elicit: () => ({ action: 'accept', content: { time: '8 pm' } }),
    audit: { begin: add, append: add },
    ...hostOptions,
  });
  const kit = createToolkit(host, { id: 'conversation', ...kitOptions });
  const code = createCodeToolkit(kit, { ...codeOptions, limits: { ...patient, ...codeOptions?.limits } });
  onTestFinished(async () => {
    await code.close();
    await kit.close();
    await host.close();
  });
  let scripts = 0;
  const run = (script: string, signal?: AbortSignal): Promise<ToolOutcome> =>
    code.call({ id: `run-${++scripts}`, name: 'run_code', arguments: { script } }, signal && { signal });
  return { ran, audited, slow, host, kit, code, run };
}

export const textOf = (outcome: ToolOutcome): string =>
  outcome.type === 'result' ? outcome.text : `interrupt: ${outcome.interrupt.kind}`;
