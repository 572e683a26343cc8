/** A server as the page would see it: some of every kind of tool, result, question, task and log. */
import type {
  ClientInfo,
  ConnectionHistory,
  Overview,
  Question,
  Row,
  RunInfo,
  RunRequest,
} from '../../../src/inspector/api.ts';
import type { CallToolResult, Tool } from '../../../src/protocol/generated/types/records.ts';
import { protocolVersions } from '../../../src/protocol/index.ts';
import { type Answers, type FakeBackend, Refusal, startFakeBackend } from './fake-backend.ts';

const newestFirst = protocolVersions.toReversed();
const [newest = '', , older = ''] = newestFirst;

/** 2 pixels. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAADElEQVR4nGNgaGAAAAGEAQGmYHLkAAAAAElFTkSuQmCC';

const schema = (properties: Record<string, object>, required: string[] = []): Tool['inputSchema'] =>
  ({ type: 'object', properties, required }) as Tool['inputSchema'];

export const tools: readonly Tool[] = [
  {
    name: 'weather',
    title: 'Weather',
    description: 'The weather in a city',
    annotations: { readOnlyHint: true },
    inputSchema: schema({ city: { type: 'string', minLength: 1, description: 'Where' } }, ['city']),
  },
  {
    name: 'book',
    title: 'Book',
    description: 'Books a trip, after an elicitation for how many people',
    inputSchema: schema({ city: { type: 'string' } }, ['city']),
  },
  {
    name: 'plan_trip',
    title: 'Plan a trip',
    description: 'Plans a trip with several stops. Every kind of field is in its form.',
    annotations: { idempotentHint: true, openWorldHint: true },
    inputSchema: schema(
      {
        traveller: { type: 'string', title: 'Traveller', format: 'email' },
        days: { type: 'integer', minimum: 1, maximum: 30, default: 3 },
        pace: { enum: ['slow', 'steady', 'fast'], default: 'steady' },
        isFlexible: { type: 'boolean', title: 'Flexible dates' },
        interests: { type: 'array', items: { enum: ['food', 'museums', 'hiking', 'music'] } },
        stops: {
          type: 'array',
          items: {
            type: 'object',
            properties: { city: { type: 'string' }, nights: { type: 'integer', minimum: 1 } },
            required: ['city'],
          },
        },
        budget: {
          oneOf: [
            { title: 'Per day', type: 'object', properties: { perDay: { type: 'number' } }, required: ['perDay'] },
            { title: 'No limit', const: 'unlimited' },
          ],
        },
        note: { type: ['string', 'null'] },
      },
      ['traveller', 'days'],
    ),
  },
  {
    name: 'query',
    title: 'Query',
    description: 'Reads rows of a table',
    inputSchema: schema({ sql: { type: 'string' } }),
  },
  { name: 'picture', title: 'Picture', description: 'Draws a picture', inputSchema: schema({}) },
  {
    name: 'long_report',
    title: 'Long report',
    description: 'Writes a report as a task',
    inputSchema: schema({ chapters: { type: 'integer', default: 10 } }),
  },
];

export const results: Readonly<Record<string, CallToolResult>> = {
  weather: {
    content: [
      { type: 'text', text: 'It is sunny in Oslo' },
      { type: 'resource_link', uri: 'note://stations', name: 'stations', title: 'Weather stations' },
    ],
  },
  book: { content: [{ type: 'text', text: 'Booked Oslo for 2' }] },
  plan_trip: {
    content: [
      {
        type: 'text',
        text: '# Three days\n\n- **Oslo**, two nights\n- Bergen, `one` night\n\nSee [the map](https://example.com/map).',
      },
    ],
  },
  query: {
    content: [],
    structuredContent: {
      rows: Array.from({ length: 12 }, (_, at) => ({
        id: at + 1,
        city: ['Oslo', 'Bergen', 'Berlin'][at % 3],
        celsius: 4 + at,
        rain: at % 2 === 0,
      })),
      isComplete: true,
    },
  },
  picture: {
    content: [
      { type: 'image', data: png, mimeType: 'image/png' },
      { type: 'text', text: '{"a":1,"b":[true,null,"text"]}' },
    ],
  },
};

export const client = (id: string, protocolVersion: string): ClientInfo => ({
  id,
  label: 'Tenon demo',
  target: { kind: 'url', url: 'http://127.0.0.1:3000/mcp' },
  shown: 'http://127.0.0.1:3000/mcp',
  options: {},
  state: 'ready',
  protocolVersion,
  hasSession: protocolVersion !== newest,
  server: { name: 'demo', title: 'Tenon demo', version: '1.0.0' },
  capabilities: {
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    prompts: {},
    logging: {},
    completions: {},
  },
  instructions: 'Add two numbers, get the weather, or **write notes**.',
  transport: 'http',
  connections: [1],
  auth: [],
  subscriptions: [],
  roots: [],
  openedAt: Date.now(),
});

const row = (seq: number, more: Partial<Row>): Row => ({
  seq,
  ms: seq * 37.25,
  connection: 1,
  client: 'c1',
  kind: 'message',
  chars: 200,
  summary: '',
  ...more,
});

export const rows: readonly Row[] = [
  row(1, { kind: 'open', summary: 'client to http://127.0.0.1:3000/mcp' }),
  row(2, {
    from: 'client',
    type: 'request',
    method: 'server/discover',
    id: 1,
    summary: '',
  }),
  row(3, { from: 'server', type: 'response', method: 'server/discover', id: 1, pair: 2, latencyMs: 12.4 }),
  row(4, { from: 'client', type: 'request', method: 'tools/list', id: 2 }),
  row(5, { from: 'server', type: 'response', method: 'tools/list', id: 2, pair: 4, latencyMs: 3.1 }),
  row(6, {
    from: 'client',
    type: 'request',
    method: 'tools/call',
    name: 'weather',
    id: 3,
    summary: '{"city":"Oslo"}',
  }),
  row(7, {
    from: 'server',
    type: 'response',
    method: 'tools/call',
    name: 'weather',
    id: 3,
    pair: 6,
    latencyMs: 2.2,
    summary: 'It is sunny in Oslo, and so are the stations around',
  }),
  row(8, {
    from: 'server',
    type: 'notification',
    method: 'notifications/message',
    name: 'info',
    summary: '"counted to 5"',
  }),
  row(9, { from: 'client', type: 'request', method: 'tools/call', name: 'missing', id: 4 }),
  row(10, {
    from: 'server',
    type: 'error',
    method: 'tools/call',
    name: 'missing',
    id: 4,
    pair: 9,
    latencyMs: 1.4,
    isError: true,
    summary: '-32602 Unknown tool',
  }),
];

export const question = (id: string, runs: readonly string[] = []): Question => ({
  id,
  client: 'c1',
  runs,
  kind: 'form',
  askedAt: Date.now(),
  expiresAt: Date.now() + 600_000,
  request: {
    message: 'How many go to Oslo?',
    requestedSchema: {
      type: 'object',
      properties: { people: { type: 'integer', title: 'People', minimum: 1 } },
      required: ['people'],
    },
  },
});

/** What a test replaces: answers, lists, and the result of every run. */
interface Changed {
  readonly answers?: Answers;
  readonly lists?: Readonly<Record<string, readonly object[]>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly rows?: readonly Row[];
}

