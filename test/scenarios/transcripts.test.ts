import { createServer, RpcError, resource, type Server, type ToolAnnotations, tool } from 'tenon';
import { fromJsonSchema } from 'tenon/json-schema';
import { describe, expect, it } from 'vitest';
import { addAlerts, createWeatherServer, transcript } from '../kit/samples/weather-conversation.ts';
import { type Json, openRaw, request } from '../kit/transport/raw-connection.ts';
import type { Line } from '../kit/transport/recorded-connection.ts';

/** A message of the client, and everything it gets before it sends the next. */
interface Turn {
  readonly sent: Json;
  readonly received: readonly Json[];
}

const answered = (sent: Json, result: Json): Turn => ({ sent, received: [{ jsonrpc: '2.0', id: sent.id, result }] });
const refused = (sent: Json, error: Json): Turn => ({ sent, received: [{ jsonrpc: '2.0', id: sent.id, error }] });
const silent = (sent: Json): Turn => ({ sent, received: [] });

const initialized = silent({ jsonrpc: '2.0', method: 'notifications/initialized' });

function initialize(protocolVersion: string, capabilities: Json, name: string, more: Json = {}): Turn {
  const clientInfo = { name: 'example-client', version: '1.0.0' };
  const served = {
    capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true }, logging: {} },
    serverInfo: { name, version: '1.0.0' },
  };
  return answered(request(1, 'initialize', { protocolVersion, capabilities, clientInfo }), {
    protocolVersion,
    ...served,
    ...more,
  });
}

/** Sends the client's messages to a server and returns the actual turns. */
async function play(server: Server, turns: readonly Turn[]): Promise<Turn[]> {
  const { send, settled } = openRaw(server);
  const played: Turn[] = [];
  for (const { sent } of turns) {
    send(sent);
    played.push({ sent, received: await settled() });
  }
  return played;
}

const text = (words: unknown): Json => ({ content: [{ type: 'text', text: words }] });
const call = (id: unknown, name: string, given?: Json): Json =>
  request(id, 'tools/call', given === undefined ? { name } : { name, arguments: given });

describe('the messages of document 000', () => {
  const inputSchema = {
    type: 'object',
    properties: {
      pattern: { type: 'string', description: 'File pattern to search for' },
      directory: { type: 'string', description: 'Directory to search in', default: '.' },
    },
    required: ['pattern'],
  };
  const description = 'Search for files matching a pattern';
  const uri = 'file:///config/app.json';
  const mimeType = 'application/json';
  const facts = { name: 'Application Config', description: 'Main application configuration', mimeType };
  const server = createServer({
    name: 'my-server',
    version: '1.0.0',
    tools: {
      search_files: tool(
        { description, inputSchema: fromJsonSchema<{ pattern: string; directory: string }>(inputSchema) },
        ({ pattern, directory }) => `Found ${pattern} in ${directory}`,
      ),
      secure_operation: tool({}, () => 'done'),
    },
    resources: { [uri]: resource(facts, () => '{"debug": true, "port": 8080}') },
  });
  const greeting = initialize('2024-11-05', { tools: {}, resources: {}, prompts: {} }, 'my-server');
  const listed = [
    { name: 'search_files', description, inputSchema },
    { name: 'secure_operation', inputSchema: { type: 'object', properties: {} } },
  ];

  it('are answered as shown: unknown client capabilities are ignored, params may be left out [S01, S02]', async () => {
    const turns = [
      greeting,
      initialized,
      answered(request(2, 'tools/list'), { tools: listed }),
      answered(call(3, 'search_files', { pattern: '*.py', directory: '/src' }), text('Found *.py in /src')),
      answered(request(4, 'resources/list'), { resources: [{ uri, ...facts }] }),
      answered(request(5, 'resources/read', { uri }), {
        contents: [{ uri, mimeType, text: '{"debug": true, "port": 8080}' }],
      }),
    ];
    expect(await play(server, turns)).toEqual(turns);
  });

  it('are answered with defaults, without arguments, and with a token beside params', async () => {
    const turns = [
      greeting,
      answered(call('a', 'search_files', { pattern: '*.py' }), text('Found *.py in .')),
      answered({ ...call('b', 'secure_operation'), _meta: { authorization: 'Bearer token123' } }, text('done')),
    ];
    expect(await play(server, turns)).toEqual(turns);
  });
});

