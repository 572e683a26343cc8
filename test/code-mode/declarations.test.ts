/** What the model reads before it writes a script: `run_code`, declarations of tools, and `find_tools` where they are too many. */
import { createServer, tool } from 'tenon';
import { createToolkit, lowerSchema } from 'tenon/agents';
import { createCodeToolkit } from 'tenon/agents/code';
import { createHost } from 'tenon/host';
import ts from 'typescript';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { apiText } from '../../src/code-mode/api-text.ts';
import { stage, textOf } from './stage.ts';

const named = (name: string, more: object = {}) => ({
  name,
  description: `Does ${name}`,
  inputSchema: { type: 'object' },
  server: 'one',
  deferred: false,
  readOnly: false,
  strict: false,
  ...more,
});

/** The mistakes in a text as TypeScript, without a library. */
function mistakesIn(text: string): readonly string[] {
  const file = ts.createSourceFile('api.ts', text, ts.ScriptTarget.Latest, true);
  const { parseDiagnostics } = file as unknown as { parseDiagnostics: readonly ts.Diagnostic[] };
  return parseDiagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

describe('declarations', () => {
  it('have the types of arguments and results', () => {
    const text = apiText([
      named('one__read', {
        inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
      }),
      named('my-server__list', {
        outputSchema: { type: 'object', properties: { names: { type: 'array', items: { type: 'string' } } } },
      }),
    ]);
    expect(text).toBe(`declare const tools: {
  /** Does one__read */
  one__read(args: {
    path: string;
  }): Promise<string>;
  /** Does my-server__list */
  "my-server__list"(args?: Record<string, unknown>): Promise<{
    names?: Array<string>;
  }>;
};`);
    expect(mistakesIn(text)).toEqual([]);
  });

  it('name what a schema refers to, once for all tools', () => {
    const inputSchema = {
      type: 'object',
      properties: { tree: { $ref: '#/$defs/Tree' } },
      $defs: { Tree: { type: 'object', properties: { inner: { $ref: '#/$defs/Tree' } } } },
    };
    const text = apiText([named('one__a', { inputSchema }), named('one__b', { inputSchema })]);
    expect(text.match(/type Tree/g)).toHaveLength(1);
    expect(text.match(/tree\?: Tree;/g)).toHaveLength(2);
    expect(mistakesIn(text)).toEqual([]);
  });

  it.each([
    ['ends the comment', { description: '*/ }; process.exit(); /*' }],
    ['has lines', { description: 'one\n*/\ntwo\u2028three' }],
    [
      'has names that are no identifiers',
      { inputSchema: { type: 'object', properties: { '"]: 1; }': {}, 'a\nb': {} } } },
    ],
    ['has values that end a text', { inputSchema: { type: 'object', properties: { a: { const: '"; }\u2028' } } } }],
    ['refers to nothing', { inputSchema: { type: 'object', properties: { a: { $ref: '#/$defs/Nothing' } } } }],
    ['refers to itself', { inputSchema: { $ref: '#' } }],
  ])('of a server whose definition %s are valid TypeScript', (_what, more) => {
    const text = apiText([named('one__bad', more), named('one__good')]);
    expect(mistakesIn(text)).toEqual([]);
    expect(text).toContain('one__good(args?: Record<string, unknown>): Promise<string>;');
  });

  it('of one tool do not fill those of all', () => {
    const properties = Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`name${n}`, { type: 'string' }]));
    const text = apiText([named('one__large', { inputSchema: { type: 'object', properties } }), named('one__small')]);
    expect(text).toContain('one__large(args?: Record<string, unknown>): Promise<string>;');
    expect(text.length).toBeLessThan(1000);
  });
});

