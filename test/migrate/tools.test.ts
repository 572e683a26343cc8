/** `tenon-migrate` on tools: the calls of SDK v1 and v2, their schemas, and their handlers. */
import { describe, expect, it } from 'vitest';
import { bodyOf, convert, v1, v2 } from './converted.ts';

const z = "import { z } from 'zod';\n";
const server = "const server = new McpServer({ name: 'a', version: '1' });\n";
const made = "const server = createServer({ name: 'a', version: '1' });\n";
const body = (text: string, imports = v1 + z): string => bodyOf(convert(imports + server + text)).replace(made, '');

describe('registerTool', () => {
  it('becomes an update with a tool, whose handler is wrapped', () => {
    const { text, report } = convert(
      `${v1}${z}${server}server.registerTool('add', { inputSchema: { a: z.number() } }, ({ a }) => sum(a));\n`,
    );
    expect(text).toBe(`import { createServer, tool } from 'tenon';
import { sdkHandler } from 'tenon/official';
${z}${made}server.update((draft) => { draft.tools.add = tool({ inputSchema: z.object({ a: z.number() }) }, sdkHandler(({ a }) => sum(a))); });
`);
    expect(report).toEqual([]);
  });

  it('keeps the layout and every comment', () => {
    const before = `// Adds.
server.registerTool(
  // its name
  'add',
  {
    description: 'Adds', // for models
    inputSchema: {
      a: z.number(), /* first */
    },
  },
  /* handler */
  async ({ a }) => {
    return \`
  \${a}\`; // a text
  },
);`;
    expect(body(before)).toBe(`// Adds.
server.update((draft) => { // its name
draft.tools.add = tool(
  {
    description: 'Adds', // for models
    inputSchema: z.object({
      a: z.number(), /* first */
    }),
  },
  /* handler */
  sdkHandler(async ({ a }) => {
    return \`
  \${a}\`; // a text
  }),
); });`);
  });

  it('keeps names that are no identifiers, and those in constants', () => {
    expect(body("server.registerTool('get-sum', {}, () => sum);")).toContain("draft.tools['get-sum'] = tool({}, ");
    expect(body('server.registerTool(name, {}, () => sum);')).toContain('draft.tools[name] = tool({}, ');
    expect(body("server.registerTool('__proto__', {}, () => sum);")).toContain("draft.tools['__proto__'] = ");
  });

  it('takes the schema of X.shape', () => {
    expect(
      body("server.registerTool('a', { inputSchema: Args.shape, outputSchema: Out.pick({ b: true }).shape }, run);"),
    ).toBe(
      'server.update((draft) => { draft.tools.a = tool({ inputSchema: Args, outputSchema: Out.pick({ b: true }) }, sdkHandler(run)); });',
    );
  });

  it('follows constants to shapes and schemas, through other files too', () => {
    const others = {
      'shapes.ts':
        "import { z } from 'zod';\nexport const far = { a: z.string() };\nexport const whole = z.object({});\n",
    };
    const text = `${v1}${z}import { far, whole } from './shapes.js';\n${server}const near = { a: z.string() } as const;
const config = { inputSchema: near };
server.registerTool('a', config, run);
server.registerTool('b', { inputSchema: far }, run);
server.registerTool('c', { inputSchema: whole }, run);
`;
    const { text: after, report } = convert(text, { others });
    expect(after).toContain('const config = { inputSchema: z.object(near) };');
    expect(after).toContain('tools.b = tool({ inputSchema: z.object(far) }, ');
    expect(after).toContain('tools.c = tool({ inputSchema: whole }, ');
    expect(report).toEqual([]);
  });

  it('rewrites a configuration that two tools use once, and a shorthand property', () => {
    const text =
      'const inputSchema = { a: z.string() };\nconst config = { inputSchema };\nserver.registerTool("a", config, run);\nserver.registerTool("b", config, run);';
    expect(body(text)).toContain('const config = { inputSchema: z.object(inputSchema) };');
  });

  it('imports zod where a shape is in a file without it', () => {
    expect(convert(`${v1}${server}server.registerTool('a', { inputSchema: {} }, run);`).text).toContain(
      "import { z } from 'zod';",
    );
    expect(
      convert(`${v1}import * as zod from 'zod';\n${server}server.registerTool('a', { inputSchema: {} }, run);`).text,
    ).toContain('zod.object({})');
  });

  it('leaves schemas of v2 alone', () => {
    const text = "server.registerTool('a', { inputSchema: z.object({ a: z.string() }).strict() }, run);";
    expect(body(text, v2 + z)).toContain(
      'tool({ inputSchema: z.object({ a: z.string() }).strict() }, sdkHandler(run))',
    );
  });

  it('gives a handler without a schema its second argument', () => {
    expect(body("server.registerTool('a', {}, async (extra) => use(extra));")).toContain(
      'sdkHandler(async (_args, extra) => use(extra))',
    );
    expect(body("server.registerTool('a', {}, extra => use(extra));")).toContain(
      'sdkHandler((_args, extra) => use(extra))',
    );
    expect(body("server.registerTool('a', {}, run);")).toContain('sdkHandler((_args, extra) => run(extra))');
    expect(body("server.registerTool('a', {}, () => 1);")).toContain('sdkHandler(() => 1)');
  });

  it('is converted where the server is a parameter, with and without its type', () => {
    const typed = convert(
      `import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';\nexport function add(server: McpServer) {\n  server.tool('a', run);\n}\n`,
    );
    expect(typed.text).toBe(`import { type Server, tool } from 'tenon';
import { sdkHandler } from 'tenon/official';
export function add(server: Server) {
  server.update((draft) => { draft.tools.a = tool({}, sdkHandler((_args, extra) => run(extra))); });
}
`);
    const plain = convert("export const add = (server) => {\n  server.registerTool('a', {}, () => 1);\n};\n", {
      path: 'a.js',
      others: { 'b.js': v1 + server },
    });
    expect(plain.text).toContain("import { tool } from 'tenon';");
  });

  it('is converted where the server is a member of a class', () => {
    const text = `${v1}class Weather {\n  private readonly server: McpServer;\n  constructor() {\n    this.server = new McpServer({ name: 'a', version: '1' });\n    this.server.tool('a', () => 1);\n  }\n}\n`;
    expect(convert(text).text).toContain(
      'this.server.update((draft) => { draft.tools.a = tool({}, sdkHandler(() => 1)); });',
    );
  });

  it('of another class stays', () => {
    const text = `${v1}class Registry { registerTool(...all: unknown[]) {} }\nconst registry = new Registry();\nregistry.registerTool('a', {}, () => 1);\nexport type S = McpServer;\n`;
    expect(convert(text).text).toContain("registry.registerTool('a', {}, () => 1);");
  });

  it('keeps conditions and loops, and uses another name where draft is taken', () => {
    expect(body("if (on) server.registerTool('a', {}, () => draft);\nvar draft = 1;")).toContain(
      'if (on) server.update((features) => { features.tools.a = tool({}, sdkHandler(() => draft)); });',
    );
  });

  it('uses another name for an import that the file has', () => {
    const { text } = convert(
      `${v1}const tool = 1, resource = tool;\nexport const createServer = () => new McpServer({ name: 'a', version: '1' });\n(server: McpServer) => server.registerTool('a', {}, () => tool);\n`,
    );
    expect(text).toContain(
      "import { createServer as createTenonServer, type Server, tool as tenonTool } from 'tenon';",
    );
    expect(text).toContain('=> createTenonServer({');
    expect(text).toContain('draft.tools.a = tenonTool({}, ');
  });
});