/** The sample behind a page. `book` asks a question before it ends. */
export async function startSample(own: Changed = {}): Promise<FakeBackend> {
  const runs = new Map<string, RunInfo>();
  const overview: Overview = {
    version: '1.2.3',
    process: 'sample',
    protocolVersions: newestFirst,
    clients: [client('c1', newest)],
    runs: [],
    questions: [],
    recordings: [{ id: 'live', name: 'live', began: 0, firstSeq: 1, lastSeq: 10, rows: 10, isComplete: true }],
    first: { client: 'c1' },
    suggestion: { tool: 'weather', arguments: { city: 'Oslo' } },
    tour: [
      {
        id: 'run',
        title: 'Run weather',
        hint: 'Ctrl+Enter runs it.',
        opens: { tool: 'weather' },
        doneBy: { tool: 'weather' },
      },
      {
        id: 'answer',
        title: 'Answer book',
        hint: 'Run it: it asks how many people go, which takes a sentence that is longer than the strip has room for. Type `kill -9 12345`.',
        opens: { tool: 'book', arguments: { city: 'Bergen' } },
        doneBy: { tool: 'book' },
      },
      { id: 'look', title: 'Look back', hint: 'Drag the moment.', opens: {}, doneBy: { moment: true } },
    ],
    logs: [],
    seq: 1000,
  };
  const finish = (run: RunInfo): void => {
    const done: RunInfo = { ...run, status: 'done', ms: 4.2, responseSeq: 7 };
    runs.set(run.id, done);
    backend.emit({ type: 'run', run: done });
  };
  const answers: Answers = {
    enter: ({ token }) => {
      if (token !== 't')
        throw new Refusal({ code: 'wrong-token', message: 'The token is wrong.', hint: 'Open the newest link.' });
      return { key: 'k' };
    },
    overview: () => overview,
    offered: () => ({
      targets: [
        { target: { kind: 'offered', name: 'demo' }, name: 'demo', shown: 'in memory' },
        {
          target: { kind: 'configured', name: 'files', file: '/home/ada/.cursor/mcp.json' },
          name: 'files',
          shown: 'npx -y @modelcontextprotocol/server-filesystem /home/ada',
          source: { client: 'cursor', path: '/home/ada/.cursor/mcp.json' },
        },
      ],
    }),
    prepare: ({ target }) => ({
      target,
      shown: 'npx',
      ...(target.kind === 'command' && {
        spawns: { command: target.command, args: target.args, env: target.env ?? {}, cwd: '/home/ada', nonce: 'n' },
      }),
    }),
    connect: () => ({ client: client('c2', newest) }),
    duplicate: ({ options }) => {
      const next = { ...client('c2', options?.protocolVersion ?? older), connections: [2] };
      backend.emit({ type: 'client', client: next });
      return { client: next };
    },
    list: ({ kind }) => ({ kind, items: own.lists?.[kind] ?? lists[kind] }) as never,
    validate: () => ({ problems: [] }),
    complete: ({ argument }) => ({
      values: ['Bergen', 'Berlin', 'Oslo'].filter((city) => city.startsWith(argument.value)),
    }),
    tasks: () => ({ tasks: [] }),
    rows: ({ after }) => ({
      recording: overview.recordings[0] as never,
      rows: (own.rows ?? rows).filter(({ seq }) => seq > after).slice(0, 4096),
    }),
    search: ({ text }) => ({ seqs: text === 'only in the text' ? [2] : [], isCut: false }),
    state: ({ seq }) => ({ seq, connections: { 1: historyOf(seq) } }),
    numbers: () => ({ buckets: [] }),
    texts: ({ seqs }) => ({ texts: seqs.map((seq) => ({ seq, text: textOfRow(seq) })) }),
    run: ({ client: id, request }) => {
      const run: RunInfo = {
        id: `r${runs.size + 1}`,
        client: id,
        request,
        status: 'running',
        startedAt: Date.now(),
        protocolVersion: id === 'c1' ? newest : older,
        requestSeq: 6,
      };
      runs.set(run.id, run);
      setTimeout(() => begin(run), 0);
      return { run };
    },
    result: ({ run: id }) => {
      const run = runs.get(id) as RunInfo;
      return { run, result: own.result ?? resultOf(run.request) };
    },
    answer: ({ question: id }) => {
      backend.emit({ type: 'question-closed', question: id, reason: 'answered' });
      const asked = runs.get(id.replace('q', 'r'));
      if (asked !== undefined) finish(asked);
      return {};
    },
    ...own.answers,
  };
  const begin = (run: RunInfo): void => {
    backend.emit({ type: 'run', run });
    if (run.request.kind === 'tool' && run.request.name === 'book')
      backend.emit({ type: 'question', question: question(run.id.replace('r', 'q'), [run.id]) });
    else finish(run);
  };
  const backend = await startFakeBackend(answers);
  return backend;
}