describe('the tools of a code toolkit', () => {
  it('are run_code with all declarations, and read_more', async () => {
    const { code } = stage();
    const { tools, tokens } = await code.list();
    expect(tools.map(({ name }) => name)).toEqual(['run_code', 'read_more']);
    const [{ description = '', inputSchema } = {}] = tools;
    expect(description).toContain('shop__order(args: {\n    item: string;\n  }): Promise<string>;');
    expect(inputSchema).toMatchObject({ required: ['script'] });
    expect(tokens).toBeGreaterThan(description.length / 5);
  });

  it.each(['any', 'anthropic', 'openai', 'openai-strict', 'google'] as const)(
    'have a form that %s accepts',
    async (target) => {
      const { code } = stage({ code: { limits: { maxApiChars: 1 } } });
      const { tools } = await code.list(target);
      expect(tools.map(({ name }) => name)).toEqual(['run_code', 'find_tools', 'read_more']);
      // The toolkit's own tools are not strict there: their optional arguments stay optional.
      const form = target === 'openai-strict' ? 'openai' : target;
      for (const { inputSchema } of tools)
        expect(await lowerSchema(inputSchema, form)).toMatchObject({ schema: inputSchema });
    },
  );

  it('are the same object until a tool has changed', async () => {
    const greet = tool({ description: 'Greets' }, () => 'hello');
    const server = createServer({ name: 'one', version: '1', tools: { greet } });
    const host = createHost({ servers: { one: server }, consent: 'allow-all' });
    await using kit = createToolkit(host);
    await using code = createCodeToolkit(kit);
    const first = await code.list('anthropic');
    expect(first.changed).toBe(false);
    expect(await code.list('anthropic')).toBe(first);
    server.update(({ tools }) => {
      tools.leave = tool({ description: 'Leaves' }, () => 'bye');
    });
    await expect.poll(async () => (await code.list('anthropic')).tools[0]?.description).toContain('one__leave');
    const after = await code.list('anthropic');
    expect(after.changed).toBe(false);
    expect(await code.list('anthropic')).toBe(after);
    await host.close();
  });
});

describe('too many tools to declare', () => {
  function large() {
    const tools = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [
        `tool_${n}`,
        tool(
          { description: `Does the thing number ${n}`, inputSchema: z.object({ [`field${n}`]: z.string() }) },
          () => `${n}`,
        ),
      ]),
    );
    const host = createHost({
      servers: { many: createServer({ name: 'many', version: '1', tools }) },
      consent: 'allow-all',
    });
    const kit = createToolkit(host);
    const code = createCodeToolkit(kit, { limits: { maxApiChars: 2000, timeMs: 60_000 } });
    onTestFinished(async () => {
      await code.close();
      await kit.close();
      await host.close();
    });
    return code;
  }

  it('are named by find_tools, which answers with declarations; the description does not change', async () => {
    const code = large();
    const before = await code.list();
    expect(before.tools.map(({ name }) => name)).toEqual(['run_code', 'find_tools', 'read_more']);
    expect(before.tools[0]?.description).not.toContain('tool_7');
    expect(before.tools[1]?.description).toContain('tool_7');
    const found = await code.call({ id: 'find', name: 'find_tools', arguments: { names: ['many__tool_7'] } });
    expect(textOf(found)).toContain('many__tool_7(args: {\n    field7: string;\n  }): Promise<string>;');
    expect(found).not.toHaveProperty('found');
    const after = await code.list();
    expect(after.tools[0]?.description).toBe(before.tools[0]?.description);
    const script = "return await tools.many__tool_7({ field7: 'x' })";
    expect(textOf(await code.call({ id: 'run', name: 'run_code', arguments: { script } }))).toBe('"7"');
  });

  it('are declared as far as there is room', async () => {
    const code = large();
    const names = Array.from({ length: 20 }, (_, n) => `many__tool_${n}`);
    const found = textOf(await code.call({ id: 'find', name: 'find_tools', arguments: { names } }));
    expect(found.length).toBeLessThan(2500);
    expect(found).toContain('many__tool_0(');
    expect(found).toMatch(/Also: .*many__tool_19\. Pass one of them in names to see it\.$/);
  });
});

it('without a toolkit is refused', () => {
  expect(() => createCodeToolkit({} as never)).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
});
