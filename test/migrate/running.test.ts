/** The published servers, converted and finished by hand, answer as the originals do. */
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, connect } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDeferred } from '../../src/lib/values/deferred.ts';
import { published } from '../kit/peers/programs.ts';
import { sessionVersions } from '../kit/version-order.ts';
import { withTimeout } from '../kit/with-timeout.ts';
import { everythingByHand } from './everything-by-hand.ts';
import { convertedFolder, convertedProgram, type Patch } from './running-program.ts';

/** The three places of the report, and what they need: the server stores who subscribed. */
const byHand: Patch = [
  ['    if (resourceSubscribers.has(RESOURCE_URI)) {\n', '    {\n'],
  [
    '    server.server.registerCapabilities({ resources: { subscribe: true } });\n    server.server.setRequestHandler(SubscribeRequestSchema, async (request) => {\n        resourceSubscribers.add(request.params.uri);\n        return {};\n    });\n    server.server.setRequestHandler(UnsubscribeRequestSchema, async (request) => {\n        resourceSubscribers.delete(request.params.uri);\n        return {};\n    });\n',
    '',
  ],
];

const ada = { name: 'Ada', entityType: 'person', observations: ['counts'] };
const calls: readonly (readonly [name: string, args: Record<string, unknown>])[] = [
  ['create_entities', { entities: [ada, { name: 'Babbage', entityType: 'person', observations: [] }] }],
  ['create_entities', { entities: [ada] }],
  ['create_relations', { relations: [{ from: 'Ada', to: 'Babbage', relationType: 'knows' }] }],
  ['add_observations', { observations: [{ entityName: 'Ada', contents: ['writes', 'counts'] }] }],
  ['add_observations', { observations: [{ entityName: 'Eve', contents: ['listens'] }] }],
  ['read_graph', {}],
  ['search_nodes', { query: 'write' }],
  ['open_nodes', { names: ['Babbage'] }],
  ['delete_observations', { deletions: [{ entityName: 'Ada', observations: ['counts'] }] }],
  ['delete_relations', { relations: [{ from: 'Ada', to: 'Babbage', relationType: 'knows' }] }],
  ['delete_entities', { entityNames: ['Ada'] }],
  ['read_graph', {}],
];

interface Conversation {
  readonly lists: unknown;
  readonly answers: readonly unknown[];
  readonly graph: unknown;
  readonly file: string;
}

/** Two differences that the guide names: the version of JSON Schema, and that a tool is no task, which is the default. */
const withoutDialect = (key: string, value: unknown): unknown =>
  key === '$schema' || key === 'execution' ? undefined : value;

/** Everything that a client gets from a server of this kind, and the file that it writes. */
async function converse(args: readonly string[]): Promise<Conversation> {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-migrate-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'memory.jsonl');
  await using client: Client = await connect({
    command: process.execPath,
    args: [...args],
    env: { MEMORY_FILE_PATH: file },
  });
  const last = createDeferred<void>();
  const onChange = (contents: unknown): void => {
    const text = JSON.stringify(contents);
    if (text.includes('Babbage') && !text.includes('Ada')) last.resolve();
  };
  const [tools, resources] = [await client.tools.list().all(), await client.resources.list().all()];
  await client.resources.watch('memory://knowledge-graph', onChange);
  const answers: unknown[] = [];
  for (const [name, input] of calls) {
    const { content, structuredContent, isError } = await client.tools.call(name, input);
    answers.push({ name, content, structuredContent, isError: isError === true });
  }
  const graph = await client.resources.read('memory://knowledge-graph');
  await withTimeout(last.promise, 'the update of the resource');
  return {
    lists: JSON.parse(JSON.stringify({ tools, resources }, withoutDialect)),
    answers,
    graph,
    file: await readFile(file, 'utf8'),
  };
}

