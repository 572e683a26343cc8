/** Scripts whose calls wait for people: the script is suspended, and the outcome is the interrupt of the call. */
import type { Interrupt, ToolOutcome } from 'tenon/agents';
import { createApprovals, createPolicy } from 'tenon/guard';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { stage, textOf } from './stage.ts';

const returning = { interrupts: 'return' as const, secrets: ['a secret of thirty-two characters'] };

function interruptOf(outcome: ToolOutcome): Interrupt {
  if (outcome.type !== 'interrupt') throw new Error(`no interrupt: ${outcome.text}`);
  // As it comes back from a browser.
  return JSON.parse(JSON.stringify(outcome.interrupt)) as Interrupt;
}

/** Without hooks: consent is an interrupt. */
const asking = () => stage({ kit: returning, host: { consent: {} } });
const orders =
  "const one = await tools.shop__order({ item: 'tea' }); const two = await tools.shop__order({ item: 'milk' }); return [one, two]";

describe('consent', () => {
  it('suspends a script at each call; allowing it continues the script', async () => {
    const { run, code, ran } = asking();
    const first = await run(orders);
    expect(first).toMatchObject({ callId: 'run-1', interrupt: { kind: 'consent', server: 'shop', durable: false } });
    expect(interruptOf(first).call).toEqual({ id: 'run-1/1', name: 'shop__order', arguments: { item: 'tea' } });
    expect(ran).toEqual([]);
    const second = await code.resume(interruptOf(first), { decision: 'allow' });
    expect(interruptOf(second).call).toEqual({ id: 'run-1/2', name: 'shop__order', arguments: { item: 'milk' } });
    expect(ran).toEqual(['tea']);
    const last = await code.resume(interruptOf(second), { decision: 'allow' });
    expect(last).toMatchObject({ callId: 'run-1', isError: false, text: '["Ordered tea","Ordered milk"]' });
    expect(ran).toEqual(['tea', 'milk']);
  });

  it('that is denied is an error in the script', async () => {
    const { run, code, ran } = asking();
    const first = await run("return await tools.shop__order({ item: 'tea' }).catch(({ message }) => message)");
    const outcome = await code.resume(interruptOf(first), { decision: 'deny', reason: 'too expensive' });
    expect(textOf(outcome)).toMatch(/^"Denied: the user did not allow shop__order: too expensive/);
    expect(ran).toEqual([]);
  });

  it('for calls at the same time is asked one after another', async () => {
    const { run, code, ran } = asking();
    let outcome = await run("return await Promise.all(['a', 'b', 'c'].map((item) => tools.shop__order({ item })))");
    for (const item of ['a', 'b', 'c']) {
      expect(interruptOf(outcome).call.arguments).toEqual({ item });
      outcome = await code.resume(interruptOf(outcome), { decision: 'allow' });
    }
    expect(textOf(outcome)).toBe('["Ordered a","Ordered b","Ordered c"]');
    expect(ran).toEqual(['a', 'b', 'c']);
  });

  it.each([
    ['another seal', (one: Interrupt) => ({ ...one, sealed: `${one.sealed.slice(0, -2)}xx` })],
    ['other arguments', (one: Interrupt) => ({ ...one, call: { ...one.call, arguments: { item: 'gold' } } })],
    ['another call of the script', (one: Interrupt) => ({ ...one, call: { ...one.call, id: 'run-1/2' } })],
  ])('does not continue a script by %s', async (_what, forge) => {
    const { run, code, ran } = asking();
    const first = await run(orders);
    expect(textOf(await code.resume(forge(interruptOf(first)), { decision: 'allow' }))).toContain('not continued');
    expect(ran).toEqual([]);
    expect(textOf(await code.resume(interruptOf(first), { decision: 'allow' }))).toBe('interrupt: consent');
  });

  it('is used once, also if it is answered twice at the same time', async () => {
    const { run, code, ran } = asking();
    const interrupt = interruptOf(await run("return await tools.shop__order({ item: 'tea' })"));
    const outcomes = await Promise.all([1, 2].map(() => code.resume(interrupt, { decision: 'allow' })));
    expect(outcomes.map(textOf).sort()[0]).toBe('"Ordered tea"');
    expect(outcomes.map(textOf).sort()[1]).toContain('not continued');
    expect(ran).toEqual(['tea']);
  });

  it('of a tool that scripts cannot call is resumed as in the toolkit, whatever the ID of its call is', async () => {
    const { code, ran } = stage({
      kit: returning,
      host: { consent: {} },
      code: { tools: ({ name }) => name !== 'shop__order' },
    });
    const outcome = await code.call({ id: 'call/1', name: 'shop__order', arguments: { item: 'tea' } });
    expect(textOf(await code.resume(interruptOf(outcome), { decision: 'allow' }))).toBe('Ordered tea');
    expect(ran).toEqual(['tea']);
  });

  it('of a script in another process is none: the thread is not there', async () => {
    const { run, ran } = asking();
    const interrupt = interruptOf(await run(orders));
    const other = asking();
    expect(textOf(await other.code.resume(interrupt, { decision: 'allow' }))).toContain('not continued');
    expect([ran, other.ran]).toEqual([[], []]);
  });

  it('is not used up by an answer that does not fit', async () => {
    const { run, code } = asking();
    const interrupt = interruptOf(await run("return await tools.shop__order({ item: 'tea' })"));
    await expect(code.resume(interrupt, { check: true })).rejects.toMatchObject({ code: 'invalid-argument' });
    expect(textOf(await code.resume(interrupt, { decision: 'allow' }))).toBe('"Ordered tea"');
  });

  it('for a call that was not awaited comes before the result', async () => {
    const { run, code, ran } = asking();
    const interrupt = interruptOf(await run("tools.shop__order({ item: 'tea' }); return 'done'"));
    expect(textOf(await code.resume(interrupt, { decision: 'allow' }))).toBe('"done"');
    expect(ran).toEqual(['tea']);
  });
});

describe.each(['2026-07-28', '2025-11-25'] as const)('an elicitation at %s', (version) => {
  it('suspends a script until it is answered', async () => {
    const { run, code, ran } = stage({
      kit: returning,
      host: { consent: 'allow-all', connectOptions: { protocolVersions: [version] } },
    });
    const first = interruptOf(await run("return [await tools.shop__book(), await tools.shop__order({ item: 'tea' })]"));
    expect(first).toMatchObject({ kind: 'elicitation', durable: false });
    const [key = ''] = Object.keys(first.requests ?? {});
    const answers = { [key]: { action: 'accept', content: { time: '9 pm' } } };
    expect(textOf(await code.resume(first, { answers }))).toBe('["Booked at 9 pm","Ordered tea"]');
    expect(ran).toEqual(['book', 'tea']);
  });
});

it('an approval of another person suspends a script until it is given', async () => {
  const approvals = createApprovals();
  const policy = createPolicy(`
version: 1
rules:
  - { id: open, allow: [list, call, elicit], to: any, on: any }
  - { id: ops, ask: [call], to: any, on: { tool: order }, approver: { role: ops } }
`);
  const { run, code, ran, audited } = stage({
    kit: returning,
    host: { policy, approvals, consent: { tool: () => 'allow' } },
  });
  const first = interruptOf(await run("return await tools.shop__order({ item: 'tea' })"));
  expect(first).toMatchObject({ kind: 'approval', approval: { id: expect.any(String) } });
  const still = interruptOf(await code.resume(first, { check: true }));
  expect(ran).toEqual([]);
  const grace = { issuer: 'https://id.example.com', subject: 'grace', roles: ['ops'] };
  await approvals.decide(String(still.approval?.id), 'approve', grace);
  expect(textOf(await code.resume(still, { check: true }))).toBe('"Ordered tea"');
  expect(ran).toEqual(['tea']);
  const kinds = audited.map(({ kind }) => kind);
  for (const kind of ['approval-requested', 'approval-used', 'call-start', 'call-end']) expect(kinds).toContain(kind);
});

describe('suspended scripts', () => {
  it('do not use up their time while they wait', async () => {
    const { run, code } = stage({ kit: returning, host: { consent: {} }, code: { limits: { timeMs: 10_000 } } });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const interrupt = interruptOf(await run("return await tools.shop__order({ item: 'tea' })"));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(textOf(await code.resume(interrupt, { decision: 'allow' }))).toBe('"Ordered tea"');
  });

  it('make room for another, the one that waits for longest first', async () => {
    const { run, code } = stage({ kit: returning, host: { consent: {} }, code: { limits: { maxScripts: 2 } } });
    const [first, second, third] = [await run(orders), await run(orders), await run(orders)].map(interruptOf);
    expect(textOf(await code.resume(first as Interrupt, { decision: 'allow' }))).toContain('not continued');
    expect(textOf(await code.resume(second as Interrupt, { decision: 'allow' }))).toBe('interrupt: consent');
    expect(textOf(await code.resume(third as Interrupt, { decision: 'allow' }))).toBe('interrupt: consent');
  });

  it('end when the toolkit is closed', async () => {
    const { run, code, ran } = asking();
    const interrupt = interruptOf(await run(orders));
    await code.close();
    expect(textOf(await code.resume(interrupt, { decision: 'allow' }))).toContain('not continued');
    expect(ran).toEqual([]);
  });

  it('end when the toolkit is closed while one is resumed', async () => {
    const { run, code, slow } = asking();
    const interrupt = interruptOf(await run('return await tools.shop__slow()'));
    const started = new Promise<void>((resolve) => (slow.onStart = resolve));
    const resumed = code.resume(interrupt, { decision: 'allow' });
    await started;
    await code.close();
    expect(textOf(await resumed)).toContain('(cancelled)');
  });

  it('are ended by the signal of the one who resumes them', async () => {
    const { run, code, slow } = asking();
    const interrupt = interruptOf(await run('return await tools.shop__slow()'));
    const controller = new AbortController();
    const started = new Promise<void>((resolve) => (slow.onStart = resolve));
    const resumed = code.resume(interrupt, { decision: 'allow' }, { signal: controller.signal });
    await started;
    controller.abort(new Error('enough'));
    await expect(resumed).rejects.toThrow('enough');
    await expect.poll(() => slow.signal?.aborted).toBe(true);
  });
});
