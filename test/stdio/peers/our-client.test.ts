/** Our client with the rich server of three authors, as processes: every primitive under every revision. */
import { type RevisionId, revisionIds } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { within } from '../raw-process.ts';
import { isRunning } from '../running.ts';
import { type Conversation, converse, startedBy } from './conversation.ts';
import { ourServer, type Program, v1Server, v2Server } from './servers.ts';

interface Cell {
  readonly name: string;
  readonly server: () => Program | Promise<Program>;
  readonly revision: RevisionId;
  /** Whether the client is left to find out what the server speaks. */
  readonly open?: boolean;
  readonly strict: boolean;
}

const alone = '2026-07-28';
const sessions = revisionIds.filter((id) => id !== alone);
const under = (
  name: string,
  server: Cell['server'],
  strict: boolean,
  ids: readonly RevisionId[] = revisionIds,
): Cell[] => ids.map((revision) => ({ name, server, revision, strict }));

const cells: Cell[] = [
  ...under('our strict server', () => ourServer('--strict'), true),
  ...under('our tolerant server', () => ourServer(), false, [alone, '2025-11-25']),
  ...under('SDK v1', v1Server, true, sessions),
  ...under('SDK v2', v2Server, true),
  {
    name: 'SDK v1, which was asked what it speaks,',
    server: v1Server,
    revision: '2025-11-25',
    open: true,
    strict: false,
  },
  { name: 'SDK v2, which was asked what it speaks,', server: v2Server, revision: alone, open: true, strict: false },
];

describe.each(cells)('$name at $revision', ({ server, revision, open, strict }) => {
  let talk: Conversation;
  const hasForms = ['2025-06-18', '2025-11-25', alone].includes(revision);

  beforeAll(async () => {
    talk = await converse(await server(), { strict, ...(!open && { revisions: [revision] }) });
  });
  afterAll(() => talk.client.close());

  it('is met at its revision by the one process that was started, whose error output is no failure [e-stdio-04, e-stdio-19, e-stdio-21, s-stdio-04, s-stdio-05]', () => {
    expect(talk.client).toMatchObject({ revision, server: { name: 'rich' }, instructions: 'Try everything.' });
    expect(startedBy(talk.stderr)).toHaveLength(1);
  });

  it('has tools that answer in text of several lines, in structure and with errors [e-stdio-01, s-stdio-02]', async () => {
    const { client, say } = talk;
    const tools = await client.tools.list().all();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['echo', 'add', 'fail', 'greet']));
    expect(await say('echo', { message: 'häll\no 🌍' })).toBe('häll\no 🌍');
    expect(JSON.parse(await say('add', { a: 2, b: 3 }))).toEqual({ sum: 5 });
    const structured = hasForms ? { structuredContent: { sum: 5 } } : {};
    expect(await client.tools.call('add', { a: 2, b: 3 })).toMatchObject(structured);
    expect(await client.tools.call('fail')).toMatchObject({ isError: true });
    expect(await client.tools.call('add', { a: 'x' }).catch(({ code }) => ({ code }))).toSatisfy(
      (answer) => answer.isError === true || answer.code === -32602,
    );
  });

  it('has resources, templates, prompts and completions', async () => {
    const { client } = talk;
    expect((await client.resources.list().all()).map(({ uri }) => uri)).toEqual(['note://one', 'note://bytes']);
    expect(await client.resources.templates().all()).toMatchObject([{ uriTemplate: 'weather://{city}/now' }]);
    const read = async (uri: string): Promise<unknown> => (await client.resources.read(uri)).contents;
    expect(await read('note://one')).toMatchObject([{ uri: 'note://one', text: 'first' }]);
    expect(await read('note://bytes')).toMatchObject([{ blob: 'AQL/', mimeType: 'image/png' }]);
    expect(await read('weather://Oslo/now')).toMatchObject([{ text: 'sunny in Oslo' }]);
    expect(await client.prompts.list().all()).toMatchObject([{ name: 'plan', description: 'A plan' }]);
    const { messages } = await client.prompts.get('plan', { city: 'Oslo' });
    expect(messages).toMatchObject([{ role: 'user', content: { text: 'Plan a day in Oslo' } }]);
    const city = { name: 'city', value: 'o' };
    expect(await client.complete({ type: 'ref/prompt', name: 'plan' }, city)).toMatchObject({ values: ['Oslo'] });
    const place = { type: 'ref/resource', uri: 'weather://{city}/now' } as const;
    expect(await client.complete(place, city)).toMatchObject({ values: ['Oslo'] });
  });

  it('tells how far it is, and logs what was asked for', async () => {
    const heard: unknown[] = [];
    const { client, logs } = talk;
    await client.tools.call('count', { to: 3 }, { onProgress: (progress) => heard.push(progress) });
    const word = revision === '2024-11-05' ? {} : { message: '3 of 3' };
    expect(heard).toMatchObject([{ progress: 1 }, { progress: 2 }, { progress: 3, total: 3, ...word }]);
    expect(logs).toEqual([{ level: 'info', logger: 'counter', data: { counted: 3 } }]);
  });

  it('asks the user, the model and for the roots', async () => {
    const greeting = { content: [{ text: 'Hello, Ada' }] };
    expect(await talk.client.tools.call('greet')).toMatchObject(hasForms ? greeting : { isError: true });
    expect(await talk.say('think')).toBe('m1: Go on.');
    expect(await talk.say('where')).toBe('file:///work');
  });

  it('stops what is given up [e-stdio-10, e-stdio-11]', async () => {
    const giveUp = new AbortController();
    const call = talk.client.tools.call('wait', {}, { signal: giveUp.signal, onProgress: () => giveUp.abort() });
    await expect(within(call, 'the call to be given up')).rejects.toMatchObject({ code: 'cancelled' });
    expect(await talk.say('givenUp')).toBe('1');
  });

  it('tells of changes', async () => {
    const { client, say } = talk;
    const changes = await client.changes({ tools: true, prompts: true, resources: true, uris: ['note://one'] });
    const news = changes[Symbol.asyncIterator]();
    await say('write', { text: 'second' });
    await say('grow');
    const heard: unknown[] = [];
    for (let n = 0; n < 4; n++) heard.push((await within(news.next(), 'news')).value);
    expect(heard).toEqual(
      expect.arrayContaining([
        { kind: 'resource', uri: 'note://one' },
        { kind: 'tools' },
        { kind: 'prompts' },
        { kind: 'resources' },
      ]),
    );
    expect((await client.tools.list().all()).map(({ name }) => name)).toContain('grown');
    await changes.close();
  });

  it('answers a ping where there is one', async () => {
    const answer = await talk.client.ping().then(
      () => 'pong',
      ({ code }) => code,
    );
    expect(answer).toBe(revision === alone ? 'capability-not-supported' : 'pong');
  });

  it('said nothing that had to be dropped, heard nothing that ended it, and has gone once the client closes [e-stdio-05, e-stdio-06, S19, s-stdio-06, s-stdio-07]', async () => {
    expect(talk.faults).toEqual([]);
    expect(talk.client.counts).toEqual({ late: 0, unknown: 0, invalid: 0 });
    await within(talk.client.close(), 'the client to close');
    expect(startedBy(talk.stderr).filter(isRunning)).toEqual([]);
  });
});

it('a server of sessions only is told so by a client of exchanges only, and leaves', async () => {
  const stderr: string[] = [];
  const refusal = converse(v1Server(), { revisions: [alone], fault: (error) => stderr.push(error.message) });
  await expect(refusal).rejects.toMatchObject({ code: 'no-common-revision' });
  expect(stderr).toEqual([]);
});
