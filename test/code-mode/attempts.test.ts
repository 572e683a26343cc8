/** What scripts try, and what stops them: by the outcome; one script has no end but the bound on its time. */
import { createCodeToolkit } from 'tenon/agents/code';
import { describe, expect, it } from 'vitest';
import { type Attempt, designed, others } from './attempts.ts';
import { patient, stage, textOf } from './stage.ts';

/** What the model reads, what ran, and that neither the process nor the next script has anything of it. */
async function attempt({ script, limits }: Attempt) {
  const staged = stage({ code: limits ? { limits } : {} });
  const text = textOf(await staged.run(script));
  const ran = [...staged.ran];
  await using after = createCodeToolkit(staged.kit, { limits: patient });
  const next = "return [await tools.shop__order({ item: 'after' }), typeof leaked, [].item ?? 'none']";
  const later = await after.call({ id: 'after', name: 'run_code', arguments: { script: next } });
  return { text, ran, later: textOf(later), isPolluted: Object.hasOwn(Object.prototype, 'item') };
}

const harmless = { later: '["Ordered after","undefined","none"]', isPolluted: false };

describe.each([
  ['an attempt of the design:', designed],
  ['another attempt:', others],
])('%s', (_which, attempts) => {
  it.each(attempts.map((one) => [one.what, one] as const))('%s', async (_what, one) => {
    const tried = await attempt(one);
    expect(tried).toMatchObject(harmless);
    expect(tried.text).toMatch(one.outcome);
    expect(tried.ran).toEqual(one.ran ?? tried.ran);
  });
});

describe('the limits of a script', () => {
  it('end it by name, and its outcome names the calls that have run', async () => {
    const { run, ran } = stage({ code: { limits: { timeMs: 3000 } } });
    const outcome = await run(
      "await tools.shop__order({ item: 'tea' }); await tools.shop__order({ item: 'milk' }); for (;;);",
    );
    expect(outcome).toMatchObject({ type: 'result', isError: true });
    expect(textOf(outcome)).toBe(
      'The script was ended (script-timeout): It computed for more than 3000 ms (limits.timeMs).\nBefore that it had called shop__order (2 times), which is not undone.',
    );
    expect(ran).toEqual(['tea', 'milk']);
  });

  it('of time hold where the engine cannot be interrupted: the thread of a script without end is ended', async () => {
    const { run } = stage({ code: { limits: { timeMs: 300 } } });
    await run('return 1');
    const before = performance.now();
    const outcome = await run('return [].splice.call({ length: 2 ** 53 - 1 }, 0, 1)');
    const ms = performance.now() - before;
    expect(textOf(outcome)).toContain('(script-timeout)');
    // Its thread may take maxStartMs to start; then it has twice its time and two seconds. The rest is for a busy machine.
    expect(ms).toBeLessThan(30_000 + 2 * 300 + 2000 + 30_000);
  });

  it('of memory hold for the thread as a whole: the process does not grow by what a script takes', async () => {
    const { run } = stage({ code: { limits: { maxMemoryBytes: 32 * 1024 * 1024 } } });
    const before = process.memoryUsage().rss;
    const outcome = await run('const all = []; for (;;) all.push(new Uint8Array(1_000_000).fill(1))');
    expect(textOf(outcome)).toMatch(/out[- ]of[- ]memory/);
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024);
  });

  it('let a script run in the least memory', async () => {
    const { run } = stage({ code: { limits: { maxMemoryBytes: 24 * 1024 * 1024 } } });
    expect(textOf(await run('return (await tools.shop__stock()).items.map(({ name }) => name).join().length'))).toBe(
      '48889',
    );
  });

  it('refuse a script that is too long, and one without a script', async () => {
    const { run, code } = stage({ code: { limits: { maxScriptChars: 100 } } });
    expect(textOf(await run(`return 1 // ${'x'.repeat(100)}`))).toContain('(script-limit-exceeded)');
    expect(textOf(await code.call({ id: 'one', name: 'run_code', arguments: {} }))).toContain('without a script');
    expect(textOf(await code.call({ id: 'one', name: 'run_code', arguments: '{' }))).toContain('not valid JSON');
  });

  it('refuse a script while too many run', async () => {
    const { run, slow } = stage({ code: { limits: { maxScripts: 1 } } });
    const started = new Promise<void>((resolve) => (slow.onStart = resolve));
    const ending = new AbortController();
    const first = run('await tools.shop__slow()', ending.signal);
    await started;
    expect(textOf(await run('return 1'))).toContain('(queue-full)');
    ending.abort(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
    expect(textOf(await run('return 1'))).toBe('1');
  });

  it.each([
    [{ limits: { maxMemoryBytes: 24 * 1024 * 1024 - 1 } }, 'limits.maxMemoryBytes'],
    [{ limits: { timeMs: 0 } }, 'limits.timeMs'],
    [{ limits: { maxMemoryBytes: 1024 } }, 'limits.maxMemoryBytes'],
    [{ limits: { maxCalls: 1.5 } }, 'limits.maxCalls'],
    [{ tools: 'all' }, 'tools'],
    [{ limit: {} }, 'limit'],
  ])('%o is refused', (options, name) => {
    expect(() => stage({ code: options as never })).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(name) }),
    );
  });
});
