/** When the tools of a source are listed again. */
import { expect, it } from 'vitest';
import { Catalogue } from './catalogue.ts';
import type { SourceList, ToolSource } from './tool-source.ts';

function sourceOf(list: () => SourceList) {
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
