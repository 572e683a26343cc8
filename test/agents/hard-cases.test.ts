/** Calls that go wrong outside their server: what a program passes, what a model makes up, what never answers. */
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { content, createServer, resource, tool } from 'tenon';
import { createToolkit, type ToolkitEvent, type ToolkitOptions, type ToolOutcome, toLangChain } from 'tenon/agents';
import { createHost } from 'tenon/host';
import { fromJsonSchema } from 'tenon/json-schema';
import { describe, expect, it, onTestFinished } from 'vitest';
import { scriptedServer } from '../host/scripted-server.ts';
import { deferred } from '../kit/deferred.ts';
import { sampleHost, sampleServers } from './sample-host.ts';

function kitOf(options: ToolkitOptions = {}) {
  const sample = sampleHost();
  onTestFinished(() => sample.host.close());
  return { ...sample, kit: createToolkit(sample.host, options) };
}

const small: ToolkitOptions = { context: { maxTokens: 1 } };
const textOf = (outcome: ToolOutcome): string => (outcome.type === 'result' ? outcome.text : outcome.interrupt.kind);
const isError = (outcome: ToolOutcome): boolean => outcome.type === 'result' && outcome.isError;

describe('a call has an outcome', () => {
  it('where the ranking of the program fails', async () => {
    const rank = (): never => {
      throw new Error('secret-host.example is down');
    };
    for (const wrong of [rank, () => 5 as never]) {
      const warnings: ToolkitEvent[] = [];
      const onEvent = (event: ToolkitEvent): unknown => event.type === 'warning' && warnings.push(event);
      const { kit } = kitOf({ context: { maxTokens: 1, rank: wrong }, onEvent });
      const outcome = await kit.call({ id: '1', name: 'find_tools', arguments: { query: 'mail' } });
      expect([isError(outcome), textOf(outcome)]).toEqual([
        true,
        expect.stringMatching(/^The search does not work now/),
      ]);
      const named = await kit.call({ id: '2', name: 'find_tools', arguments: { names: ['mail__send'] } });
      expect(textOf(named)).toContain('Sends a mail');
      await expect(kit.search('mail')).rejects.toThrow(/is down|filter is not a function/);
      expect(warnings).toEqual([{ type: 'warning', error: expect.any(Error) }]);
    }
  });

  it('where the filter of the program fails', async () => {
    const { kit } = kitOf({
      filter: () => {
        throw new Error('at /home/ada/secret.ts');
      },
    });
    const outcome = await kit.call({ id: '1', name: 'mail__send', arguments: { to: 'ada' } });
    expect([isError(outcome), textOf(outcome)]).toEqual([
      true,
      'mail__send failed for a reason that is not known. Do not repeat the same call.',
    ]);
  });

  it('where the store of results fails, and where a link cannot be read', async () => {
    const warnings: unknown[] = [];
    const broken = (): never => {
      throw new Error('the disk of store.example is full');
    };
    const { kit } = kitOf({
      results: { maxChars: 100, store: { write: broken, read: broken } },
      onEvent: (event) => event.type === 'warning' && warnings.push(String(event.error)),
    });
    expect(textOf(await kit.call({ id: '1', name: 'files__long', arguments: {} }))).toContain('and not stored.');
    const read = await kit.call({ id: '2', name: 'read_more', arguments: { handle: 'r1' } });
    expect(textOf(read)).toBe('r1 could not be read: The reason is not known.');
    expect(warnings).toEqual(Array(2).fill('Error: the disk of store.example is full'));

    const linking = tool({}, () => content({ type: 'resource_link', uri: 'note://1', name: 'one' }));
    const servers = { notes: createServer({ name: 'notes', version: '1.0.0', tools: { linking } }) };
    const host = createHost({ servers, consent: 'allow-all' });
    onTestFinished(() => host.close());
    const other = createToolkit(host);
    const [, handle] =
      /handle: "(r\w{6})"/.exec(textOf(await other.call({ id: '1', name: 'notes__linking', arguments: {} }))) ?? [];
    const linked = textOf(await other.call({ id: '2', name: 'read_more', arguments: { handle } }));
    // Without the advice for programmers, which names functions of this library.
    expect(linked).toMatch(/^r\w{6} could not be read: The server did not declare resources/);
    expect(linked).not.toContain('client.');
  });

  it('where the result is larger than a message may be, which says that less helps', async () => {
    const program = `
      const lines = require('node:readline').createInterface({ input: process.stdin });
      const results = {
        initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
        'tools/list': { tools: [{ name: 'big', inputSchema: { type: 'object' } }] },
        'tools/call': { content: [{ type: 'text', text: 'x'.repeat(100_000) }] },
      };
      lines.on('line', (line) => {
        const { id, method } = JSON.parse(line);
        if (id === undefined) return;
        const result = results[method];
        console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error: { code: -32601, message: 'none' } }) }));
      });`;
    const host = createHost({
      servers: { big: { command: process.execPath, args: ['-e', program] } },
      consent: 'allow-all',
      connectOptions: { limits: { maxMessageChars: 50_000 } },
    });
    onTestFinished(() => host.close());
    const outcome = await createToolkit(host).call({ id: '1', name: 'big__big', arguments: {} });
    expect(textOf(outcome)).toBe(
      'A message of big__big is too large: its arguments, or its result, and then it has run. Ask for less, such as a page or a filter.',
    );
  });

  it('for a name of a million letters that a model has made up, soon', async () => {
    const names = Array.from({ length: 500 }, (_, n) => `tool_${n}`);
    const tools = Object.fromEntries(names.map((name) => [name, tool({}, () => name)]));
    const host = createHost({ servers: { many: createServer({ name: 'many', version: '1.0.0', tools }) } });
    onTestFinished(() => host.close());
    const outcome = await createToolkit(host).call({ id: '1', name: 'many__tool'.repeat(100_000), arguments: {} });
    expect(textOf(outcome).length).toBeLessThan(400);
  });
});

