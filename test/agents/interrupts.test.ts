/** Calls that return instead of waiting: consent, elicitation and tasks as values that can be resumed. */
import { createServer, ToolError, tool } from 'tenon';
import { createToolkit, type Interrupt, type ToolkitOptions, type ToolOutcome } from 'tenon/agents';
import { createApprovals, createPolicy, guard } from 'tenon/guard';
import { createHost, type HostOptions } from 'tenon/host';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { deferred } from '../kit/deferred.ts';

const secrets = ['a secret of thirty-two characters'];

/** A server that asks, a host whose hooks never answer, and a toolkit that returns. */
function stage(options: Partial<HostOptions> = {}, kitOptions: ToolkitOptions = {}) {
  const ran: unknown[] = [];
  const server = createServer(
    {
      name: 'shop',
      version: '1.0.0',
      tools: {
        order: tool({ description: 'Orders', inputSchema: z.object({ item: z.string() }) }, ({ item }) => {
          ran.push(item);
          return `Ordered ${item}`;
        }),
        book: tool({ description: 'Books' }, async (_args: unknown, ctx) => {
          const when = await ctx.elicit('time', { message: 'When?', schema: z.object({ time: z.string() }) });
          if (when.action !== 'accept') throw new ToolError('nothing was booked');
          const who = await ctx.elicit('people', { message: 'How many?', schema: z.object({ people: z.number() }) });
          ran.push('book');
          return `Booked at ${when.content.time} for ${who.action === 'accept' ? who.content.people : 'none'}`;
        }),
        both: tool({ description: 'Asks two things at once' }, async (_args: unknown, ctx) => {
          const ask = (name: string) => ctx.elicit(name, { message: name, schema: z.object({ [name]: z.string() }) });
          const answers = await Promise.all([ask('time'), ask('place')]);
          return JSON.stringify(answers.map((answer) => answer.action === 'accept' && answer.content));
        }),
      },
    },
    { secrets },
  );
  const makeHost = () =>
    createHost({ servers: { shop: server }, elicit: () => expect.unreachable('the hook was called'), ...options });
  const kits: Array<ReturnType<typeof createToolkit>> = [];
  /** As another process would make it. */
  const makeKit = () => {
    const kit = createToolkit(makeHost(), { interrupts: 'return', id: 'conversation', secrets, ...kitOptions });
    kits.push(kit);
    return kit;
  };
  onTestFinished(async () => {
    for (const kit of kits) await kit.close();
  });
  return { ran, server, kit: makeKit(), makeKit };
}

function interruptOf(outcome: ToolOutcome): Interrupt {
  if (outcome.type !== 'interrupt') throw new Error(`no interrupt: ${outcome.text}`);
  // As it comes back from a browser.
  return JSON.parse(JSON.stringify(outcome.interrupt)) as Interrupt;
}
const textOf = (outcome: ToolOutcome): string => (outcome.type === 'result' ? outcome.text : outcome.interrupt.kind);
const order = { id: 'call-1', name: 'shop__order', arguments: { item: 'tea' } };
const book = { id: 'call-2', name: 'shop__book', arguments: {} };

