import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { connect, createServer, prompt, resource, resourceTemplate, type Server, tool } from 'tenon';
import type { FeaturesDraft } from 'tenon/server';
import { describe, expect, it } from 'vitest';

const fine = tool({}, () => '');
const make = (): Server => createServer({ name: 'x', version: '1', tools: { a: fine } });
const names = (server: Server): string[] => Object.keys(server.features.tools ?? {});

describe('update', () => {
  it('within update is refused, and nothing changes', () => {
    const server = make();
    const nested = (): void =>
      server.update((draft) => {
        draft.tools.b = fine;
        server.update(() => {});
      });
    expect(nested).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
    expect(names(server)).toEqual(['a']);
  });

  it('works again after one that threw', () => {
    const server = make();
    const failing = (): void =>
      server.update(() => {
        throw new RangeError('no');
      });
    expect(failing).toThrow(RangeError);
    server.update((draft) => void (draft.tools.b = fine));
    expect(names(server)).toEqual(['a', 'b']);
  });

  it('by a function that returns a promise is refused, and nothing changes', async () => {
    const server = make();
    const later = async (draft: FeaturesDraft): Promise<void> => {
      draft.tools.b = fine;
      throw new RangeError('nobody has to hear this');
    };
    expect(() => server.update(later)).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
    await setImmediate();
    expect(names(server)).toEqual(['a']);
  });

  it.each<[string, (draft: FeaturesDraft) => void, string]>([
    ['a field that a draft has not', (draft) => void Object.assign(draft, { tool: {} }), '"tool"'],
    ['the name of the server', (draft) => void Object.assign(draft, { name: 'y' }), '"name"'],
    ['a list as tools', (draft) => void Object.assign(draft, { tools: [fine] }), 'tools:'],
    ['null as prompts', (draft) => void Object.assign(draft, { prompts: null }), 'prompts:'],
  ])('refuses %s', (_name, change, place) => {
    const server = make();
    expect(() => server.update(change)).toThrow(
      expect.objectContaining({ code: 'invalid-definition', message: expect.stringContaining(place) }),
    );
    expect(names(server)).toEqual(['a']);
  });

  it('copies the draft and the definition: what the author keeps of them changes nothing later', () => {
    const tools: Record<string, typeof fine> = { a: fine };
    const server: Server = createServer({ name: 'x', version: '1', tools });
    const kept: FeaturesDraft[] = [];
    server.update((draft) => void kept.push(draft));
    for (const draft of kept) draft.tools.late = fine;
    tools.late = fine;
    server.update((draft) => void (draft.tools.b = fine));
    expect(names(server)).toEqual(['a', 'b']);
  });
});

describe('A definition of the wrong form is refused, and the place is named:', () => {
  it.each<[string, unknown, string]>([
    ['null', null, 'createServer() got null'],
    ['a list', [], 'createServer() got a list'],
    ['null as tools', { tools: null }, 'tools is null'],
    ['a text as prompts', { prompts: 'all' }, 'prompts is a string'],
    ['instructions that are no text', { instructions: 5 }, 'instructions is'],
    ['experimental that is a flag', { experimental: { mine: true } }, 'experimental is'],
    ['a mount that is no server', { mounts: { a: {} } }, 'mounts["a"] is not a server'],
    ['mounts in a list', { mounts: [] }, 'mounts is not'],
    ['a tool that has no time', { tools: { a: tool({ timeoutMs: 0 }, () => '') } }, 'tools.a.timeoutMs:'],
    ['a prompt that has no time', { prompts: { a: prompt({ timeoutMs: 0 }, () => '') } }, 'prompts.a.timeoutMs:'],
    ['a read that has no time', { resources: { 'a:b': resource({ timeoutMs: -1 }, () => '') } }, '.timeoutMs:'],
    [
      'a template that has no time',
      { resourceTemplates: { 'a:{b}': resourceTemplate({ timeoutMs: -1 }, () => '') } },
      '.timeoutMs:',
    ],
  ])('%s', (_name, given, place) => {
    const definition =
      given === null || Array.isArray(given) ? given : { name: 'x', version: '1', ...(given as object) };
    expect(() => createServer(definition as never)).toThrow(
      expect.objectContaining({ code: 'invalid-definition', message: expect.stringContaining(place) }),
    );
  });
});

describe('Two templates', () => {
  const read = resourceTemplate({}, () => '');
  const both = (one: string, other: string) => (): unknown =>
    createServer({ name: 'x', version: '1', resourceTemplates: { [one]: read, [other]: read } });

  it.each([
    ['n://{a}', 'n://{b}'],
    ['n://{a}/{b}', 'n://{b}/{a}'],
    ['n://x{?q}{/a}', 'n://x{?q}{/b}'],
  ])('%s and %s match the same URIs, which is refused', (one, other) => {
    expect(both(one, other)).toThrow(expect.objectContaining({ code: 'invalid-definition' }));
  });

  it.each([
    ['n://{a}', 'n://{+a}'],
    ['n://x{?q}', 'n://x{?r}'],
    ['n://{a}/x', 'n://{a}/y'],
  ])('%s and %s can stand side by side', (one, other) => {
    expect(both(one, other)).not.toThrow();
  });
});

describe('A server that mounts another', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  /** What a turn has touched stays until the turn is over. */
  const collected = async (): Promise<void> => {
    await setImmediate();
    collect();
  };

  it('does not stay with it when it is dropped', async () => {
    const inner = make();
    const mounting = (): WeakRef<object> => {
      const own = tool({}, () => 'held by the server only');
      createServer({ name: 'y', version: '1', tools: { own }, mounts: { in: inner } });
      return new WeakRef(own);
    };
    const dropped = mounting();
    await collected();
    expect(dropped.deref()).toBeUndefined();
    inner.update((draft) => void (draft.tools.b = fine));
    expect(names(inner)).toEqual(['a', 'b']);
  });

  it('hears of changes for as long as only a connection holds it', async () => {
    const inner = make();
    await using client = await connect(createServer({ name: 'y', version: '1', mounts: { in: inner } }));
    await collected();
    inner.update((draft) => void (draft.tools.b = fine));
    expect((await client.tools.list().all()).map(({ name }) => name)).toEqual(['in_a', 'in_b']);
  });
});
