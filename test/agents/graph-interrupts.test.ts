/** Interrupts inside a graph of LangGraph: its nodes run again from their beginning, and answers come in order. */
import { createServer, tool } from 'tenon';
import { createToolkit, type LangGraphInterrupt, type Toolkit, type ToolkitEvent, toLangChain } from 'tenon/agents';
import { createHost } from 'tenon/host';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';

/** What a graph of LangGraph does: `interrupt` returns the answers that were given so far, then throws. */
class Paused extends Error {
  readonly value: LangGraphInterrupt;

  constructor(value: LangGraphInterrupt) {
    super('paused');
    this.value = value;
  }
}

type Made = { readonly name: string; readonly run: (args: unknown, config: object) => Promise<unknown> };
type Call = readonly [name: string, id: string, args: object];

/** A message of a tool, as far as it is read here. */
class Text {
  readonly text: string;
  constructor({ content }: { content: { text: string }[] }) {
    this.text = content.map(({ text }) => text).join('');
  }
}

/** One node that runs all calls at the same time, as `ToolNode` does. */
function graphOf(kit: () => Toolkit, calls: readonly Call[], node = 'tools:1') {
  const answers: unknown[] = [];
  let at = -1;
  const interrupt = (value: LangGraphInterrupt): unknown => {
    at++;
    if (at < answers.length) return answers[at];
    throw new Paused(value);
  };
  /** The texts of the calls, or what the graph is interrupted with. */
  return async (answer?: unknown): Promise<string[] | LangGraphInterrupt> => {
    if (answer !== undefined) answers.push(answer);
    at = -1;
    const tools = await toLangChain<Made>(kit(), {
      tool: (run, { name }) => ({ name, run }),
      ToolMessage: Text as never,
      interrupt,
    });
    const configurable = { checkpoint_ns: node, __pregel_scratchpad: {} };
    const runs = calls.map(([name, id, args]) =>
      tools.find((one) => one.name === name)?.run(args, { toolCall: { id }, configurable }),
    );
    const ended = await Promise.allSettled(runs);
    const failed = ended.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
    if (failed?.reason instanceof Paused) return failed.reason.value;
    if (failed !== undefined) throw failed.reason;
    return ended.map((one) => (one as PromiseFulfilledResult<{ text: string }>).value.text);
  };
}

function stage() {
  const ran: string[] = [];
  /** The IDs of the calls that reached the toolkit. */
  const made: string[] = [];
  const server = createServer(
    {
      name: 'shop',
      version: '1.0.0',
      tools: {
        look: tool({ description: 'Looks', annotations: { readOnlyHint: true } }, () => {
          ran.push('look');
          return 'seen';
        }),
        order: tool({ description: 'Orders', inputSchema: z.object({ item: z.string() }) }, ({ item }) => {
          ran.push(item);
          return `Ordered ${item}`;
        }),
        book: tool({ description: 'Books' }, async (_args: unknown, ctx) => {
          const when = await ctx.elicit('time', { message: 'When?', schema: z.object({ time: z.string() }) });
          ran.push('book');
          return `Booked at ${when.action === 'accept' ? when.content.time : 'no time'}`;
        }),
      },
    },
    { secrets: ['a secret of thirty-two characters'] },
  );
  const host = createHost({ servers: { shop: server }, elicit: () => ({ action: 'cancel' }) });
  const makeKit = (): Toolkit => {
    const onEvent = (event: ToolkitEvent): unknown => event.type === 'call' && made.push(event.callId);
    const kit = createToolkit(host, { interrupts: 'return', id: 'conversation', onEvent });
    onTestFinished(() => kit.close());
    return kit;
  };
  onTestFinished(() => host.close());
  const kit = makeKit();
  return { ran, made, kit: () => kit, makeKit };
}
const order: Call = ['shop__order', 'call-1', { item: 'tea' }];
const book: Call = ['shop__book', 'call-2', {}];
const allow = (callId: string) => ({ callId, decision: 'allow' });
const time = { action: 'accept', content: { time: '8 pm' } };
const interrupted = (one: string[] | LangGraphInterrupt): LangGraphInterrupt => {
  if (Array.isArray(one)) throw new Error(`not interrupted: ${one.join()}`);
  return one;
};