describe('the messages of document 001', () => {
  const uri = 'file:///path/to/file.txt';
  const facts = { name: 'file.txt', description: 'A text file', mimeType: 'text/plain' };
  const server = createServer({
    name: 'example-server',
    version: '1.0.0',
    tools: {
      search_files: tool({}, ({ path }) => {
        if (path === '/nowhere') throw new Error('Path /nowhere does not exist');
        return 'Found 42 files matching *.ex';
      }),
      long_operation: tool(
        {},
        (_given, { signal }) =>
          new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('stopped'))),
      ),
    },
    resources: { [uri]: resource(facts, () => 'File contents here...') },
  });
  const greeting = initialize('2024-11-05', { roots: { listChanged: true }, sampling: {} }, 'example-server');

  it('are answered as shown: empty params, ids of both types, ping, an unknown method [S01, S42, s-ping-01]', async () => {
    const turns = [
      greeting,
      initialized,
      answered(request(3, 'resources/list', {}), { resources: [{ uri, ...facts }] }),
      answered(request(4, 'resources/read', { uri }), {
        contents: [{ uri, mimeType: 'text/plain', text: 'File contents here...' }],
      }),
      answered(call(2, 'search_files', { pattern: '*.ex', path: '/src' }), text('Found 42 files matching *.ex')),
      answered(request(999, 'ping', {}), {}),
      answered(request('ping-1', 'ping'), {}),
      refused(request(1, 'unknown/method'), {
        code: -32601,
        message: expect.stringContaining('unknown/method'),
        data: { method: 'unknown/method' },
      }),
    ];
    expect(await play(server, turns)).toEqual(turns);
  });

  it('report a failed tool as a result and a missing resource as an error', async () => {
    const missing = { uri: 'file:///missing' };
    const turns = [
      greeting,
      answered(call(2, 'search_files', { pattern: '*', path: '/nowhere' }), {
        ...text(expect.any(String)),
        isError: true,
      }),
      refused(request(3, 'resources/read', missing), { code: -32002, message: expect.any(String), data: missing }),
    ];
    expect(await play(server, turns)).toEqual(turns);
  });

  it('cancel a long call with a progress token, which then gets no answer', async () => {
    const long = request(10, 'tools/call', { name: 'long_operation', _meta: { progressToken: 'operation-123' } });
    const params = { requestId: 10, reason: 'User cancelled' };
    const turns = [greeting, silent(long), silent({ jsonrpc: '2.0', method: 'notifications/cancelled', params })];
    expect(await play(server, turns)).toEqual(turns);
  });
});

describe('the messages of document 003', () => {
  const uri = 'db://localhost/users';
  const data = { details: 'Additional error information' };
  const inputSchema = { type: 'object', properties: {} };
  const described = { title: 'Current Weather', description: 'Get current weather' };
  const server = createServer({
    name: 'example-server',
    version: '1.0.0',
    tools: {
      weather_current: tool(described, () => '68°F'),
      database_query: tool({}, () => {
        throw new RpcError(-32600, 'Invalid Request', data);
      }),
    },
    resources: { [uri]: resource({ name: 'Users Table' }, () => new Uint8Array([0, 255])) },
  });

  it('are answered as shown: unknown params, titles, bytes, and errors with their data [S01]', async () => {
    const turns = [
      initialize('2025-06-18', { elicitation: {}, sampling: {}, experimental: { tasks: {} } }, 'example-server'),
      initialized,
      answered(request(1, 'tools/list', { optional: 'parameters' }), {
        tools: [
          { name: 'weather_current', ...described, inputSchema },
          { name: 'database_query', inputSchema },
        ],
      }),
      answered(call(3, 'weather_current', { location: 'San Francisco', units: 'imperial' }), text('68°F')),
      refused(call(3, 'nonexistent_tool'), {
        code: -32602,
        message: expect.stringContaining('nonexistent_tool'),
        data: { toolName: 'nonexistent_tool', availableTools: ['weather_current', 'database_query'] },
      }),
      refused(call(4, 'database_query'), { code: -32600, message: 'Invalid Request', data }),
      answered(request(6, 'resources/read', { uri }), { contents: [{ uri, blob: 'AP8=' }] }),
    ];
    expect(await play(server, turns)).toEqual(turns);
  });
});

