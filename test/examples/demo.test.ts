/** `npm start -- --stdio`: every part of the demo, used by a client under every revision. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Client, connect, type ProtocolVersion, toText } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../architecture/source-tree.ts';
import { demoOnStdio } from './demo-program.ts';

const withForms: ReadonlySet<ProtocolVersion> = new Set(['2025-06-18', '2025-11-25', '2026-07-28']);
const withAudio: ReadonlySet<ProtocolVersion> = new Set(['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']);

describe.each(protocolVersions)('the demo on stdio under %s', (revision: ProtocolVersion) => {
  let client: Client;
  const logged: unknown[] = [];

  beforeAll(async () => {
    client = await connect(demoOnStdio(), {
      strict: true,
      protocolVersions: [revision],
      logLevel: 'info',
      onLog: ({ data }) => logged.push(data),
      handlers: {
        elicitForm: () => ({ action: 'accept', content: { people: 2 } }),
        sample: () => ({ role: 'assistant', model: 'scripted', content: { type: 'text', text: 'A short one.' } }),
      },
    });
  });
  afterAll(() => client?.close());

  test('answers the plain tools, and wrong arguments with a hint [S09]', async () => {
    expect(toText(await client.tools.call('echo', { message: 'hi' }))).toBe('hi');
    expect(toText(await client.tools.call('add', { a: 2, b: 3 }))).toBe('{"sum":5}');
    expect(toText(await client.tools.call('weather', { city: 'Oslo' }))).toContain('sunny in Oslo');
    const wrong = await client.tools.call('add', { a: 'x', b: 3 });
    expect([wrong.isError, toText(wrong)]).toEqual([true, expect.stringContaining('a: ')]);
  });

  test('reports the progress of a long call, logs, and stops when cancelled [S14] [S15]', async () => {
    const progressed: number[] = [];
    const counted = await client.tools.call(
      'count',
      { to: 3, pauseMs: 1 },
      { onProgress: ({ progress }) => progressed.push(progress) },
    );
    expect([toText(counted), progressed]).toEqual(['Counted to 3', [1, 2, 3]]);
    expect(logged).toContain('counted to 3');
    const abort = new AbortController();
    const waiting = client.tools.call('count', { to: 1000, pauseMs: 1000 }, { signal: abort.signal });
    abort.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
  });

  test('stores notes as resources, and notifies subscribed clients [S10] [S11]', async () => {
    await using watching = await client.subscribe({ resourceSubscriptions: ['note://welcome'] });
    expect(toText(await client.resources.read('note://stations'))).toContain('Oslo');
    expect(toText(await client.resources.read('note://welcome/upper'))).toContain('WRITE A NOTE');
    await client.tools.call('write', { name: 'welcome', text: 'changed' });
    const { value: change } = await watching[Symbol.asyncIterator]().next();
    expect(change).toMatchObject({ uri: 'note://welcome' });
    await client.tools.call('write', { name: 'new', text: 'fresh' });
    expect((await client.resources.list().all()).map(({ uri }) => uri)).toContain('note://new');
  });

  test('has a tool for each kind of result [S08]', async () => {
    const kindsOf = async (name: string, args: Record<string, unknown>): Promise<unknown[]> => {
      const { content } = await client.tools.call(name, args);
      return content.map(({ type, ...part }) => [type, 'mimeType' in part ? part.mimeType : undefined]);
    };
    expect(await kindsOf('chart', { city: 'Oslo' })).toEqual([['image', 'image/png']]);
    expect(await kindsOf('weather', { city: 'Oslo' })).toContainEqual(['text', undefined]);
    expect(await kindsOf('leaflet', { city: 'Oslo' })).toEqual([['resource', undefined]]);
    // Before there was audio, a client gets a text in its place.
    expect(await kindsOf('chime', {})).toEqual([
      withAudio.has(revision) ? ['audio', 'audio/wav'] : ['text', undefined],
    ]);
    const { contents } = await client.resources.read('ui://demo/forecast');
    expect(contents).toMatchObject([{ mimeType: 'text/html;profile=mcp-app' }]);
    const forecast = await client.tools.call('forecast', { city: 'Oslo' });
    expect(JSON.parse(toText(forecast))).toMatchObject({
      days: [{ day: 'Monday', degrees: 3 }, {}, {}, {}, {}, {}, {}],
    });
  });

  test('queries its database, and offers files as resources [S10]', async () => {
    const requested = await client.tools.call('query', { sql: "SELECT people FROM city WHERE name = 'Oslo'" });
    expect(JSON.parse(toText(requested))).toEqual({ rows: [{ people: 709_000 }], cut: false });
    const refused = await client.tools.call('query', { sql: 'DELETE FROM city' });
    expect([refused.isError, toText(refused)]).toEqual([true, expect.stringContaining('read only')]);
    expect((await client.resources.list().all()).map(({ uri }) => uri)).toContain('file:///reports/week.csv');
    expect(toText(await client.resources.read('file:///reports/week.csv'))).toContain('Oslo,Monday,12');
  });

  test('has prompts with completions [S12]', async () => {
    expect(toText(await client.prompts.get('plan', { city: 'Oslo' }))).toContain('Plan a day in Oslo');
    const { values } = await client.complete({ type: 'ref/prompt', name: 'plan' }, { name: 'city', value: 'Ber' });
    expect(values).toEqual(['Bergen', 'Berlin']);
  });

  test('uses elicitation and sampling where the client supports them [S16] [S17]', async () => {
    const booked = toText(await client.tools.call('book', { city: 'Oslo' }));
    expect(booked).toMatch(withForms.has(revision) ? /Booked Oslo for 2/ : /state for how many/);
    expect(toText(await client.tools.call('summarize', { text: 'long' }))).toBe('A short one.');
  });
});

test('standard output has nothing but protocol messages, npm included [s-stdio-06] [e-stdio-05]', async () => {
  const child = spawn('npm', ['start', '--', '--stdio'], {
    cwd: root,
    // From the sources, as for a user.
    env: { ...process.env, TSX_TSCONFIG_PATH: undefined },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk));
  child.stdin.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  await once(child, 'close');
  const lines = out.split('\n').filter((line) => line !== '');
  expect(lines.map((line) => JSON.parse(line).id)).toEqual([1]);
});