it('a linked resource that takes long to be read does not hold up the call after it', async () => {
  const opened = deferred<string>();
  const tools = {
    link: tool({}, () => content({ type: 'resource_link', uri: 'note://1', name: 'one' })),
    open: tool({}, () => {
      opened.resolve('The note');
      return 'opened';
    }),
  };
  const resources = { 'note://1': resource({}, () => opened.promise) };
  const host = createHost({
    servers: { notes: createServer({ name: 'notes', version: '1.0.0', tools, resources }) },
    consent: 'allow-all',
  });
  onTestFinished(() => host.close());
  const kit = createToolkit(host);
  const linked = textOf(await kit.call({ id: '1', name: 'notes__link', arguments: {} }));
  const [, handle] = /handle: "(r\w{6})"/.exec(linked) ?? [];
  const calls = [
    { id: '2', name: 'read_more', arguments: { handle } },
    { id: '3', name: 'notes__open', arguments: {} },
  ];
  expect((await kit.callAll(calls)).map(textOf)).toEqual([expect.stringMatching(/^The note\n/), 'opened']);
});

it('a call whose signal is aborted throws at once, also while a server is listed that never answers', async () => {
  const asked = deferred<void>();
  const silent = createHttpServer(() => asked.resolve()).listen(0, '127.0.0.1');
  onTestFinished(() => {
    silent.closeAllConnections();
    silent.close();
  });
  await new Promise((resolve) => silent.once('listening', resolve));
  const { port } = silent.address() as AddressInfo;
  const host = createHost({ servers: { silent: { url: `http://127.0.0.1:${port}/mcp` } } });
  onTestFinished(() => host.close());
  const controller = new AbortController();
  const kit = createToolkit(host);
  const called = kit.call({ id: '1', name: 'silent__tool', arguments: {} }, { signal: controller.signal });
  await asked.promise;
  controller.abort(new Error('the user has left'));
  await expect(called).rejects.toThrow('the user has left');
});

