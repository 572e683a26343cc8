import { connect, createServer, prompt, resource, resourceTemplate, type ServerDefinition, tool } from 'tenon';
import { fromJsonSchema } from 'tenon/json-schema';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const empty = tool({}, () => 'x');
const text = resource({}, () => 'x');

/** What is wrong, the path that the error must name, and the definition. */
const wrong: ReadonlyArray<readonly [what: string, place: string, definition: Partial<ServerDefinition>]> = [
  ['a tool with a space in its name', 'tools["two words"]', { tools: { 'two words': empty } }],
  ['a tool with a comma in its name', 'tools["a,b"]', { tools: { 'a,b': empty } }],
  ['a tool without a name', 'tools[""]', { tools: { '': empty } }],
  ['a tool with a name of 129 letters', 'tools["aaa', { tools: { ['a'.repeat(129)]: empty } }],
  ['a tool that takes a string', 'tools.t.input', { tools: { t: tool({ inputSchema: z.string() }, () => 'x') } }],
  [
    'a tool whose schema is not a schema',
    'tools.t.input',
    { tools: { t: tool({ inputSchema: {} as never }, () => 'x') } },
  ],
  [
    'a prompt with a number argument',
    'prompts.p.argsSchema.n',
    { prompts: { p: prompt({ argsSchema: z.object({ n: z.number() }) as never }, () => 'x') } },
  ],
  [
    'a prompt with a completer of an unknown argument',
    'prompts.p.complete.n',
    { prompts: { p: prompt({ complete: { n: () => [] } }, () => 'x') } },
  ],
  ['a resource without a URI', 'resources["notes"]', { resources: { notes: text } }],
  ['a resource at a URI without a scheme', 'resources["://x"]', { resources: { '://x': text } }],
  ['a resource at a URI with a space', 'resources["a://b c"]', { resources: { 'a://b c': text } }],
  ['a resource at a URI that begins with a space', 'resources[" a://b"]', { resources: { ' a://b': text } }],
  ['a resource at an invalid scheme', 'resources["my_notes://b"]', { resources: { 'my_notes://b': text } }],
  ['a template that is not closed', 'a://{x', { resourceTemplates: { 'a://{x': resourceTemplate({}, () => 'x') } }],
  ['an ambiguous template', 'a://{x}{y}', { resourceTemplates: { 'a://{x}{y}': resourceTemplate({}, () => 'x') } }],
  [
    'a template with a completer of an unknown variable',
    'complete.z',
    { resourceTemplates: { 'a://{x}': resourceTemplate({ complete: { z: () => [] } }, () => 'x') } },
  ],
  ['a page size of 0', 'pageSize', { pageSize: 0 }],
];

describe('a definition', () => {
  it.each(wrong)(
    'is refused with %s, and the error names the path [e-resources-14, e-tools-16, e-tools-19, s-resources-09, s-tools-10, s-tools-13]',
    (_, place, definition) => {
      const refusal = { code: 'invalid-definition', message: expect.stringContaining(place) };
      expect(() => createServer({ name: 's', version: '1', ...definition })).toThrow(expect.objectContaining(refusal));
    },
  );

  it('is refused where a schema names an unknown dialect [e-jsonschema-07, s-base-21]', () => {
    const schema = { $schema: 'https://example.com/my-dialect', type: 'object' };
    expect(() => tool({ inputSchema: fromJsonSchema(schema) }, () => 'x')).toThrow(
      expect.objectContaining({ code: 'invalid-schema' }),
    );
  });

  it('that is refused in an update leaves the server unchanged', async () => {
    const server = createServer({ name: 's', version: '1', tools: { good: empty } });
    expect(() =>
      server.update(({ tools }) => {
        tools['not good'] = empty;
        delete tools.good;
      }),
    ).toThrow(expect.objectContaining({ code: 'invalid-definition' }));
    const client = await connect(server);
    expect((await client.tools.list().all()).map(({ name }) => name)).toEqual(['good']);
  });
});

describe.each(protocolVersions)('handlers at %s', (revision) => {
  it('may destructure their context', async () => {
    const seen: unknown[] = [];
    const server = createServer({
      name: 's',
      version: '1',
      tools: {
        look: tool(
          {},
          async (
            _given,
            { signal, caller, meta, log, reportProgress: progress, clientSupports: can, step, callId, round },
          ) => {
            log('debug', 'quiet');
            progress(1);
            seen.push(signal.aborted, caller.clientInfo?.name, meta['acme/a'], can('roots'), typeof callId, round);
            return step('once', () => 'stepped');
          },
        ),
      },
    });
    const client = await connect(server, { protocolVersions: [revision], clientInfo: { name: 'me', version: '1' } });
    const { content } = await client.tools.call('look', {}, { meta: { 'acme/a': 5 } });
    expect(content).toEqual([{ type: 'text', text: 'stepped' }]);
    expect(seen).toEqual([false, 'me', 5, false, 'string', 0]);
  });
});
