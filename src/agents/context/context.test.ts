/** Which tools are sent in a turn, and what find_tools answers. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolText } from '../search/tool-text.ts';
import { type ContextState, firstState, planTurn, withFound, withUsed } from './plan-turn.ts';
import { createToolContext, type ToolContextOptions } from './tool-context.ts';

const counted = (names: string): { name: string; tokens: number }[] =>
  names.split('').map((name) => ({ name, tokens: 100 }));
const limits = { maxTokens: 500, maxTools: 100, ownTokens: 100, isPinned: (name: string) => name === 'p' };

describe('the tools of a turn', () => {
  it('are all by name if they fit, in whatever order they are listed', () => {
    const plan = planTurn(firstState, counted('cab'), limits);
    expect(plan).toMatchObject({ sent: ['a', 'b', 'c'], needsSearch: false, changed: false });
    expect(planTurn(plan.state, counted('bca'), limits)).toMatchObject({ sent: ['a', 'b', 'c'], changed: false });
  });

  it('are pinned ones, then found ones in the order found, if they do not fit', () => {
    const tools = counted('abcdefgp');
    const first = planTurn(firstState, tools, limits);
    expect(first).toMatchObject({ sent: ['p'], needsSearch: true });
    const second = planTurn(withFound(first.state, ['f', 'a']), tools, limits);
    expect(second).toMatchObject({ sent: ['p', 'f', 'a'], changed: true });
    const third = planTurn(withFound(second.state, ['a', 'c']), tools, limits);
    expect(third).toMatchObject({ sent: ['p', 'f', 'a', 'c'], changed: true });
  });

  it('lose the found one that was unused for longest, and the order of the others stays', () => {
    const tools = counted('abcdefgp');
    let { state } = planTurn(withFound(firstState, ['a', 'b', 'c']), tools, limits);
    ({ state } = planTurn(withUsed(state, ['a']), tools, limits));
    const plan = planTurn(withFound(state, ['d']), tools, limits);
    expect(plan.sent).toEqual(['p', 'a', 'b', 'd']);
    expect(plan.state.found.map(({ name }) => name)).toEqual(['a', 'b', 'd']);
  });

  it('have the best of one search, if not all that it found fit', () => {
    const tools = counted('abcdefgp');
    const first = planTurn(withFound(firstState, ['e', 'a', 'b', 'c', 'd']), tools, limits);
    expect(first.sent).toEqual(['p', 'e', 'a', 'b']);
    // What was found before is the best of another search, and what was called counts as the best.
    const again = withFound(withUsed(first.state, ['b']), ['g', 'a', 'f']);
    expect(planTurn(again, tools, limits).sent).toEqual(['p', 'a', 'b', 'g']);
  });

  it('lose a removed tool at once, and do not get an added one', () => {
    const { state } = planTurn(withFound(firstState, ['a', 'b']), counted('abcdefgp'), limits);
    expect(planTurn(state, counted('bcdefghp'), limits).sent).toEqual(['p', 'b']);
  });

  it('are no more than an API takes, although they fit the budget', () => {
    const few = { ...limits, maxTokens: 10_000, maxTools: 4 };
    expect(planTurn(firstState, counted('abcp'), few)).toMatchObject({ needsSearch: false });
    const plan = planTurn(withFound(firstState, [...'abcd']), counted('abcdp'), few);
    expect(plan).toMatchObject({ sent: ['p', 'a', 'b', 'c'], needsSearch: true });
  });

  it('have the last used tool and the pinned ones even over the budget', () => {
    const tools = [...counted('ab'), { name: 'p', tokens: 900 }];
    expect(planTurn(withFound(firstState, ['a', 'b']), tools, limits).sent).toEqual(['p', 'a']);
  });

  it('stay within the budget for any searches and calls, and their beginning stays the same until one leaves', () => {
    const step = fc.record({ find: fc.subarray([...'abcdefghij']), use: fc.constantFrom(...'abcdefghij') });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const tools = counted('abcdefghijp');
        let state: ContextState = firstState;
        let before: readonly string[] = ['p'];
        for (const { find, use } of steps) {
          const plan = planTurn(withUsed(withFound(state, find), [use]), tools, limits);
          expect(plan.sent.length).toBeLessThanOrEqual(4);
          const remaining = before.filter((name) => plan.sent.includes(name));
          expect(plan.sent.slice(0, remaining.length)).toEqual(remaining);
          ({ state, sent: before } = plan);
        }
      }),
      { seed: 7, numRuns: 300 },
    );
  });
});

const tool = (server: string, own: string, description: string): ToolText => ({
  server,
  name: `${server}__${own}`,
  description,
  inputSchema: { type: 'object', properties: { id: { type: 'string' } } },
});
const many = Array.from({ length: 60 }, (_, n) => tool('big', `thing_${n}`, `Handles the thing ${n}. Not more.`));
const tools = [...many, tool('git', 'create_issue', 'Create a new issue'), tool('git', 'list_commits', 'List commits')];
const contextOf = (change: Partial<ToolContextOptions> = {}) =>
  createToolContext({ maxTokens: 1000, maxDescriptionChars: 10_000, isPinned: () => false, ...change });

describe('a context', () => {
  it('sends everything and read_more without a search if it fits', () => {
    const turn = contextOf({ maxTokens: 10_000 }).plan(tools);
    expect(turn.own.map(({ name }) => name)).toEqual(['read_more']);
    expect(turn.sent).toHaveLength(tools.length);
  });

  it('sends what was found from the next turn on', async () => {
    const context = contextOf();
    const first = context.plan(tools);
    expect(first.own.map(({ name }) => name)).toEqual(['find_tools', 'read_more']);
    expect(first.sent).toEqual([]);
    expect(first.own[0]?.description).toMatch(/\nbig: thing_0, .*\ngit: create_issue, list_commits$/);
    const { text, found } = await context.find({ query: 'file a ticket', limit: 1 });
    expect({ text, found }).toEqual({ text: 'git__create_issue: Create a new issue', found: ['git__create_issue'] });
    expect(context.plan(tools)).toMatchObject({ sent: ['git__create_issue'], changed: true });
    expect(context.plan(tools)).toMatchObject({ sent: ['git__create_issue'], changed: false });
  });

  it('finds by names as they are in the directory, and with their server', async () => {
    const context = contextOf();
    context.plan(tools);
    expect((await context.find({ names: ['list_commits', 'git__create_issue', 'no_such'] })).found).toEqual([
      'git__list_commits',
      'git__create_issue',
    ]);
    expect((await context.find({ names: 'list_commits' })).found).toEqual(['git__list_commits']);
    // Two servers may have tools of one name.
    context.plan([...tools, tool('svn', 'list_commits', 'List commits')]);
    expect((await context.find({ names: ['list_commits'] })).found).toEqual(['git__list_commits', 'svn__list_commits']);
  });

  it('answers with the schemas where a model calls by call_tool', async () => {
    const context = contextOf({ found: 'call_tool' });
    expect(context.plan(tools).own.map(({ name }) => name)).toEqual(['find_tools', 'read_more', 'call_tool']);
    expect((await context.find({ query: 'commits', limit: 1 })).text).toBe(
      'git__list_commits: List commits\n  arguments: {"type":"object","properties":{"id":{"type":"string"}}}',
    );
  });

  it('bounds an answer: further tools are only named', async () => {
    const large = many.map((one) => ({
      ...one,
      inputSchema: { properties: { x: { description: 'y'.repeat(8000) } } },
    }));
    const context = contextOf({ found: 'call_tool' });
    context.plan(large);
    expect((await context.find({ query: 'thing', limit: 20 })).text).toMatch(
      /\nAlso: big__thing_\d+, .*\. Pass one of them/,
    );
  });

  it.each([
    [undefined, /a query or names are missing/],
    [{ query: 7 }, /query must be a text/],
    [{ names: [7] }, /names must be a list/],
  ])('answers %j with the reason and an example', async (args, reason) => {
    const context = contextOf();
    context.plan(tools);
    expect(await context.find(args)).toMatchObject({ isError: true, text: expect.stringMatching(reason) as string });
  });

  it('answers a search without results with what to do', async () => {
    const context = contextOf();
    context.plan(tools);
    expect(await context.find({ query: 'xylophone' })).toMatchObject({ isError: false, found: [] });
  });

  it('searches an added tool without a change of what is sent, and names a new server', async () => {
    const context = contextOf();
    const first = context.plan(tools);
    const added = context.plan([...tools, tool('git', 'tag_release', 'Tag a release')]);
    expect(added.own).toEqual(first.own);
    expect(added.changed).toBe(false);
    expect((await context.find({ query: 'tag' })).found).toContain('git__tag_release');
    const other = context.plan([...tools, tool('mail', 'send', 'Send a mail')]);
    expect(other.changed).toBe(true);
    expect(other.own[0]?.description).toMatch(/mail: send$/);
  });

  it('neither finds nor names a removed tool', async () => {
    const context = contextOf();
    context.plan(tools);
    const turn = context.plan(tools.filter(({ name }) => name !== 'git__create_issue'));
    expect(turn.own[0]?.description).not.toContain('create_issue');
    expect((await context.find({ query: 'create issue' })).found).not.toContain('git__create_issue');
  });

  it('asks a ranking of the program, and ignores what it invents', async () => {
    const context = contextOf({ rank: async () => ['git__list_commits', 'invented'] });
    context.plan(tools);
    expect((await context.find({ query: 'anything' })).found).toEqual(['git__list_commits']);
  });

  it('counts a definition once, by the function that was passed', () => {
    let count = 0;
    const context = contextOf({ countTokens: (text) => (count++, text.length) });
    context.plan(tools);
    const before = count;
    context.plan(tools);
    expect(count - before).toBeLessThan(10);
  });
});