describe('find_tools', () => {
  it('works before anything was listed: another process may have listed the tools', async () => {
    const { kit } = kitOf(small);
    const outcome = await kit.call({ id: '1', name: 'find_tools', arguments: { query: 'send a mail', names: null } });
    expect(textOf(outcome)).toContain('mail__send: Sends a mail');
  });

  it('answers as the adapter needs it, also after the program has looked at the list', async () => {
    const { kit } = kitOf(small);
    const fields: string[] = [];
    await toLangChain(kit, { tool: (_run, { name }) => fields.push(name), ToolMessage: Object as never });
    expect(fields).toContain('call_tool');
    const { tools } = await kit.list();
    expect(tools.map(({ name }) => name)).toContain('call_tool');
    const outcome = await kit.call({ id: '1', name: 'find_tools', arguments: { query: 'send a mail' } });
    expect(textOf(outcome)).toMatch(/arguments: \{.*"to"/);
  });
});

it("the toolkit's own tools have no keyword that Gemini refuses", async () => {
  const { kit } = kitOf(small);
  const { tools } = await kit.list('google', { found: 'call_tool' });
  const own = tools.filter(({ server }) => server === undefined);
  expect(own.map(({ name }) => name)).toEqual(['find_tools', 'read_more', 'call_tool']);
  expect(JSON.stringify(own.map(({ inputSchema }) => inputSchema))).not.toContain('additionalProperties');
});

describe('a server with definitions that are too large', () => {
  const long = 'First line.\n' + 'x'.repeat(100_000);
  const wide = {
    type: 'object',
    properties: { choice: { enum: Array.from({ length: 5000 }, (_, n) => `value ${n}`) } },
  };
  const few: ToolkitOptions = { context: { maxTokens: 2000 } };

  function hostOf(instructions?: string) {
    const described = tool({ description: long }, () => 'ran');
    const choosing = tool({ description: 'Chooses', inputSchema: fromJsonSchema(wide) }, () => 'chosen');
    const large = createServer({
      name: 'large',
      version: '1.0.0',
      ...(instructions !== undefined && { instructions }),
      tools: { described, choosing },
    });
    const host = createHost({ servers: { large }, consent: 'allow-all' });
    onTestFinished(() => host.close());
    return host;
  }

  it('has its descriptions cut, and the report names the tool', async () => {
    const kit = createToolkit(hostOf(), { context: { maxTokens: 100_000, maxDescriptionChars: 1024 } });
    const { tools, lowered } = await kit.list('openai');
    const described = tools.find(({ name }) => name === 'large__described');
    expect(described?.description).toMatch(/^First line\.\nx{1000,1011}…$/);
    expect(lowered).toEqual([
      expect.objectContaining({ tool: 'large__described', rule: 'description-cut', losesValues: false }),
    ]);
    expect((await createToolkit(hostOf()).list()).tokens).toBeLessThan(5000);
  });

  it('has its instructions cut', async () => {
    const kit = createToolkit(hostOf('Read this. '.repeat(100_000)));
    const { instructions } = await kit.list();
    expect(instructions.length).toBeLessThan(10_100);
    expect(instructions).toMatch(/Read this\.…?$/);
  });

  it('has an answer of find_tools whose schema is read on by read_more', async () => {
    const kit = createToolkit(hostOf(), { ...few, results: { maxChars: 2000 } });
    await kit.list('any', { found: 'call_tool' });
    const found = await kit.call({ id: '1', name: 'find_tools', arguments: { names: ['choosing'] } });
    expect(textOf(found).length).toBeLessThan(2200);
    const [, handle] = /\[(r\w{6}): /.exec(textOf(found)) ?? [];
    const more = await kit.call({ id: '2', name: 'read_more', arguments: { handle, find: 'value 2500' } });
    expect(textOf(more)).toContain('value 2500');
  });
});

it('at most 128 tools are sent, as the API of OpenAI takes them, and the others are found', async () => {
  const names = Array.from({ length: 200 }, (_, n) => `t${n}`);
  const tools = Object.fromEntries(names.map((name) => [name, tool({}, () => name)]));
  const host = createHost({ servers: { s: createServer({ name: 's', version: '1.0.0', tools }) } });
  onTestFinished(() => host.close());
  const kit = createToolkit(host, { context: { maxTokens: 1_000_000 } });
  const sent = async () => (await kit.list('openai')).tools.filter(({ deferred }) => !deferred).map(({ name }) => name);
  expect(await sent()).toEqual(['find_tools', 'read_more']);
  for (let n = 0; n < 200; n += 20)
    await kit.call({ id: `${n}`, name: 'find_tools', arguments: { names: names.slice(n, n + 20), limit: 20 } });
  expect(await sent()).toHaveLength(128);
});

it('the directory fits the description that an API takes', async () => {
  const tools = Array.from({ length: 100 }, (_, n) => [`a_tool_with_a_long_name_${n}`, tool({}, () => '')] as const);
  const many = createServer({ name: 'many', version: '1.0.0', tools: Object.fromEntries(tools) });
  const host = createHost({ servers: { many }, consent: 'allow-all' });
  onTestFinished(() => host.close());
  const kit = createToolkit(host, { context: { maxTokens: 1000, maxDescriptionChars: 400 } });
  const [find] = (await kit.list()).tools;
  expect(find?.name).toBe('find_tools');
  expect(find?.description).toMatch(/many: 100 tools$/);
  expect(find?.description.length).toBeLessThanOrEqual(400);
});

it('a server of the first version whose title is none does not break the search for the others', async () => {
  const tools = [{ name: 'odd', title: {}, annotations: 'x', inputSchema: { type: 'object' } }];
  const odd = scriptedServer((method) => (method === 'tools/list' ? { tools } : {}), '2024-11-05');
  const host = createHost({ servers: { odd, ...sampleServers().servers }, consent: 'allow-all' });
  onTestFinished(() => host.close());
  const kit = createToolkit(host, small);
  const found = await kit.call({ id: '1', name: 'find_tools', arguments: { query: 'odd, or send a mail' } });
  expect([isError(found), textOf(found)]).toEqual([false, expect.stringMatching(/mail__send.*odd__odd: odd\n/s)]);
});

it('sends another key for another user, and for conversations whose long IDs end alike', async () => {
  const { samples, servers } = sampleServers();
  const send = async (principal: string, id: string) => {
    const host = createHost({ servers, consent: 'allow-all', principal });
    await using kit = createToolkit(host, { id });
    await kit.call({ id: 'call-1', name: 'mail__send', arguments: { to: 'ada' } });
    await host.close();
  };
  await send('ada', 'conversation');
  await send('bob', 'conversation');
  expect(samples.ran).toEqual(['send', 'send']);
  const end = 'x'.repeat(300);
  await send('ada', `one ${end}`);
  await send('ada', `two ${end}`);
  expect(samples.ran).toEqual(['send', 'send', 'send', 'send']);
  await send('ada', `two ${end}`);
  expect(samples.ran).toHaveLength(4);
});

it.each([
  ['a trusted server', ['notes'], 2, 'read'],
  ['another one', [], 1, 'notes__read may have run: its result was lost.'],
])('a lost call that only reads is sent again to %s', async (_which, trustedServers, sent, text) => {
  const tools = [{ name: 'read', annotations: { readOnlyHint: true }, inputSchema: { type: 'object' } }];
  let calls = 0;
  const notes = scriptedServer((method) => {
    if (method === 'tools/list') return { tools };
    if (method !== 'tools/call') return {};
    if (++calls > 1) return { content: [{ type: 'text', text: 'read' }] };
    notes.disconnect();
    return undefined;
  });
  const host = createHost({
    servers: { notes },
    consent: 'allow-all',
    connectOptions: { reconnect: { initialDelayMs: 1 } },
  });
  onTestFinished(() => host.close());
  const kit = createToolkit(host, { calls: { trustedServers } });
  const outcome = await kit.call({ id: '1', name: 'notes__read', arguments: {} });
  expect([textOf(outcome), calls]).toEqual([expect.stringContaining(text), sent]);
});

it('a lost call of a server at a URL that knows no keys is made once', async () => {
  let paid = 0;
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'bank', version: '1' },
    },
    'tools/list': { tools: [{ name: 'pay', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: 'paid again' }] },
  };
  const bank = createHttpServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { id, method = '' } = JSON.parse(Buffer.concat(parts).toString() || '{}') as {
        id?: number;
        method?: string;
      };
      // The first payment is made, and its answer is lost.
      if (method === 'tools/call' && ++paid === 1) return void request.socket.destroy();
      const result = results[method];
      const answer = result === undefined ? { error: { code: -32601, message: 'none' } } : { result };
      response.writeHead(id === undefined ? 202 : 200, { 'content-type': 'application/json' });
      response.end(id === undefined ? undefined : JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    bank.closeAllConnections();
    bank.close();
  });
  await new Promise((resolve) => bank.once('listening', resolve));
  const url = `http://127.0.0.1:${(bank.address() as AddressInfo).port}/mcp`;
  const host = createHost({
    servers: { bank: { url } },
    consent: 'allow-all',
    connectOptions: { protocolVersions: ['2025-11-25'], reconnect: { initialDelayMs: 1 } },
  });
  onTestFinished(() => host.close());
  const outcome = await createToolkit(host).call({ id: '1', name: 'bank__pay', arguments: {} });
  expect([textOf(outcome), paid]).toEqual([expect.stringContaining('bank__pay may have run'), 1]);
});