describe.each([false, true])('server-memory, with tidy: %s', (tidy) => {
  it('lists, answers and writes as the original', async () => {
    const original = await converse(published('server-memory').args);
    const converted = await converse([await convertedProgram('server-memory', byHand, { tidy })]);
    expect(converted).toEqual(original);
  });
});

/** Its folders come from its arguments alone: those of clients are left out. */
const withoutRoots: Patch = [
  [/^server\.server\.setNotificationHandler\([^]*?^\}\);\n/m, ''],
  [/^server\.server\.oninitialized = [^]*?^\};\n/m, ''],
];

const text = { content: 'one\ntwo\nthree\n' };
const inFolder: readonly (readonly [name: string, args: Record<string, unknown>])[] = [
  ['list_allowed_directories', {}],
  ['write_file', { path: 'a.txt', ...text }],
  ['read_file', { path: 'a.txt' }],
  ['read_text_file', { path: 'a.txt', head: 2 }],
  ['read_text_file', { path: 'a.txt', head: 1, tail: 1 }],
  ['read_media_file', { path: 'a.txt' }],
  ['edit_file', { path: 'a.txt', edits: [{ oldText: 'two', newText: '2' }], dryRun: true }],
  ['create_directory', { path: 'sub' }],
  ['move_file', { source: 'a.txt', destination: 'sub/b.txt' }],
  ['read_multiple_files', { paths: ['sub/b.txt', 'none'] }],
  ['list_directory', { path: 'sub' }],
  ['list_directory_with_sizes', { path: 'sub', sortBy: 'size' }],
  ['directory_tree', { path: '.' }],
  ['search_files', { path: '.', pattern: '**/*.txt' }],
  ['read_file', { path: '/etc/hostname' }],
];

it('server-filesystem lists and answers as the original', async () => {
  const answersOf = async (args: readonly string[]): Promise<unknown> => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'tenon-migrate-')));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await using client = await connect({ command: process.execPath, args: [...args, folder], cwd: folder });
    const tools = await client.tools.list().all();
    const answers: unknown[] = [];
    for (const [name, input] of inFolder) {
      const { content, structuredContent, isError } = await client.tools.call(name, input);
      answers.push({ name, content, structuredContent, isError: isError === true });
    }
    return JSON.parse(JSON.stringify({ tools, answers }, withoutDialect).replaceAll(folder, 'FOLDER'));
  };
  const original = await answersOf(published('server-filesystem').args);
  expect(await answersOf([await convertedProgram('server-filesystem', withoutRoots, {})])).toEqual(original);
});

/** Tools that run as tasks of the SDK are left to a person. */
const withTasks = /^simulate-research-query$|-async$/;

const demonstrated: readonly (readonly [name: string, args: Record<string, unknown>])[] = [
  ['echo', { message: 'hi' }],
  ['get-sum', { a: 1, b: 2 }],
  ['get-annotated-message', { messageType: 'error', includeImage: true }],
  ['get-resource-links', { count: 3 }],
  ['get-resource-reference', { resourceType: 'Blob', resourceId: 2 }],
  ['get-resource-reference', { resourceType: 'Text', resourceId: 0 }],
  ['get-structured-content', { location: 'Chicago' }],
  ['get-tiny-image', {}],
  ['gzip-file-as-resource', { name: 'a.gz', data: 'data:text/plain,hello', outputType: 'resource' }],
  ['gzip-file-as-resource', { name: 'a.gz', data: 'data:text/plain,hello', outputType: 'resourceLink' }],
  ['gzip-file-as-resource', { name: 'b.gz', data: 'ftp://example.com/b' }],
  ['trigger-long-running-operation', { duration: 0.1, steps: 2 }],
  ['trigger-elicitation-request', {}],
  ['trigger-sampling-request', { prompt: 'What now?' }],
  ['trigger-url-elicitation', { url: 'https://example.com/a', elicitationId: 'one' }],
  ['get-roots-list', {}],
  ['toggle-simulated-logging', {}],
  ['toggle-simulated-logging', {}],
  ['toggle-subscriber-updates', {}],
  ['toggle-subscriber-updates', {}],
];

