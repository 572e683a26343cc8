/** One prompt of `tenon eval`: what is missed, and the bounds of time and calls. */
import { describe, expect, it } from 'vitest';
import type { EvalAgent, EvalPrompt } from './eval-agent.ts';
import { type EvalSetting, misses, runPrompt, scriptedAgent } from './run-prompt.ts';

const spec: EvalPrompt = { prompt: 'What is 2 + 3?', expected: ['add'], forbidden: ['remove'] };

const setting = (own: Partial<EvalSetting> = {}): EvalSetting => ({
  tools: [],
  maxSteps: 3,
  timeoutMs: 1000,
  signal: new AbortController().signal,
  callTool: async () => ({ content: [{ type: 'text', text: '5' }] }),
  now: () => 0,
  after: () => () => undefined,
  ...own,
});

describe('runPrompt', () => {
  it('records the calls and the answer of the agent', async () => {
    const agent: EvalAgent = async ({ prompt, call }) => {
      const { content } = await call('add', { a: 2, b: 3 });
      return `${prompt} ${content.length}`;
    };
    expect(await runPrompt(spec, agent, setting())).toEqual({
      prompt: 'What is 2 + 3?',
      passed: true,
      calls: [{ name: 'add', arguments: { a: 2, b: 3 } }],
      problems: [],
      answer: 'What is 2 + 3? 1',
      ms: 0,
    });
  });

  it('accepts calls that the agent returns, and those of a script', async () => {
    const returned = await runPrompt(spec, () => ({ calls: [{ name: 'add' }, { name: 'remove' }] }), setting());
    expect(returned.problems).toEqual(['`remove` was called, and is forbidden.']);
    const scripted = { ...spec, script: [{ name: 'add', arguments: { a: 1 } }] };
    expect((await runPrompt(scripted, scriptedAgent(scripted), setting())).passed).toBe(true);
  });

  it('names an answer that has another form, of an agent in JavaScript', async () => {
    const wrong = [5, [], { calls: 'add' }, { calls: [null] }, { calls: [{ name: 5 }] }, { text: 5 }];
    for (const answer of [...wrong, { calls: [{ name: 'add', arguments: 'a' }] }])
      expect((await runPrompt(spec, () => answer as never, setting())).problems).toEqual([
        'The agent returned neither a text nor { text, calls: [{ name, arguments }] }.',
        '`add` was not called.',
      ]);
    expect((await runPrompt(spec, () => null as never, setting())).problems).toEqual(['`add` was not called.']);
  });

  it('stops an agent that makes too many calls, and one that takes too long and goes on', async () => {
    const looping: EvalAgent = async ({ call }) => {
      for (;;) await call('add');
    };
    const looped = await runPrompt(spec, looping, setting());
    expect(looped).toMatchObject({ passed: false, problems: ['It made more than 3 calls.'] });
    expect(looped.calls).toHaveLength(3);
    const late = await runPrompt(
      spec,
      () => new Promise(() => undefined),
      setting({ after: (_, run) => (run(), () => undefined) }),
    );
    expect(late.problems).toEqual([
      'It took longer than 1 s.',
      'The agent went on after its signal was aborted: pass it to your requests.',
      '`add` was not called.',
    ]);
    const obeying: EvalAgent = ({ signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    const timers: (() => void)[] = [];
    const after = (_ms: number, run: () => void) => (timers.push(run), () => undefined);
    const stopped = runPrompt(spec, obeying, setting({ after }));
    timers[0]?.();
    expect((await stopped).problems).toEqual(['It took longer than 1 s.', '`add` was not called.']);
  });

  it('names the error of an agent that fails, and ends with Ctrl+C', async () => {
    const failing: EvalAgent = () => {
      throw new Error('no key');
    };
    expect((await runPrompt(spec, failing, setting())).problems[0]).toBe('The agent failed: no key');
    const interrupt = AbortSignal.abort(new Error('interrupted'));
    await expect(runPrompt(spec, failing, setting({ signal: interrupt }))).rejects.toThrow('interrupted');
  });
});

describe('misses', () => {
  it('takes * as all tools that are not expected', () => {
    const any = { prompt: '', expected: ['a'], forbidden: ['*'] };
    expect(misses(any, [{ name: 'a' }])).toEqual([]);
    expect(misses(any, [{ name: 'a' }, { name: 'b' }])).toEqual(['`b` was called, and is forbidden.']);
  });
});
