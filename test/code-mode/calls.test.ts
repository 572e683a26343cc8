/** The calls of a script: under the same rules as those of a model. */

import { createServer, tool } from 'tenon';
import { createToolkit, toAnthropic, toOpenAI } from 'tenon/agents';
import { createCodeToolkit } from 'tenon/agents/code';
import { createPolicy } from 'tenon/guard';
import { createTestConnection } from 'tenon/test';
import { describe, expect, it } from 'vitest';
import { stage, textOf } from './stage.ts';

describe('a script', () => {
  it('calls several tools in one step and returns what it selects', async () => {
    const { run, ran } = stage();
    const outcome = await run(`
      const { items } = await tools.shop__stock();
      const cheap = items.filter(({ price }) => price < 3);
      console.log('found', cheap.length, { of: items.length });
      const orders = [];
      for (const { name } of cheap) orders.push(await tools.shop__order({ item: name }));
      return orders;`);
    expect(outcome).toMatchObject({ type: 'result', callId: 'run-1', isError: false });
    expect(textOf(outcome)).toBe(
      '["Ordered item 0","Ordered item 1","Ordered item 2"]\n\nIt logged:\nfound 3 {"of":5000}',
    );
    expect(ran).toEqual(['item 0', 'item 1', 'item 2']);
  });

  it('gets a long text whole that a model would get shortened', async () => {
    const { run } = stage({ kit: { results: { maxChars: 1000 } } });
    expect(textOf(await run('return (await tools.shop__long({ chars: 500_000 })).length'))).toBe('500000');
  });

  it('gets what is no text as a description', async () => {
    const { run } = stage();
    expect(textOf(await run('return await tools.shop__picture()'))).toMatch(/^"\[image, image\/png/);
  });

  it('can catch the error of a tool, which says what happened', async () => {
    const { run, ran } = stage();
    const outcome = await run(`
      const problems = [];
      for (const call of [() => tools.shop__fail(), () => tools.shop__order({ item: 5 }), () => tools.shop__remove()])
        try { await call() } catch (error) { problems.push([error instanceof ToolError, error.name, error.message]) }
      return problems;`);
    const problems = JSON.parse(textOf(outcome)) as [boolean, string, string][];
    expect(problems.map(([isOne, name]) => [isOne, name])).toEqual(
      Array.from({ length: 3 }, () => [true, 'ToolError']),
    );
    expect(problems[0]?.[2]).toContain('the shop is closed');
    expect(problems[1]?.[2]).toMatch(/^The arguments of shop__order do not match its schema/);
    expect(problems[2]?.[2]).toMatch(/^Denied: /);
    expect(ran).toEqual(['fail']);
  });

  it('that fails reports its error with its line', async () => {
    const { run } = stage();
    expect(textOf(await run('const a = 1;\nconst b = 2;\nreturn a.b.c;'))).toMatch(
      /^The script failed: TypeError: .* \(line 3\)\nIt had made no call\.$/,
    );
    expect(textOf(await run('const a = ;'))).toMatch(/^The script failed: SyntaxError: .* \(line 1\)/);
  });

  it('that is run again with the same ID draws the same numbers, and the calls that a Tenon server has run are not repeated', async () => {
    const { code, ran } = stage();
    const script = "await tools.shop__order({ item: 'tea' }); return [Math.random(), Math.random()]";
    const call = { id: 'again', name: 'run_code', arguments: { script } };
    const first = textOf(await code.call(call));
    expect(textOf(await code.call(call))).toBe(first);
    expect(textOf(await code.call({ ...call, id: 'another' }))).not.toBe(first);
    expect(ran).toEqual(['tea', 'tea']);
  });
});

describe('each call of a script', () => {
  it('is in the audit log, with its arguments and its outcome, also if it was denied', async () => {
    const { run, audited } = stage({ host: { principal: 'ada' } });
    await run(`
      await tools.shop__order({ item: 'tea' });
      await tools.shop__fail().catch(() => {});
      await tools.shop__remove().catch(() => {});
      await Promise.all([tools.shop__order({ item: 'milk' }), tools.shop__stock()]);
      tools.shop__order({ item: 'not awaited' });`);
    const started = audited.filter(({ kind }) => kind === 'call-start');
    const ended = audited.filter(({ kind }) => kind === 'call-end');
    const names = (events: typeof audited) => events.map(({ what }) => (what as { tool?: string }).tool).sort();
    expect(names(started)).toEqual(['fail', 'order', 'order', 'order', 'stock']);
    expect(names(ended)).toEqual(names(started));
    expect(JSON.stringify(started)).toContain('not awaited');
    expect(started.every(({ who }) => who?.key === 'ada')).toBe(true);
    const denied = audited.filter(({ kind }) => kind === 'consent').map(({ what, decision }) => [what, decision]);
    expect(JSON.stringify(denied)).toContain('deny');
  });

  it('is decided by the policy, with its arguments', async () => {
    const policy = createPolicy(`
version: 1
rules:
  - { id: all, allow: [list, call], to: any, on: any }
  - { id: gold, deny: [call], to: any, on: { tool: order }, when: 'args.item == "gold"' }
`);
    const { run, ran } = stage({ host: { policy, consent: {} } });
    const outcome = await run(`
      await tools.shop__order({ item: 'tea' });
      return await tools.shop__order({ item: 'gold' }).catch(({ message }) => message);`);
    expect(textOf(outcome)).toMatch(/^"Denied: the rules of this user do not allow shop__order/);
    expect(ran).toEqual(['tea']);
  });

  it('asks for consent with the tool and exactly its arguments', async () => {
    const asked: unknown[] = [];
    const { run } = stage({
      host: {
        consent: {
          tool: ({ server, tool: name, arguments: given }) => {
            asked.push([server, name, given]);
            return 'allow';
          },
        },
      },
    });
    await run("await tools.shop__order({ item: 'tea' })");
    expect(asked).toEqual([['shop', 'order', { item: 'tea' }]]);
  });

  it('waits for an elicitation, while the thread of the script waits', async () => {
    const { run } = stage({ code: { limits: { timeMs: 1000 } } });
    expect(textOf(await run('return await tools.shop__book()'))).toBe('"Booked at 8 pm"');
  });

  it('is in the order of its server, which runs one after another', async () => {
    const { run, ran } = stage();
    await run("await Promise.all(['a', 'b', 'c', 'd'].map((item) => tools.shop__order({ item })))");
    expect(ran).toEqual(['a', 'b', 'c', 'd']);
  });

  it('is an event of the toolkit with the ID of the script and its number', async () => {
    const events: unknown[] = [];
    const { run } = stage({ kit: { onEvent: (event) => events.push(event) } });
    await run("await tools.shop__order({ item: 'a' }); await tools.shop__order({ item: 'b' })");
    const calls = events.filter((event) => (event as { type: string }).type === 'call');
    expect(calls).toMatchObject([
      { callId: 'run-1/1', name: 'shop__order', server: 'shop' },
      { callId: 'run-1/2', name: 'shop__order' },
    ]);
  });

  it('is of a tool that scripts may call; the others the model calls itself', async () => {
    const { run, code, ran } = stage({ code: { tools: ({ name }) => name !== 'shop__order' } });
    expect(textOf(await run('return [typeof tools.shop__order, typeof tools.shop__echo]'))).toBe(
      '["undefined","function"]',
    );
    const { tools } = await code.list();
    expect(tools.map(({ name }) => name)).toEqual(['run_code', 'read_more', 'shop__order']);
    expect(tools[0]?.description).not.toContain('shop__order');
    const direct = await code.call({ id: 'direct', name: 'shop__order', arguments: { item: 'tea' } });
    expect(textOf(direct)).toBe('Ordered tea');
    expect(ran).toEqual(['tea']);
  });
});

describe('cancelling', () => {
  it('a script ends its thread, and cancels the call that runs', async () => {
    const { run, slow } = stage();
    const controller = new AbortController();
    const started = new Promise<void>((resolve) => (slow.onStart = resolve));
    const running = run('await tools.shop__slow()', controller.signal);
    await started;
    controller.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    await expect.poll(() => slow.signal?.aborted).toBe(true);
  });

  it('ends a script that computes', async () => {
    const { run, ran } = stage();
    const controller = new AbortController();
    const running = run("await tools.shop__order({ item: 'tea' }); for (;;);", controller.signal);
    await expect.poll(() => ran).toEqual(['tea']);
    controller.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
  });

  it('before it begins runs nothing', async () => {
    const { run, ran } = stage();
    await expect(run("await tools.shop__order({ item: 'tea' })", AbortSignal.abort(new Error('no')))).rejects.toThrow(
      'no',
    );
    expect(ran).toEqual([]);
  });

  it('by closing runs no other script, and leaves the toolkit open', async () => {
    const { kit, code, run, ran } = stage();
    // It has not begun yet.
    const begun = run("await tools.shop__order({ item: 'tea' })");
    await code.close();
    for (const outcome of [await begun, await run('return 1')])
      expect(textOf(outcome)).toBe('run_code was not run: the code toolkit is closed.');
    expect(ran).toEqual([]);
    expect(textOf(await kit.call({ id: 'one', name: 'shop__order', arguments: { item: 'tea' } }))).toBe('Ordered tea');
  });
});

describe('adapters', () => {
  const script = "return await tools.shop__order({ item: 'tea' })";

  it('of Anthropic offer run_code', async () => {
    const { code } = stage();
    const tools = await toAnthropic(code);
    expect(tools.map(({ name }) => name)).toEqual(['run_code', 'read_more']);
    expect(await tools[0]?.run({ script })).toEqual([{ type: 'text', text: '"Ordered tea"' }]);
  });

  it('of OpenAI offer run_code', async () => {
    const { code } = stage();
    const { tools, run } = await toOpenAI(code);
    expect(tools.map((one) => 'name' in one && one.name)).toEqual(['run_code', 'read_more']);
    const item = { type: 'function_call', call_id: 'call-1', name: 'run_code', arguments: JSON.stringify({ script }) };
    expect(await run([item])).toMatchObject([
      { type: 'function_call_output', call_id: 'call-1', output: '"Ordered tea"' },
    ]);
  });
});

it('a tool of a client that is named run_code gets another name', async () => {
  const tools = { run_code: tool({ description: 'Runs code' }, () => 'of the server') };
  const { client, close } = await createTestConnection(createServer({ name: 'box', version: '1', tools }));
  await using kit = createToolkit(client);
  await using code = createCodeToolkit(kit);
  const call = { id: 'one', name: 'run_code', arguments: { script: 'return await tools.box__run_code()' } };
  expect(textOf(await code.call(call))).toBe('"of the server"');
  await close();
});
