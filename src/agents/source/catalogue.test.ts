/** When the tools of a source are listed again. */
import { describe, expect, it } from 'vitest';
import type { HostTool } from '../../host/lists/lists.ts';
import { Catalogue } from './catalogue.ts';
import type { SourceList, ToolSource } from './tool-source.ts';

function sourceOf(list: () => SourceList | Promise<SourceList>) {
  let lists = 0;
  let notify = (): void => {};
  let now = 0;
  const source = {
    list: async () => {
      lists++;
      return list();
    },
    observe: (onChange: () => void) => {
      notify = onChange;
      return async () => {};
    },
  } as unknown as ToolSource;
  const catalogue = new Catalogue(source, undefined, () => now);
  return { catalogue, lists: () => lists, change: () => notify(), pass: (ms: number) => (now += ms) };
}
const errors = [{ server: 'files', text: 'It does not start.' }];

it('lists once for calls at the same time, and again only after a change', async () => {
  const { catalogue, lists, change } = sourceOf(() => ({ tools: [], errors: [], mayRecover: false }));
  const [one, other] = await Promise.all([catalogue.tools(), catalogue.tools()]);
  expect(one).toBe(other);
  await catalogue.tools();
  expect(lists()).toBe(1);
  change();
  expect(await catalogue.tools()).toBe(one);
  expect(lists()).toBe(2);
});

it('lists a server that failed again after ten seconds, and one whose tools are invalid only after a change', async () => {
  for (const [mayRecover, expected] of [
    [true, 2],
    [false, 1],
  ] as const) {
    const { catalogue, lists, pass } = sourceOf(() => ({ tools: [], errors, mayRecover }));
    const known = await catalogue.tools();
    pass(10_000);
    expect(await catalogue.tools()).toBe(known);
    expect(lists()).toBe(1);
    pass(1);
    await catalogue.tools();
    expect(lists()).toBe(expected);
  }
});

it('lists again if the list itself failed', async () => {
  let isDown = true;
  const { catalogue } = sourceOf(() => {
    if (isDown) throw new Error('down');
    return { tools: [], errors: [], mayRecover: false };
  });
  await expect(catalogue.tools()).rejects.toThrow('down');
  isDown = false;
  expect((await catalogue.tools()).errors).toEqual([]);
});

it('lists again after a failure that came after a change', async () => {
  let isDown = false;
  const { catalogue, change } = sourceOf(() => {
    if (isDown) throw new Error('down');
    return { tools: [], errors: isDown ? errors : [], mayRecover: false };
  });
  const known = await catalogue.tools();
  change();
  isDown = true;
  await expect(catalogue.tools()).rejects.toThrow('down');
  await expect(catalogue.tools()).rejects.toThrow('down');
  isDown = false;
  expect(await catalogue.tools()).toBe(known);
});

describe('a server that never answers', () => {
  const read = { name: 'notes__read', server: 'notes', originalName: 'read', inputSchema: {} } as HostTool;
  /** Its list takes 30 seconds, and has the tools of the other server. */
  function hanging() {
    const held = sourceOf(() => {
      held.pass(30_000);
      return { tools: [read], errors, mayRecover: true };
    });
    return held;
  }

  it('is left alone for ten seconds after its list has failed, not after that began', async () => {
    const { catalogue, lists, pass } = hanging();
    await catalogue.tools();
    await catalogue.tools();
    pass(10_000);
    await catalogue.tools();
    expect(lists()).toBe(1);
    pass(1);
    await catalogue.tools();
    expect(lists()).toBe(2);
  });

  it('does not hold up calls of tools that are known', async () => {
    const { catalogue, lists, pass } = hanging();
    const known = await catalogue.tools();
    pass(10_001);
    expect(await catalogue.toolsWith('notes__read')).toBe(known);
    expect(lists()).toBe(1);
    // It may be one of the server that failed.
    await catalogue.toolsWith('files__read');
    expect(lists()).toBe(2);
  });
});

it('calls while the tools are listed after a change wait for the new ones, and not while a failed server is listed', async () => {
  const old = { name: 'notes__read', description: 'old' } as HostTool;
  const lists: Array<(list: SourceList) => void> = [];
  const { catalogue, change, pass } = sourceOf(() => new Promise((resolve) => lists.push(resolve)));
  const answer = (description: string): void =>
    lists.at(-1)?.({ tools: [{ ...old, description }], errors, mayRecover: true });
  const first = catalogue.tools();
  answer('old');
  const known = await first;

  pass(10_001);
  const retried = catalogue.tools();
  expect(await catalogue.toolsWith('notes__read')).toBe(known);
  answer('old');
  expect(await retried).toBe(known);

  change();
  const changed = [catalogue.tools(), catalogue.tools(), catalogue.toolsWith('notes__read')];
  answer('new');
  for (const { tools } of await Promise.all(changed)) expect(tools.get('notes__read')?.description).toBe('new');
  expect(lists).toHaveLength(3);
});
