/** The calls that a fake model makes in every framework, and what it gets for them. */
import { createServer, tool } from 'tenon';
import { createToolkit, type Toolkit } from 'tenon/agents';
import { createHost } from 'tenon/host';
import { z } from 'zod';
import { type Samples, sampleServers } from '../sample-host.ts';

/** A call as a model makes it. */
export interface Made {
  readonly id: string;
  readonly name: string;
  readonly args: Record<string, unknown>;
}

const steps: ReadonlyArray<readonly [kind: string, name: string, args: Record<string, unknown>]> = [
  ['text', 'files__read', { path: 'notes.txt' }],
  ['image', 'files__picture', {}],
  ['tool error', 'mail__fail', {}],
  ['denied', 'mail__remove', {}],
  ['elicitation', 'mail__book', {}],
  ['large', 'files__long', {}],
  ['search', 'find_tools', { query: 'delete an invoice', limit: 1 }],
  ['found', 'shop__delete_invoice', { id: '7' }],
];

/** A model that makes one call after another. */
export interface Play {
  /** What the model got, by the kind of call, as JSON. */
  readonly seen: Record<string, string>;
  /** The names of the tools that the model could call in its last step. */
  offered: readonly string[];
  /** The next call, or nothing at the end. `result` is what the model got for the one before. */
  next(result: unknown, offered: readonly string[]): Made | undefined;
}

export function createPlay(): Play {
  const play: Play = { seen: {}, offered: [], next };
  let at = -1;
  function next(result: unknown, offered: readonly string[]): Made | undefined {
    const before = steps[at];
    if (before !== undefined) play.seen[before[0]] = JSON.stringify(result) ?? 'nothing';
    play.offered = offered;
    const [, name, args] = steps[++at] ?? [];
    if (name === undefined || args === undefined) return undefined;
    const id = `call_${at}`;
    const isOffered = offered.includes(name) || !offered.includes('call_tool');
    return isOffered ? { id, name, args } : { id, name: 'call_tool', args: { name, arguments: args } };
  }
  return play;
}

/** A model that calls the slow tool, and is aborted then. */
export const slow: Made = { id: 'call_slow', name: 'files__slow', args: {} };

/** The sample servers, and one with more tools than the budget has room for. */
export function createStage(): { kit: Toolkit; samples: Samples; close(): Promise<void> } {
  const { samples, servers } = sampleServers();
  const things = ['invoice', 'customer', 'order', 'branch', 'issue', 'release', 'member', 'label'];
  const verbs = ['create', 'list', 'update', 'delete', 'export'];
  const tools = Object.fromEntries(
    things.flatMap((thing) =>
      verbs.map((verb) => [
        `${verb}_${thing}`,
        tool(
          { description: `Can ${verb} one ${thing}`, inputSchema: z.object({ id: z.string() }) },
          ({ id }) => `${verb}d ${thing} ${id}`,
        ),
      ]),
    ),
  );
  const host = createHost({
    servers: { ...servers, shop: createServer({ name: 'shop', version: '1.0.0', tools }) },
    consent: { tool: ({ tool }) => (tool === 'remove' ? { deny: 'deleting is off' } : 'allow') },
    elicit: () => ({ action: 'accept', content: { time: '8 pm' } }),
  });
  const kit = createToolkit(host, {
    context: { maxTokens: 1500, pinned: ({ server }) => server !== 'shop' },
    results: { maxChars: 4000 },
  });
  return { kit, samples, close: () => kit.close().then(() => host.close()) };
}

/** Runs a framework with the slow tool, aborts it when the tool runs, and resolves when the tool has noticed. */
export async function abortWhenRunning(
  samples: Samples,
  run: (signal: AbortSignal) => Promise<unknown>,
): Promise<string> {
  const abort = new AbortController();
  const noticed = new Promise<string>((resolve) => {
    samples.onSlow = (signal) => {
      signal.addEventListener('abort', () => resolve('the handler was aborted'));
      abort.abort(new Error('stop'));
    };
  });
  const ran = run(abort.signal).catch(() => {});
  const result = await noticed;
  await ran;
  return result;
}

/** Prints what the model got. */
export function report(play: Play, aborted: string): void {
  console.log(JSON.stringify({ ...play.seen, aborted, offered: play.offered.length }));
}
