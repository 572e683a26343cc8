/** `tenon-migrate` on prompts, resources and resource templates. */
import { describe, expect, it } from 'vitest';
import { bodyOf, convert } from './converted.ts';

const imports = `import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
`;
const server = "const server = new McpServer({ name: 'a', version: '1' });\n";
const made = "const server = createServer({ name: 'a', version: '1' });\n";
const convertIn = (text: string) => convert(imports + server + text);
const body = (text: string): string => bodyOf(convertIn(text)).replace(made, '');

describe('a prompt', () => {
  it.each([
    [
      "server.registerPrompt('a', { argsSchema: { b: z.string() } }, ({ b }) => ({ messages: say(b) }));",
      'prompt({ argsSchema: z.object({ b: z.string() }) }, ({ b }) => (promptResult({ messages: say(b) })))',
    ],
    ["server.prompt('a', () => ({ messages: [] }));", 'prompt({}, () => (promptResult({ messages: [] })))'],
    [
      "server.prompt('a', 'Says', { b: z.string() }, async ({ b }): Promise<GetPromptResult> => { if (b) return made(b); return { messages: [] }; });",
      "prompt({ description: 'Says', argsSchema: z.object({ b: z.string() }) }, async ({ b }) => { if (b) return promptResult(await made(b)); return promptResult({ messages: [] }); })",
    ],
    [
      "server.registerPrompt('a', { argsSchema: A.shape }, say);",
      'prompt({ argsSchema: A }, async (args, ctx) => promptResult(await say(args, ctx)))',
    ],
    [
      "server.registerPrompt('a', {}, (extra) => made(extra));",
      'prompt({}, (_args, extra) => Promise.resolve(made(extra)).then(promptResult))',
    ],
  ])('%j returns promptResult()', (text, expected) => {
    expect(body(text)).toBe(`server.update((draft) => { draft.prompts.a = ${expected}; });`);
  });

  it('with a handler in a constant is rewritten there, if nothing else uses it', () => {
    expect(body("const say = () => ({ messages: [] });\nserver.registerPrompt('a', {}, say);")).toBe(
      'const say = () => (promptResult({ messages: [] }));\nserver.update((draft) => { draft.prompts.a = prompt({}, say); });',
    );
    expect(body("const say = () => ({ messages: [] });\nsay();\nserver.registerPrompt('a', {}, say);")).toContain(
      'prompt({}, async () => promptResult(await say()))',
    );
  });

  it('has its completions beside its schema', () => {
    const text = `const args = { b: completable(z.string(), (typed) => find(typed)), c: z.string() };
server.registerPrompt('a', { argsSchema: args, title: 'A' }, say);
server.prompt('d', { b: completable(z.string(), /* all */ find) }, say);`;
    expect(body(text)).toContain(`const args = { b: z.string(), c: z.string() };
server.update((draft) => { draft.prompts.a = prompt({ argsSchema: z.object(args), complete: { b: (typed) => find(typed) }, title: 'A' }, `);
    expect(body(text)).toContain('prompt({ argsSchema: z.object({ b: z.string() }), complete: { b: find } }, ');
    const { report } = convertIn(
      "const b = completable(z.string(), find);\nserver.registerPrompt('a', { argsSchema: { b } }, () => ({ messages: [] }));",
    );
    expect(report).toEqual([
      '5:11 `completable(…)`: `complete` beside the schema, `resourceTemplate()`',
      '6:44 the callback of `completable` for `b` belongs into `complete: { b: callback }` of the prompt',
    ]);
  });

  it('leaves the returns of functions inside it alone', () => {
    expect(
      body(
        "server.registerPrompt('a', {}, () => { const b = all.map(() => { return 1; }); return { messages: b }; });",
      ),
    ).toContain('all.map(() => { return 1; }); return promptResult({ messages: b });');
  });
});