describe('tool', () => {
  it.each([
    ["server.tool('a', () => 1);", 'tool({}, sdkHandler(() => 1))'],
    ["server.tool('a', 'Adds', () => 1);", "tool({ description: 'Adds' }, sdkHandler(() => 1))"],
    [
      "server.tool('a', { b: z.string() }, run);",
      'tool({ inputSchema: z.object({ b: z.string() }) }, sdkHandler(run))',
    ],
    [
      "server.tool('a', { readOnlyHint: true }, () => 1);",
      'tool({ annotations: { readOnlyHint: true } }, sdkHandler(() => 1))',
    ],
    [
      "server.tool('a', 'Adds', { title: z.string() }, run);",
      "tool({ description: 'Adds', inputSchema: z.object({ title: z.string() }) }, sdkHandler(run))",
    ],
    [
      "server.tool('a', 'Adds', Args.shape, { title: 'A' }, run);",
      "tool({ description: 'Adds', inputSchema: Args, annotations: { title: 'A' } }, sdkHandler(run))",
    ],
    [
      "server.tool('a', {}, { title: 'A' }, run);",
      "tool({ inputSchema: z.object({}), annotations: { title: 'A' } }, sdkHandler(run))",
    ],
    [
      "server.tool(\n  'a',\n  'Adds', // words\n  {\n    b: z.string(),\n  },\n  run,\n);",
      "tool(\n  { description: 'Adds', // words\n  inputSchema: z.object({\n    b: z.string(),\n  }) },\n  sdkHandler(run),\n)",
    ],
  ])('%j names the parts of its configuration', (text, expected) => {
    expect(body(text)).toBe(`server.update((draft) => { draft.tools.a = ${expected}; });`);
  });
});

describe('the report on a tool', () => {
  const report = (text: string): readonly string[] => convert(v1 + z + server + text).report;

  it.each([
    [
      "const handle = server.registerTool('a', {}, () => 1);\nhandle.remove();",
      /^4:16 not converted: what `registerTool\(\)` returns is used/,
    ],
    ['server.registerTool(...all);', /^4:1 not converted: `registerTool\(\.\.\.\)` with spread arguments/],
    [
      "server.registerTool('a', imported(), run);",
      /^4:26 `imported\(\)` could not be followed: its schemas must not be raw shapes/,
    ],
    [
      "server.registerTool('a', { inputSchema: shapes[0] }, run);",
      /^4:41 `shapes\[0\]` could not be followed: it must be a schema/,
    ],
    [
      "server.registerTool('a', { inputSchema: {} }, (_, { taskStore }) => use(taskStore));",
      /^4:51 the handler uses `taskStore`/,
    ],
    ["server.registerTool('a', {}, (extra) => use(extra.taskId));", /^4:31 the handler uses `taskId`/],
  ])('%j names the place and what to do', (text, expected) => {
    expect(report(text)).toEqual([expect.stringMatching(expected)]);
  });

  it('has no line for what sdkHandler gives', () => {
    expect(report("server.registerTool('a', {}, (extra) => use(extra.signal, extra.requestInfo));")).toEqual([]);
  });
});
