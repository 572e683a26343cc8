import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { connect, createServer, prompt, resource, resourceTemplate, type Server, tool } from 'tenon';
import type { FeaturesDraft } from 'tenon/server';
import { describe, expect, it } from 'vitest';

const fine = tool({}, () => '');
const make = (): Server => createServer({ name: 'x', version: '1', tools: { a: fine } });
const names = (server: Server): string[] => Object.keys(server.features.tools ?? {});

describe('update()', () => {
  it('inside update() is rejected, and nothing changes', () => {
    const server = make();
    const nested = (): void =>
      server.update((draft) => {
        draft.tools.b = fine;
        server.update(() => {});
      });
    expect(nested).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
    expect(names(server)).toEqual(['a']);
  });

  it('works after an update() that threw', () => {
    const server = make();
    const failing = (): void =>
      server.update(() => {
        throw new RangeError('no');
      });
    expect(failing).toThrow(RangeError);
    server.update((draft) => void (draft.tools.b = fine));
    expect(names(server)).toEqual(['a', 'b']);
  });

  it('with a function that returns a promise is rejected, and nothing changes', async () => {
    const server = make();
    const later = async (draft: FeaturesDraft): Promise<void> => {
      draft.tools.b = fine;
      throw new RangeError('not reported');
    };
    expect(() => server.update(later)).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
    await setImmediate();
    expect(names(server)).toEqual(['a']);
  });

  it.each<[string, (draft: FeaturesDraft) => void, string]>([
    ['an unknown field of the draft', (draft) => void Object.assign(draft, { tool: {} }), '"tool"'],
    ['the name of the server', (draft) => void Object.assign(draft, { name: 'y' }), '"name"'],
    ['a list as tools', (draft) => void Object.assign(draft, { tools: [fine] }), 'tools:'],
    ['null as prompts', (draft) => void Object.assign(draft, { prompts: null }), 'prompts:'],
  ])('rejects %s', (_name, change, place) => {
    const server = make();
    expect(() => server.update(change)).toThrow(
      expect.objectContaining({ code: 'invalid-definition', message: expect.stringContaining(place) }),
    );
    expect(names(server)).toEqual(['a']);
  });

  it('copies the draft and the definition: changing them later has no effect', () => {
    const tools: Record<string, typeof fine> = { a: fine };
    const server: Server = createServer({ name: 'x', version: '1', tools });
    const drafts: FeaturesDraft[] = [];
    server.update((draft) => void drafts.push(draft));
    for (const draft of drafts) draft.tools.late = fine;
    tools.late = fine;
    server.update((draft) => void (draft.tools.b = fine));
    expect(names(server)).toEqual(['a', 'b']);
  });
});

describe('createServer() rejects a definition of the wrong form and names the place:', () => {
  it.each<[string, unknown, string]>([
    ['null', null, 'createServer() got null'],
    ['a list', [], 'createServer() got a list'],
    ['null as tools', { tools: null }, 'tools is null'],
    ['a string as prompts', { prompts: 'all' }, 'prompts is a string'],
    ['instructions that are not a string', { instructions: 5 }, 'instructions is'],
    ['experimental that is a flag', { experimental: { mine: true } }, 'experimental is'],
    ['a mount that is not a server', { mounts: { a: {} } }, 'mounts["a"] is not a server'],
    ['mounts in a list', { mounts: [] }, 'mounts is not'],
    ['a tool with a timeout of 0', { tools: { a: tool({ timeoutMs: 0 }, () => '') } }, 'tools.a.timeoutMs:'],
    ['a prompt with a timeout of 0', { prompts: { a: prompt({ timeoutMs: 0 }, () => '') } }, 'prompts.a.timeoutMs:'],
    [
      'a resource with a negative timeout',
      { resources: { 'a:b': resource({ timeoutMs: -1 }, () => '') } },
      '.timeoutMs:',
    ],
    [
      'a template with a negative timeout',
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

describe('The templates', () => {
  const read = resourceTemplate({}, () => '');
  const both = (one: string, other: string) => (): unknown =>
    createServer({ name: 'x', version: '1', resourceTemplates: { [one]: read, [other]: read } });

  it.each([
    ['n://{a}', 'n://{b}'],
    ['n://{a}/{b}', 'n://{b}/{a}'],
    ['n://x{?q}{/a}', 'n://x{?q}{/b}'],
  ])('%s and %s match the same URIs and are rejected', (one, other) => {
    expect(both(one, other)).toThrow(expect.objectContaining({ code: 'invalid-definition' }));
  });

  it.each([
    ['n://{a}', 'n://{+a}'],
    ['n://x{?q}', 'n://x{?r}'],
    ['n://{a}/x', 'n://{a}/y'],
  ])('%s and %s are accepted together', (one, other) => {
    expect(both(one, other)).not.toThrow();
  });
});

describe('A server that mounts another', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  /** Objects that a task of the event loop has used cannot be collected before the next one. */
  const collected = async (): Promise<void> => {
    await setImmediate();
    collect();
  };

  it('can be garbage-collected while the mounted server is in use', async () => {
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

  it('follows its changes while only a connection references it', async () => {
    const inner = make();
    await using client = await connect(createServer({ name: 'y', version: '1', mounts: { in: inner } }));
    await collected();
    inner.update((draft) => void (draft.tools.b = fine));
    expect((await client.tools.list().all()).map(({ name }) => name)).toEqual(['in_a', 'in_b']);
  });
});