describe('a resource', () => {
  it.each([
    [
      "server.registerResource('n', 'a://b', { title: 'T' }, async (uri) => ({ contents: [{ uri: uri.href, text: 'x' }] }));",
      "draft.resources['a://b'] = resource({ name: 'n', title: 'T' }, async (_ctx, uri = new URL('a://b')) => ([{ uri: uri.href, text: 'x' }]))",
    ],
    [
      "server.resource('n', URI, () => ({ contents: [{ uri: URI, blob: made }] }));",
      "draft.resources[URI] = resource({ name: 'n' }, () => ([{ uri: URI, bytes: Buffer.from(made, 'base64') }]))",
    ],
    [
      'server.registerResource(name, URI, config, (_uri, extra) => { return { contents: [{ uri: URI, text: extra.sessionId }] }; });',
      'draft.resources[URI] = resource({ name, ...config }, (extra) => { return [{ uri: URI, text: extra.sessionId }]; })',
    ],
    [
      "server.registerResource('n', URI, {}, read);",
      "draft.resources[URI] = resource({ name: 'n' }, async (ctx, uri = new URL(URI)) => (await read(uri, ctx)).contents)",
    ],
  ])('%j has its name in the options, and returns its parts', (text, expected) => {
    expect(body(text)).toBe(`server.update((draft) => { ${expected}; });`);
  });

  it('whose parameter has the name of its URI gets another name for it', () => {
    expect(
      body(
        "const uri = where();\nserver.resource('n', uri, async (uri) => ({ contents: [{ uri: uri.href, text: f({ uri }) }] }));",
      ),
    ).toContain('async (_ctx, url = new URL(uri)) => ([{ uri: url.href, text: f({ uri: url }) }])');
  });
});

describe('a resource template', () => {
  it.each([
    [
      "server.registerResource('n', new ResourceTemplate('a://{b}', { list: undefined }), { title: 'T' }, async (uri, { b }) => ({ contents: [{ uri: uri.href, text: b }] }));",
      "draft.resourceTemplates['a://{b}'] = resourceTemplate({ name: 'n', title: 'T' }, async ({ b }, _ctx, uri) => ([{ uri: uri, text: b }]))",
    ],
    [
      "server.resource('n', new ResourceTemplate(T, { list: undefined, complete: { b: suggest } }), (uri, variables: Variables) => { return { contents: [{ uri: uri.pathname, text: variables.b }] }; });",
      "draft.resourceTemplates[T] = resourceTemplate({ complete: { b: suggest }, name: 'n' }, (variables, _ctx, uriText, uri = new URL(uriText)) => { return [{ uri: uri.pathname, text: variables.b }]; })",
    ],
    [
      "server.registerResource('n', new ResourceTemplate(T, { list: undefined }), {}, read);",
      "draft.resourceTemplates[T] = resourceTemplate({ name: 'n' }, async (variables, ctx, uri) => (await read(new URL(uri), variables, ctx)).contents)",
    ],
  ])('%j gets the variables first', (text, expected) => {
    expect(body(text)).toBe(`server.update((draft) => { ${expected}; });`);
  });

  it('in a constant is followed', () => {
    expect(
      body(
        "const days = new ResourceTemplate('a://{b}', { list: undefined });\nserver.registerResource('n', days, {}, () => ({ contents: [] }));",
      ),
    ).toContain("draft.resourceTemplates['a://{b}'] = resourceTemplate({ name: 'n' }, () => ([]))");
  });

  it('adapts a list', () => {
    const { text, report } = convertIn(
      "server.resource('n', new ResourceTemplate(T, { list: async () => ({ resources: all }) }), () => ({ contents: [] }));",
    );
    expect(text).toContain(
      "resourceTemplate({ list: async (ctx) => (await (async () => ({ resources: all }))(ctx)).resources, name: 'n' }",
    );
    expect(report).toEqual([expect.stringContaining('`list` of this template was adapted')]);
  });
});

describe('the report', () => {
  it.each([
    ["server.registerPrompt('a', {}, (extra) => ({ messages: say(extra) }));", /context of Tenon instead of `extra`/],
    ["server.resource('n', URI, () => ({ contents: made }));", /a part with `blob` needs `bytes`/],
    [
      "server.registerResource('n', new ResourceTemplate(T, callbacks), {}, () => ({ contents: [] }));",
      /callbacks of this template/,
    ],
  ])('on %j names what to do', (text, expected) => {
    expect(convertIn(text).report).toEqual([expect.stringMatching(expected)]);
  });
});