describe('a call that needs a person', () => {
  it('interrupts its node, and is made once when the node runs again with the answer', async () => {
    const { ran, made, kit } = stage();
    const run = graphOf(kit, [order]);
    expect(await run()).toMatchObject({ kind: 'consent', call: { id: 'call-1' } });
    expect(ran).toEqual([]);
    expect(await run(allow('call-1'))).toEqual(['Ordered tea']);
    // A later interrupt of the same node runs it once more. Not every server knows the keys of calls.
    expect(await run()).toEqual(['Ordered tea']);
    expect([ran, made]).toEqual([['tea'], ['call-1']]);
  });

  it('is not held up by one that comes late, from an attempt that was interrupted', async () => {
    const { kit } = stage();
    const tools = await toLangChain<Made>(kit(), {
      tool: (run, { name }) => ({ name, run }),
      ToolMessage: Text as never,
      interrupt: (value) => {
        throw new Paused(value);
      },
    });
    const call = ([name, id, args]: Call, attempt: object) =>
      tools
        .find((one) => one.name === name)
        ?.run(args, { toolCall: { id }, configurable: { checkpoint_ns: 'tools:1', __pregel_scratchpad: attempt } })
        .catch((reason: Paused) => reason.value.call.id);
    const first = {};
    expect(await call(order, first)).toBe('call-1');
    expect(await Promise.all([call(book, first), call(order, {})])).toEqual(['call-1', 'call-1']);
  });

  it('asks one thing after another', async () => {
    const { ran, kit } = stage();
    const run = graphOf(kit, [book]);
    expect(await run()).toMatchObject({ kind: 'consent' });
    const asked = interrupted(await run(allow('call-2')));
    expect(asked).toMatchObject({ kind: 'elicitation', requests: expect.anything() });
    const [key = ''] = Object.keys(asked.requests ?? {});
    expect(await run({ callId: 'call-2', answers: { [key]: time } })).toEqual(['Booked at 8 pm']);
    expect(ran).toEqual(['book']);
  });

  it('gets a result that says so if it was denied', async () => {
    const { ran, kit } = stage();
    const run = graphOf(kit, [order]);
    await run();
    expect(await run({ callId: 'call-1', decision: 'deny', reason: 'too much' })).toEqual([
      expect.stringContaining('did not allow shop__order: too much'),
    ]);
    expect(ran).toEqual([]);
  });

  it('interrupts again, with the reason, for an answer that does not fit', async () => {
    const { ran, kit } = stage();
    const run = graphOf(kit, [order]);
    await run();
    for (const wrong of [true, { decision: 'allow' }, { callId: 'call-1', decision: 'yes' }, allow('call-9')])
      expect(await run(wrong)).toMatchObject({ kind: 'consent', problem: expect.stringMatching(/answer/i) });
    expect(await run(allow('call-1'))).toEqual(['Ordered tea']);
    expect(ran).toEqual(['tea']);
  });
});

describe('several calls of one node', () => {
  it('get their own answers in the order of the calls, and none runs twice', async () => {
    const { ran, kit } = stage();
    const run = graphOf(kit, [['shop__look', 'call-0', {}], order, book]);
    expect(await run()).toMatchObject({ call: { id: 'call-0' } });
    expect(await run(allow('call-0'))).toMatchObject({ call: { id: 'call-1' } });
    expect(ran).toEqual(['look']);
    expect(await run(allow('call-1'))).toMatchObject({ kind: 'consent', call: { id: 'call-2' } });
    const asked = interrupted(await run(allow('call-2')));
    const answers = Object.fromEntries(Object.keys(asked.requests ?? {}).map((key) => [key, time]));
    expect(await run({ callId: 'call-2', answers })).toEqual(['seen', 'Ordered tea', 'Booked at 8 pm']);
    expect(ran).toEqual(['look', 'tea', 'book']);
  });

  it('do not take an answer that was given to another call', async () => {
    const { ran, kit } = stage();
    const two = graphOf(kit, [order, ['shop__order', 'call-3', { item: 'gold' }]]);
    await two();
    expect(await two(allow('call-3'))).toMatchObject({ call: { id: 'call-1' }, problem: expect.anything() });
    expect(ran).toEqual([]);
  });
});

it('another process makes the call again, and takes the answers that the graph has stored', async () => {
  const { ran, makeKit } = stage();
  const run = graphOf(makeKit, [book]);
  await run();
  const asked = interrupted(await run(allow('call-2')));
  const [key = ''] = Object.keys(asked.requests ?? {});
  expect(await run({ callId: 'call-2', answers: { [key]: time } })).toEqual(['Booked at 8 pm']);
  expect(ran).toEqual(['book']);
});
