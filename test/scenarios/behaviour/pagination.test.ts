import * as fc from 'fast-check';
import { connect, createServer, prompt, resource, resourceTemplate, type ServerDefinition, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { type Json, openAt } from '../../kit/transport/raw-connection.ts';
import { scriptedAt } from '../../kit/transport/scripted-server.ts';

const numbered = <T>(make: (n: number) => [string, T], count = 7): Record<string, T> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => make(n)));

const definition = {
  name: 'lists',
  version: '1',
  tools: numbered((n) => [`tool${n}`, tool({}, () => 'x')]),
  resources: numbered((n) => [`a://${n}`, resource({}, () => 'x')]),
  resourceTemplates: numbered((n) => [`b${n}://{x}`, resourceTemplate({}, () => 'x')]),
  prompts: numbered((n) => [`prompt${n}`, prompt({}, () => 'x')]),
} satisfies ServerDefinition;

const lists = [
  ['tools/list', 'tools'],
  ['resources/list', 'resources'],
  ['resources/templates/list', 'resourceTemplates'],
  ['prompts/list', 'prompts'],
] as const;

describe.each(protocolVersions)('pages at %s', (revision) => {
  const open = (pageSize: number) =>
    connect(createServer({ ...definition, pageSize }), { protocolVersions: [revision] });

  it.each([1, 2, 3, 7, 100])(
    'contain every list completely, %i items at a time [S17, e-pagination-01, e-pagination-03, e-prompts-14, s-pagination-01, s-pagination-04, s-pagination-05, s-pagination-08, s-prompts-10]',
    async (pageSize) => {
      const client = await open(pageSize);
      const { resources, tools, prompts } = client;
      expect((await tools.list().all()).map(({ name }) => name)).toEqual(Object.keys(definition.tools));
      expect((await prompts.list().all()).map(({ name }) => name)).toEqual(Object.keys(definition.prompts));
      expect((await resources.list().all()).map(({ uri }) => uri)).toEqual(Object.keys(definition.resources));
      const found = (await resources.listTemplates().all()).map(({ uriTemplate }) => uriTemplate);
      expect(found).toEqual(Object.keys(definition.resourceTemplates));
      const sizes: number[] = [];
      for await (const page of tools.list().pages()) sizes.push(page.length);
      expect(Math.max(...sizes)).toBe(Math.min(pageSize, 7));
      const one: string[] = [];
      for await (const { name } of tools.list()) one.push(name);
      expect(one).toEqual(Object.keys(definition.tools));
    },
  );

  it('keep the order of the definition where one page is enough', async () => {
    const few = createServer({ name: 's', version: '1', tools: { b: tool({}, () => ''), a: tool({}, () => '') } });
    const client = await connect(few, { protocolVersions: [revision] });
    expect((await client.tools.list().all()).map(({ name }) => name)).toEqual(['b', 'a']);
  });

  it('are refused for an invalid cursor, or one of another list [e-pagination-02, e-pagination-06, s-pagination-03, s-pagination-07]', async () => {
    const client = await open(2);
    const { nextCursor } = await client.request('tools/list');
    expect(nextCursor).toEqual(expect.any(String));
    const foreign = lists.slice(1).map(([method]) => [method, nextCursor] as const);
    const invented = lists.flatMap(([method]) =>
      ['', '!', 'tool3', 'WyJ0b29scyJd', 'eyJhIjoxfQ'].map((c) => [method, c] as const),
    );
    for (const [method, cursor] of [...foreign, ...invented]) {
      await expect(client.request(method, { cursor })).rejects.toMatchObject({ code: -32602 });
    }
    const { ask, send, next } = await openAt(createServer(definition), revision);
    send(ask(1, 'tools/list', { cursor: 5 }));
    expect(await next()).toMatchObject({ id: 1, error: { code: -32602 } });
  });

  it('continue after the last item sent, even after it was removed', async () => {
    const server = createServer({ ...definition, pageSize: 3 });
    const client = await connect(server, { protocolVersions: [revision] });
    const first = await client.request('tools/list');
    server.update(({ tools }) => {
      for (const n of [0, 1, 2, 4]) delete tools[`tool${n}`];
    });
    const second = await client.request('tools/list', { cursor: first.nextCursor as string });
    expect(second).toEqual({ tools: ['tool3', 'tool5', 'tool6'].map((name) => expect.objectContaining({ name })) });
  });

  it('of another server are followed with cursors unchanged, an empty one too [e-pagination-04, e-pagination-05, s-pagination-06]', async () => {
    const named = (name: string) => ({ name, inputSchema: { type: 'object' } });
    const cursors = ['', ' %00"\\é', '0'];
    const { client, received } = scriptedAt(revision, { tools: {} }, ({ params }) => {
      const at = cursors.indexOf((params as Json)?.cursor as string);
      const nextCursor = cursors[at + 1];
      return { tools: at === 1 ? [] : [named(`t${at}`)], ...(nextCursor !== undefined && { nextCursor }) };
    });
    const tools = await (await client).tools.list().all();
    expect(tools.map(({ name }) => name)).toEqual(['t-1', 't0', 't2']);
    const sent = received.filter(({ method }) => method === 'tools/list').map(({ params }) => (params as Json)?.cursor);
    expect(sent).toEqual([undefined, ...cursors]);
  });

  it('with cursors that repeat are refused', async () => {
    const next: Record<string, string> = { undefined: 'a', a: 'b', b: 'a' };
    const { client } = scriptedAt(revision, { prompts: {} }, ({ params }) => ({
      prompts: [],
      nextCursor: next[String((params as Json)?.cursor)],
    }));
    await expect((await client).prompts.list().all()).rejects.toMatchObject({ code: 'invalid-result' });
  });
});

describe('pages of a list that changes', () => {
  const name = fc.constantFrom(...Array.from({ length: 30 }, (_, n) => `item${n}`), '0', '7', '_', 'A', 'a.b', 'z');
  const program = fc.record({
    start: fc.uniqueArray(name, { maxLength: 30 }),
    size: fc.integer({ min: 1, max: 12 }),
    edits: fc.array(fc.array(fc.record({ add: fc.boolean(), name }), { maxLength: 6 }), { maxLength: 20 }),
  });

  it('contain every remaining item once, and none twice, whatever is added and removed in between [s-pagination-02]', async () => {
    await fc.assert(
      fc.asyncProperty(program, async ({ start, size, edits }) => {
        const one = tool({}, () => 'x');
        const tools = Object.fromEntries(start.map((each) => [each, one]));
        const server = createServer({ name: 's', version: '1', pageSize: size, tools });
        const client = await connect(server, { protocolVersions: ['2026-07-28'] });
        const stayed = new Set(start);
        const ever = new Set(start);
        const listed: string[] = [];
        let turn = 0;
        for await (const page of client.tools.list().pages()) {
          listed.push(...page.map((each) => each.name));
          server.update((draft) => {
            for (const edit of edits[turn] ?? []) {
              if (edit.add) draft.tools[edit.name] = one;
              else delete draft.tools[edit.name];
              if (edit.add) ever.add(edit.name);
              else stayed.delete(edit.name);
            }
          });
          turn += 1;
        }
        await client.close();
        expect(new Set(listed).size).toBe(listed.length);
        expect([...stayed].filter((each) => !listed.includes(each))).toEqual([]);
        expect(listed.filter((each) => !ever.has(each))).toEqual([]);
      }),
      { seed: 7, numRuns: 200 },
    );
  });
});
