/** `tenon-migrate` on servers, their transports, imports and types, and on what is left. */
import { describe, expect, it } from 'vitest';
import { migrate } from '../../packages/tenon-migrate/src/migrate.ts';
import { bodyOf, convert, v1 } from './converted.ts';

const stdio = "import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';\n";
const server = "const server = new McpServer({ name: 'a', version: '1' });\n";

describe('new McpServer', () => {
  it.each([
    ["new McpServer({ name: 'a', version: '1' });", "createServer({ name: 'a', version: '1' });", []],
    [
      "new McpServer({ name: 'a', version: '1' }, { instructions: read() });",
      "createServer({ name: 'a', version: '1', instructions: read() });",
      [],
    ],
    ['new McpServer(info, { instructions });', 'createServer({ ...info, instructions });', []],
    [
      "new McpServer({ name: 'a', version: '1' }, { capabilities: { tools: {}, logging: {} } });",
      "createServer({ name: 'a', version: '1' });",
      [],
    ],
    [
      'new McpServer(info, { capabilities: { tasks: {} }, taskStore });',
      'createServer(info);',
      ['2:37 capabilities (tasks) were removed', '2:52 the option `taskStore`'],
    ],
    ['new McpServer(info, options());', 'createServer(info);', ['2:21 the options `options()` could not be followed']],
  ])('%j becomes createServer', (text, expected, report) => {
    const converted = convert(v1 + text);
    expect(bodyOf(converted)).toBe(expected);
    expect(converted.report).toEqual(report.map((line) => expect.stringContaining(line)));
  });
});

describe('connect', () => {
  it('over stdio becomes serveStdio, and its transport goes', () => {
    const text = `${v1}${stdio}${server}async function main() {
  const transport = new StdioServerTransport();
  await server.connect(transport);
  console.error('runs');
}
main();
`;
    expect(convert(text).text).toBe(`import { createServer, serveStdio } from 'tenon/stdio';
const server = createServer({ name: 'a', version: '1' });
async function main() {
  serveStdio(server);
  console.error('runs');
}
main();
`);
  });

  it('of a new transport becomes serveStdio', () => {
    expect(bodyOf(convert(`${v1}${stdio}${server}await server.connect(new StdioServerTransport());`))).toContain(
      '\nserveStdio(server);',
    );
  });

  it.each([
    ['server.connect(new StdioServerTransport()).catch(log);', /write `serveStdio\(server\)`/],
    ['const t = new StreamableHTTPServerTransport({});\nserver.connect(t);', /`serveHttp\(server\)`/],
  ])('%j is reported', (text, expected) => {
    const http =
      "import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';\n";
    const { report, text: after } = convert(v1 + stdio + http + server + text);
    expect(report[0]).toMatch(expected);
    expect(after).toContain('server.connect(');
  });
});