describe('consent', () => {
  it('is an interrupt if no hook asks the user; nothing has run, and allowing it in another process runs it', async () => {
    const { kit, makeKit, ran } = stage();
    const interrupt = interruptOf(await kit.call(order));
    expect(interrupt).toMatchObject({ kind: 'consent', server: 'shop', call: order, durable: true });
    expect(ran).toEqual([]);
    expect(textOf(await makeKit().resume(interrupt, { decision: 'allow' }))).toBe('Ordered tea');
    expect(ran).toEqual(['tea']);
  });

  it('that is denied is an outcome with the reason', async () => {
    const { kit, ran } = stage();
    const outcome = await kit.resume(interruptOf(await kit.call(order)), { decision: 'deny', reason: 'too expensive' });
    expect(textOf(outcome)).toBe(
      'Denied: the user did not allow shop__order: too expensive. Do not repeat the call: ask the user, or go on without it.',
    );
    expect(ran).toEqual([]);
  });

  it('is used once', async () => {
    const { kit, ran } = stage();
    const interrupt = interruptOf(await kit.call(order));
    await kit.resume(interrupt, { decision: 'allow' });
    expect(textOf(await kit.resume(interrupt, { decision: 'allow' }))).toContain('was not continued');
    expect(ran).toEqual(['tea']);
  });

  it.each([
    ['other arguments', (one: Interrupt) => ({ ...one, call: { ...one.call, arguments: { item: 'gold' } } })],
    ['another call', (one: Interrupt) => ({ ...one, call: { ...one.call, id: 'call-9' } })],
    ['another tool', (one: Interrupt) => ({ ...one, call: { ...one.call, name: 'shop__book', arguments: {} } })],
    ['another kind', (one: Interrupt) => ({ ...one, kind: 'task' as const })],
    ['a changed seal', (one: Interrupt) => ({ ...one, sealed: `${one.sealed.slice(0, -2)}xx` })],
  ])('does not allow %s', async (_what, forge) => {
    const { kit, ran } = stage();
    const forged = forge(interruptOf(await kit.call(order)));
    const answer = forged.kind === 'task' ? { check: true as const } : { decision: 'allow' as const };
    expect(textOf(await kit.resume(forged, answer))).toContain('was not continued');
    expect(ran).toEqual([]);
  });

  it('is none any more when the tool has changed, although the seal is whole', async () => {
    const { kit, makeKit, server, ran } = stage();
    const interrupt = interruptOf(await kit.call(order));
    server.update(({ tools }) => {
      tools.order = tool(
        { description: 'Orders, and pays', inputSchema: z.object({ item: z.string() }) },
        () => 'paid',
      );
    });
    expect(textOf(await makeKit().resume(interrupt, { decision: 'allow' }))).toContain('was not continued');
    expect(ran).toEqual([]);
  });

  it('does not outweigh the policy, which decides again', async () => {
    let rule = 'ask';
    const policy = (): unknown =>
      createPolicy(
        `version: 1\nrules:\n  - { id: all, allow: [list], to: any, on: any }\n  - { id: orders, ${rule}: [call], to: any, on: any }`,
      );
    const { kit } = stage({ policy: policy() as never });
    const interrupt = interruptOf(await kit.call(order));
    rule = 'deny';
    const later = stage({ policy: policy() as never });
    expect(textOf(await later.kit.resume(interrupt, { decision: 'allow' }))).toMatch(/^Denied: the rules of this user/);
    expect(later.ran).toEqual([]);
  });

  it('of one conversation is none of another', async () => {
    const { kit, ran } = stage();
    const interrupt = interruptOf(await kit.call(order));
    const other = stage({}, { id: 'another' });
    expect(textOf(await other.kit.resume(interrupt, { decision: 'allow' }))).toContain('was not continued');
    expect([ran, other.ran]).toEqual([[], []]);
  });

  it('of one user is none of another with a conversation of the same ID', async () => {
    const [ada, eve] = ['ada', 'eve'].map((principal) => stage({ principal }));
    const interrupt = interruptOf((await ada?.kit.call(order)) as ToolOutcome);
    expect(textOf((await eve?.kit.resume(interrupt, { decision: 'allow' })) as ToolOutcome)).toContain('not continued');
    expect(textOf((await ada?.makeKit().resume(interrupt, { decision: 'allow' })) as ToolOutcome)).toBe('Ordered tea');
    expect([ada?.ran, eve?.ran]).toEqual([['tea'], []]);
  });

  it('without secrets ends with the process', async () => {
    const { kit, makeKit } = stage({}, { secrets: undefined as never });
    const interrupt = interruptOf(await kit.call(order));
    expect(interrupt.durable).toBe(false);
    expect(textOf(await makeKit().resume(interrupt, { decision: 'allow' }))).toContain('was not continued');
  });

  it('that a hook gives is no interrupt', async () => {
    const { kit } = stage({ consent: { tool: () => 'allow' } });
    expect(textOf(await kit.call(order))).toBe('Ordered tea');
  });
});