const got: readonly (readonly [name: string, args: Record<string, string>])[] = [
  ['simple-prompt', {}],
  ['args-prompt', { city: 'Oslo', state: 'Norway' }],
  ['completable-prompt', { department: 'Sales', name: 'Eve' }],
  ['resource-prompt', { resourceType: 'Text', resourceId: '1' }],
];

/** The description of an optional argument, as in `z.string().describe(…).optional()`: the SDK lists none. */
const listedByOurs = 'Name of the state';

/** Resources say when they were created, blobs in Base64. */
const comparable = (key: string, value: unknown): unknown => {
  if (key === 'blob' && String(value).startsWith('UmVzb3VyY2')) return 'a blob';
  if (key === 'description' && value === listedByOurs) return undefined;
  const kept = withoutDialect(key, value);
  return typeof kept === 'string' ? kept.replace(/created at [\d:]+( [AP]M)?/, 'created') : kept;
};

const byKey = (items: readonly object[], key: string): readonly object[] =>
  items.toSorted((one, other) => (String(one[key as never]) < String(other[key as never]) ? -1 : 1));

it('server-everything lists, answers, asks and notifies as the original', async () => {
  const conversation = async (...args: string[]): Promise<unknown> => {
    const uri = 'demo://resource/dynamic/text/1';
    const logged = createDeferred<void>();
    const updated = createDeferred<void>();
    await using client = await connect(
      { command: process.execPath, args, stderr: 'ignore' },
      {
        protocolVersions: sessionVersions.slice(-1),
        onLog: ({ data }) => /-level.message/.test(String(data)) && logged.resolve(),
        handlers: {
          elicitForm: () => ({ action: 'accept', content: { name: 'Ada', integer: 7 } }),
          elicitUrl: () => ({ action: 'accept' }),
          sample: () => ({ role: 'assistant', content: { type: 'text', text: 'sampled' }, model: 'm' }),
          roots: () => [{ uri: 'file:///work', name: 'Work' }],
        },
      },
    );
    await client.setLogLevel('debug');
    await client.resources.watch(uri, () => updated.resolve());
    const tools = (await client.tools.list().all()).filter(({ name }) => !withTasks.test(name));
    const answers: unknown[] = [];
    for (const [name, input] of demonstrated) {
      const progress: unknown[] = [];
      const onProgress = (update: object): void => void progress.push({ ...update });
      const { content, structuredContent, isError } = await client.tools.call(name, input, { onProgress });
      answers.push({ name, content, structuredContent, isError: isError === true, progress });
    }
    await withTimeout(Promise.all([logged.promise, updated.promise]), 'a log message and an update');
    for (const [name, input] of got) answers.push((await client.prompts.get(name, input)).messages);
    const ref = { type: 'ref/prompt', name: 'completable-prompt' } as const;
    answers.push(await client.complete(ref, { name: 'name', value: 'E' }, { department: 'Sales' }));
    const resourceRef = { type: 'ref/prompt', name: 'resource-prompt' } as const;
    answers.push(await client.complete(resourceRef, { name: 'resourceType', value: 'T' }));
    const resources = await client.resources.list().all();
    for (const read of ['demo://resource/session/a.gz', uri, 'demo://resource/dynamic/blob/3', resources[0]?.uri ?? ''])
      answers.push((await client.resources.read(read)).contents);
    const lists = {
      tools: byKey(tools, 'name'),
      prompts: byKey(await client.prompts.list().all(), 'name'),
      resources: byKey(resources, 'uri'),
      templates: byKey(await client.resources.listTemplates().all(), 'uriTemplate'),
    };
    return JSON.parse(JSON.stringify({ lists, answers }, comparable));
  };
  const original = await conversation(...published('server-everything').args);
  const program = await convertedFolder('server-everything', 'transports/stdio.js', everythingByHand);
  expect(await conversation(program)).toEqual(original);
});