describe('imports', () => {
  it('lose what nothing uses, and keep the rest', () => {
    const text = `#!/usr/bin/env node
/** A server. */
import { McpServer, ResourceTemplate as Template } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SubscribeRequestSchema, type CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
${server}server.server.setRequestHandler(SubscribeRequestSchema, subscribe);
server.registerTool("a", {}, (): CallToolResult => made(Template));
`;
    const { text: after } = convert(text);
    expect(after).toContain(`#!/usr/bin/env node
/** A server. */
import { ResourceTemplate as Template } from "@modelcontextprotocol/sdk/server/mcp.js";
import { createServer, tool } from "tenon";
import { sdkHandler } from "tenon/official";
import { SubscribeRequestSchema, type CallToolResult } from "@modelcontextprotocol/sdk/types.js";
`);
  });

  it('go behind #! in a file without any', () => {
    const { text } = convert(
      "#!/usr/bin/env node\nexport const add = (server) => {\n  server.registerTool('a', {}, () => 1);\n};\n",
      { path: 'a.js', others: { 'b.js': v1 + server } },
    );
    expect(text).toMatch(/^#!\/usr\/bin\/env node\nimport \{ tool \} from 'tenon';/);
  });

  it('use the names that Tenon has in the file', () => {
    const { text } = convert(
      `import { tool as define } from 'tenon';\n${v1}${server}server.registerTool('a', {}, () => 1);`,
    );
    expect(text).toContain('draft.tools.a = define({}, ');
    expect(text).toContain("import { createServer } from 'tenon';");
  });
});

it('sends updates of resources through the server itself', () => {
  expect(bodyOf(convert(`${v1}${server}server.server.sendResourceUpdated({ uri: URI });`))).toContain(
    '\nserver.sendResourceUpdated(URI);',
  );
});

describe('the report', () => {
  it.each([
    [
      'server.server.setRequestHandler(Schema, run);',
      '`server.server.setRequestHandler(Schema, …)`: the definition has the handlers of methods; extensions have methods of their own',
    ],
    [
      'server.server.oninitialized = run;',
      '`server.server.oninitialized = …`: a server has many clients: ask in a handler',
    ],
    ['await server.close();', '`server.close()`: `close()` of the service that `serveStdio` or `serveHttp` returns'],
    [
      "await server.sendLoggingMessage({ level: 'info', data });",
      '`server.sendLoggingMessage(…)`: `ctx.log(level, data)` in a handler, `server.log(level, data)` elsewhere',
    ],
    ['export const low = server.server;', '`server.server`: Tenon has one server object'],
    ["throw new McpError(1, 'x');", '`new McpError(…)`: `rpcError(name, …)` or `ToolError`'],
    [
      "const low = new Server({ name: 'a', version: '1' });",
      '`new Server(…)`: handlers by method: serve it with `fromOfficial` of `tenon/official`, or write a definition',
    ],
  ])('on %j names what to do, once', (text, expected) => {
    const more =
      "import { McpError } from '@modelcontextprotocol/sdk/types.js';\nimport { Server } from '@modelcontextprotocol/sdk/server/index.js';\n";
    expect(convert(v1 + more + server + text).report).toEqual([expect.stringContaining(expected)]);
  });

  it('names what is left of the low-level server where no type says what a parameter is', () => {
    const text = `${v1}export const use = async (server) => {\n  await server.server.notification(x);\n  await server.server.ping();\n  app.server.listen(1);\n};`;
    expect(convert(text).report).toEqual([
      expect.stringMatching(/^3:9 `server\.server\.notification\(x\)`: `sendNotification` of the second argument/),
      expect.stringMatching(/^4:9 `server\.server\.ping\(\)`: Tenon has one server object/),
    ]);
  });

  it('finds places inside a handler that is reported', () => {
    const text = `${v1}${server}server.server.setRequestHandler(Schema, async () => {\n  await server.sendLoggingMessage(x);\n});`;
    expect(convert(text).report.map((line) => line.split(' ')[0])).toEqual(['3:1', '4:9']);
  });

  it('on CommonJS says that it is not converted', () => {
    const text = "const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');\n";
    const { findings, changed } = migrate([{ path: 'a.js', text: `${text}new McpServer(info).tool('a', run);` }]);
    expect([changed, findings]).toEqual([
      [],
      [expect.objectContaining({ what: expect.stringContaining('`require`') })],
    ]);
  });
});

describe('--tidy', () => {
  it('joins what is registered at the top level, with its comments', () => {
    const text = `${v1}import { z } from 'zod';
export const server = new McpServer({ name: 'a', version: '1' });
const Args = z.object({ b: z.string() });
// Adds.
server.registerTool('add', { inputSchema: Args.shape }, add);
function add() {}
server.registerPrompt('say', {}, () => ({ messages: [] }));
server.registerTool('get-sum', {}, () => sum);
start();
server.registerTool('late', {}, () => sum);
`;
    expect(bodyOf(convert(text, { tidy: true }))).toBe(`const Args = z.object({ b: z.string() });
function add() {}
export const server = createServer({ name: 'a', version: '1',
  tools: {
// Adds.
    add: tool({ inputSchema: Args }, sdkHandler(add)),
    ['get-sum']: tool({}, sdkHandler(() => sum)),
  },
  prompts: {
    say: prompt({}, () => (promptResult({ messages: [] }))),
  },
});
start();
server.update((draft) => { draft.tools.late = tool({}, sdkHandler(() => sum)); });`);
  });

  it('stops at a declaration that uses the server, or may', () => {
    for (const stop of [
      'const a = use(server);',
      'const a = own();\nfunction own() { return server; }',
      'const a = await b;',
    ]) {
      const text = `${v1}${server}server.registerTool('a', {}, () => 1);\n${stop}\nserver.registerTool('b', {}, () => 1);\n`;
      const after = convert(text, { tidy: true }).text;
      expect(after).toContain('a: tool({}, ');
      expect(after).toContain('draft.tools.b = tool({}, ');
    }
  });
});

describe('a second run', () => {
  it.each([{ tidy: false }, { tidy: true }])('changes nothing, with %j', (options) => {
    const text = `${v1}${stdio}import { z } from 'zod';\n${server}server.tool('a', { b: z.string() }, run);\nserver.server.setRequestHandler(S, run);\nserver.resource('n', 'a://b', (uri) => ({ contents: [{ uri: uri.href, text: '' }] }));\nawait server.connect(new StdioServerTransport());\n`;
    const first = convert(text, options);
    expect(first.text).not.toBe(text);
    expect(convert(first.text, options).text).toBe(first.text);
  });
});

it('leaves a file with a syntax error alone, names the place, and converts the others', () => {
  const { changed, failures } = migrate([
    { path: 'bad.ts', text: `${v1}${server}server.tool('a', (] => 1);` },
    { path: 'good.ts', text: v1 + server },
  ]);
  expect(changed.map(({ path }) => path)).toEqual(['good.ts']);
  expect(failures).toEqual([
    { path: 'bad.ts', line: 3, column: 19, message: expect.stringContaining('Fix it, then run again') },
  ]);
});

it('leaves a project without the SDK alone', () => {
  const { changed, usesSdk } = migrate([{ path: 'a.ts', text: "registry.registerTool('a', {}, () => 1);" }]);
  expect([changed, usesSdk]).toEqual([[], false]);
});