/** The message of a row, as far as a test looks at it. */
function textOfRow(seq: number): string {
  const { id, from, method, name } = rows.find((each) => each.seq === seq) ?? {};
  return JSON.stringify(
    from === 'client'
      ? { jsonrpc: '2.0', id, method, params: { name, arguments: { city: 'Oslo' } } }
      : { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: `about ${seq}` }] } },
  );
}

const historyOf = (seq: number): ConnectionHistory => ({
  transport: 'http',
  peer: 'http://127.0.0.1:3000/mcp',
  state: seq > 2 ? 'ready' : 'connecting',
  openRequests: [],
  subscriptions: [],
  tasks: {},
  counts: { messages: seq, requests: 0, responses: 0, notifications: 0, errors: 0, invalid: 0 },
});

const lists = {
  tools,
  resources: [
    { uri: 'note://welcome', name: 'welcome', title: 'Note: welcome', mimeType: 'text/plain' },
    { uri: 'note://stations', name: 'stations', title: 'Note: stations', mimeType: 'text/plain' },
  ],
  templates: [
    { uriTemplate: 'note://{name}/upper', name: 'upper', title: 'A note in capitals', mimeType: 'text/plain' },
  ],
  prompts: [
    {
      name: 'plan',
      title: 'Plan a day',
      description: 'A day in a city',
      arguments: [{ name: 'city', required: true }],
    },
  ],
} as const;

function resultOf(request: RunRequest): Readonly<Record<string, unknown>> {
  if (request.kind === 'tool') return { ...(results[request.name] ?? { content: [] }) };
  if (request.kind === 'resource')
    return { contents: [{ uri: request.uri, mimeType: 'text/plain', text: 'Oslo, Bergen, Berlin, Lisbon' }] };
  return {
    messages: [{ role: 'user', content: { type: 'text', text: 'Plan a day in Oslo. Check the weather first.' } }],
  };
}