describe.each([
  ['2026-07-28', true],
  ['2025-11-25', false],
] as const)('elicitation at %s', (version, durable) => {
  const options: Partial<HostOptions> = { consent: 'allow-all', connectOptions: { protocolVersions: [version] } };

  it(`is an interrupt with the request; its answer continues the call, durable: ${durable}`, async () => {
    const { kit, ran } = stage(options);
    const first = interruptOf(await kit.call(book));
    expect(first).toMatchObject({ kind: 'elicitation', durable });
    const [[key = '', request] = []] = Object.entries(first.requests ?? {});
    expect(request).toMatchObject({ method: 'elicitation/create', params: { message: 'When?' } });
    const time = { action: 'accept', content: { time: '8 pm' } };
    const second = interruptOf(await kit.resume(first, { answers: { [key]: time } }));
    const [[nextKey = '', next] = []] = Object.entries(second.requests ?? {});
    expect(next).toMatchObject({ params: { message: 'How many?' } });
    const people = { action: 'accept', content: { people: 2 } };
    expect(textOf(await kit.resume(second, { answers: { [nextKey]: people } }))).toBe('Booked at 8 pm for 2');
    expect(ran).toEqual(['book']);
  });

  it('that is declined reaches the server', async () => {
    const { kit } = stage(options);
    const first = interruptOf(await kit.call(book));
    const [key = ''] = Object.keys(first.requests ?? {});
    const outcome = await kit.resume(first, { answers: { [key]: { action: 'decline' } } });
    expect(outcome).toMatchObject({ isError: true, text: expect.stringContaining('nothing was booked') });
  });

  it('is not used up by an answer that does not fit its requests', async () => {
    const { kit } = stage(options);
    const first = interruptOf(await kit.call(book));
    const [key = ''] = Object.keys(first.requests ?? {});
    for (const wrong of [{}, { [key]: { action: 'yes' } }, { [key]: 'accept' }])
      await expect(kit.resume(first, { answers: wrong as never })).rejects.toMatchObject({ code: 'invalid-argument' });
    expect(textOf(await kit.resume(first, { answers: { [key]: { action: 'decline' } } }))).toContain(
      'nothing was booked',
    );
  });

  it('has every question, also if the server asks two at once', async () => {
    const { kit } = stage(options);
    const given = { time: '8 pm', place: 'here' };
    let outcome = await kit.call({ id: 'call-3', name: 'shop__both', arguments: {} });
    const asked: string[] = [];
    while (outcome.type === 'interrupt') {
      const requests = Object.entries(outcome.interrupt.requests ?? {}) as [string, { params: { message: string } }][];
      const answers = requests.map(([key, { params }]) => {
        asked.push(params.message);
        const name = params.message as keyof typeof given;
        return [key, { action: 'accept', content: { [name]: given[name] } }] as const;
      });
      outcome = await kit.resume(outcome.interrupt, { answers: Object.fromEntries(answers) });
    }
    expect(asked).toEqual(['time', 'place']);
    expect(outcome.text).toBe('[{"time":"8 pm"},{"place":"here"}]');
  });

  it('leaves other calls of the server running', async () => {
    const { kit } = stage(options);
    const outcomes = await kit.callAll([book, order]);
    expect(outcomes.map(textOf)).toEqual(['elicitation', 'Ordered tea']);
  });
});

it('an elicitation goes on in another process, after the consent of the first', async () => {
  const { kit, makeKit, ran } = stage();
  const consent = interruptOf(await kit.call(book));
  const first = interruptOf(await makeKit().resume(consent, { decision: 'allow' }));
  const [key = ''] = Object.keys(first.requests ?? {});
  const answer = { action: 'accept', content: { time: '8 pm' } };
  const second = interruptOf(await makeKit().resume(first, { answers: { [key]: answer } }));
  const [nextKey = ''] = Object.keys(second.requests ?? {});
  const people = { action: 'accept', content: { people: 3 } };
  expect(textOf(await makeKit().resume(second, { answers: { [nextKey]: people } }))).toBe('Booked at 8 pm for 3');
  expect(ran).toEqual(['book']);
});

it('a task is an interrupt until it has ended, and can be asked about from another process', async () => {
  const end = deferred();
  const server = createServer(
    {
      name: 'work',
      version: '1.0.0',
      tools: {
        long: tool({ description: 'Takes long', task: 'required' }, async () => {
          await end.promise;
          return 'done at last';
        }),
      },
    },
    { secrets },
  );
  const makeKit = () =>
    createToolkit(createHost({ servers: { server }, consent: 'allow-all' }), {
      interrupts: 'return',
      id: 'c',
      secrets,
    });
  await using kit = makeKit();
  await using other = makeKit();
  const started = interruptOf(await kit.call({ id: '1', name: 'server__long', arguments: {} }));
  expect(started).toMatchObject({ kind: 'task', durable: true });
  const running = interruptOf(await other.resume(started, { check: true }));
  end.resolve();
  let outcome: ToolOutcome = { type: 'interrupt', callId: '1', interrupt: running };
  while (outcome.type === 'interrupt') {
    await new Promise((resolve) => setImmediate(resolve));
    outcome = await other.resume(outcome.interrupt, { check: true });
  }
  expect(textOf(outcome)).toBe('done at last');
});