describe('the weather conversation of document 003', () => {
  it('is exchanged unaltered, with `subscribe: false` and `listChanged: false` as the document declares them [S38, S04]', async () => {
    const server = createWeatherServer();
    const { send, next } = openRaw(server);
    const exchanged: Line[] = [];
    for (const { from, message } of transcript) {
      if (from === 'client') send(message);
      else if (message.method === 'notifications/tools/list_changed') addAlerts(server);
      exchanged.push({ from, message: from === 'client' ? message : await next() });
    }
    expect(exchanged).toEqual(transcript);
  });
});

describe('the messages of document 004', () => {
  const outputSchema = {
    type: 'object',
    properties: { id: { type: 'integer' }, number: { type: 'integer' }, url: { type: 'string' } },
  };
  const inputSchema = {
    type: 'object',
    properties: { repo: { type: 'string' }, title: { type: 'string' } },
    required: ['repo', 'title'],
  };
  const annotations: ToolAnnotations = { audience: ['user', 'assistant'], priority: 0.8, custom_field: 'value' };
  const described = { title: 'Create GitHub Issue', annotations };
  const issue = { id: 123, number: 456, url: 'https://github.com/acme/widgets/issues/456' };
  const instructions = 'This server provides access to the product catalog.';
  const uri = 'file:///project/README.md';
  const facts = { name: 'README.md', title: 'Project README', mimeType: 'text/markdown', size: 2048 };
  const server = createServer({
    name: 'my-server',
    version: '1.0.0',
    instructions,
    tools: {
      create_issue: tool(
        { ...described, inputSchema: fromJsonSchema(inputSchema), outputSchema: fromJsonSchema(outputSchema) },
        () => issue,
      ),
    },
    resources: { [uri]: resource(facts, () => '# My Project') },
  });
  const create = call(2, 'create_issue', { repo: 'acme/widgets', title: 'Bug in checkout flow', body: '…' });
  const capabilities = { roots: { listChanged: true }, sampling: {} };

  it('are answered as shown at the revision of the handshake, with instructions and a ping without params [S02]', async () => {
    const turns = [
      initialize('2025-03-26', capabilities, 'my-server', { instructions }),
      initialized,
      answered(request(1, 'ping'), {}),
      answered(create, text(JSON.stringify(issue))),
    ];
    expect(await play(server, turns)).toEqual(turns);
  });

  it('are answered in full where the revision has all fields, with custom annotations', async () => {
    const turns = [
      initialize('2025-11-25', capabilities, 'my-server', { instructions }),
      answered(request(1, 'tools/list'), {
        tools: [{ name: 'create_issue', ...described, inputSchema, outputSchema }],
      }),
      answered(create, { ...text(JSON.stringify(issue)), structuredContent: issue }),
      answered(call(3, 'create_issue', { repo: 'acme/widgets' }), {
        ...text(expect.stringContaining('title')),
        isError: true,
      }),
      answered(request(4, 'resources/list'), { resources: [{ uri, ...facts }] }),
      answered(request(5, 'resources/read', { uri }), {
        contents: [{ uri, mimeType: 'text/markdown', text: '# My Project' }],
      }),
    ];
    expect(await play(server, turns)).toEqual(turns);
  });
});