describe('a wrong use of interrupts throws:', () => {
  it.each([
    ['an answer of another kind', { answers: {} }],
    ['no decision', { decision: 'maybe' }],
    ['nothing', undefined],
  ])('%s', async (_what, answer) => {
    const { kit } = stage();
    const interrupt = interruptOf(await kit.call(order));
    await expect(kit.resume(interrupt, answer as never)).rejects.toMatchObject({ code: 'invalid-argument' });
    // The interrupt is not used up.
    expect(textOf(await kit.resume(interrupt, { decision: 'allow' }))).toBe('Ordered tea');
  });

  it.each([[[]], [['short']], [[...secrets, 'short']]])('the secrets %j', (wrong) => {
    const host = createHost({ servers: {} });
    expect(() => createToolkit(host, { secrets: wrong })).toThrow(/secrets must be a list of secrets of 32 characters/);
  });

  it('a toolkit that waits, and what is no interrupt', async () => {
    const { kit } = stage({}, { interrupts: 'wait' });
    expect(textOf(await kit.call(order))).toContain('Denied');
    const interrupt = { kind: 'consent', server: 'shop', call: order, durable: false, sealed: 'x' } as const;
    await expect(kit.resume(interrupt, { decision: 'allow' })).rejects.toThrow(/interrupts: 'return'/);
    await expect(kit.resume({} as never, { decision: 'allow' })).rejects.toThrow(/interrupt must be/);
  });
});

describe('an approval of another person', () => {
  const rules = `
version: 1
rules:
  - { id: open, allow: [list, call, elicit], to: any, on: any }
  - { id: ops, ask: [call], to: any, on: { tool: order }, approver: { role: ops } }
`;
  const grace = { issuer: 'https://id.example.com', subject: 'grace', roles: ['ops'] };

  it('that the policy of the host asks for is an interrupt, and checking it sends the call once it is given', async () => {
    const approvals = createApprovals();
    const policy = createPolicy(rules);
    const { kit, makeKit, ran } = stage({ policy, approvals, consent: { tool: () => 'allow' } });
    const interrupt = interruptOf(await kit.call(order));
    expect(interrupt).toMatchObject({
      kind: 'approval',
      server: 'shop',
      durable: true,
      approval: { id: expect.any(String) },
    });
    expect(interrupt.expiresAt).toBe(interrupt.approval?.expiresAt);
    await expect(kit.resume(interrupt, { decision: 'allow' })).rejects.toMatchObject({ code: 'invalid-argument' });
    const still = interruptOf(await kit.resume(interrupt, { check: true }));
    expect(still.approval?.id).toBe(interrupt.approval?.id);
    await approvals.decide(String(still.approval?.id), 'approve', grace);
    expect(textOf(await makeKit().resume(still, { check: true }))).toBe('Ordered tea');
    expect(ran).toEqual(['tea']);
  });

  it('that the server asks for is one as well', async () => {
    const guarded = guard({ policy: createPolicy(rules), approvals: { waitMs: 0 } });
    const ran: string[] = [];
    const order = tool({ inputSchema: z.object({ item: z.string() }) }, ({ item }) => {
      ran.push(item);
      return `Ordered ${item}`;
    });
    const server = createServer({ name: 'shop', version: '1', tools: { order } }, { guard: guarded });
    const host = createHost({ servers: { shop: server }, consent: 'allow-all' });
    await using kit = createToolkit(host, { interrupts: 'return', secrets });
    const call = { id: 'call-1', name: 'shop__order', arguments: { item: 'tea' } };
    const interrupt = interruptOf(await kit.call(call));
    expect(interrupt).toMatchObject({ kind: 'approval', approval: { id: expect.any(String) } });
    await guarded.approvals.decide(String(interrupt.approval?.id), 'approve', grace);
    expect(textOf(await kit.resume(interrupt, { check: true }))).toBe('Ordered tea');
    expect(ran).toEqual(['tea']);
    await host.close();
  });

  it('is a text that a model can act on where calls wait', async () => {
    const approvals = createApprovals({ waitMs: 0 });
    const { kit } = stage(
      { policy: createPolicy(rules), approvals, consent: { tool: () => 'allow' } },
      { interrupts: 'wait' },
    );
    expect(textOf(await kit.call(order))).toBe(
      'shop__order was not called: another person has to approve exactly this call first. Go on without it, and call it again with the same arguments later.',
    );
  });
});
