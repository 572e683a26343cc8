/** The backend of the inspector, by real HTTP, as its page uses it. */
import { serveHttp } from 'tenon';
import { type InspectorService, serveInspector } from 'tenon/inspector';
import { afterEach, describe, expect, it } from 'vitest';
import { protocolVersions } from '../../src/protocol/revisions/revisions.ts';
import { withFixed } from '../kit/fixed-limits.ts';
import { enter, type Page } from './page.ts';
import { createSample } from './sample-server.ts';

const newest = protocolVersions.at(-1) ?? '';
const older = protocolVersions.at(-3) ?? '';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function opened(more: Parameters<typeof serveInspector>[0] = {}): Promise<Page & { service: InspectorService }> {
  const service = await serveInspector({ servers: { sample: createSample() }, start: { server: 'sample' }, ...more });
  open.push(service);
  const page = await enter(service.url);
  open.push(page);
  return { ...page, service };
}

const ready = (page: Page, id = 'c1') =>
  page.event('client', ({ client }) => client.id === id && client.state === 'ready');

async function ran(page: Page, request: Parameters<Page['call']>[1], client = 'c1') {
  const { run } = await page.call('run', { client, request } as never);
  await page.event('run', (event) => event.run.id === run.id && event.run.status !== 'running');
  return page.call('result', { run: run.id });
}

describe('the inspector', () => {
  it('is connected to the server of the program when the page is opened, and lists what it offers [S32]', async () => {
    const page = await opened();
    const { client } = await ready(page);
    expect(client).toMatchObject({
      label: 'sample',
      shown: 'in memory',
      protocolVersion: newest,
      hasSession: false,
      server: { name: 'sample' },
      instructions: 'Try add.',
      transport: 'memory',
    });
    const { items } = await page.call('list', { client: 'c1', kind: 'tools' });
    expect(items.map(({ name }) => name)).toContain('add');
    expect((await page.call('list', { client: 'c1', kind: 'resources' })).items).toHaveLength(1);
    expect((await page.call('list', { client: 'c1', kind: 'templates' })).items).toEqual([]);
    const overview = await page.call('overview', {});
    expect(overview).toMatchObject({ first: { client: 'c1' }, protocolVersions: protocolVersions.toReversed() });
  });

  it('runs tools, resources and prompts, and finds their messages in the timeline', async () => {
    const page = await opened();
    await ready(page);
    const { run, result } = await ran(page, { kind: 'tool', name: 'add', arguments: { a: 1, b: 2 } } as never);
    expect(result).toMatchObject({ content: [{ type: 'text', text: '3' }] });
    const { texts } = await page.call('texts', {
      recording: 'live',
      seqs: [run.requestSeq ?? 0, run.responseSeq ?? 0],
    });
    expect(texts.map(({ text }) => JSON.parse(text))).toMatchObject([
      { method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 } } },
      { result: { content: [{ text: '3' }] } },
    ]);
    const row = await page.event('row', (event) => event.row.seq === run.responseSeq);
    expect(row.row).toMatchObject({ type: 'response', method: 'tools/call', name: 'add', pair: run.requestSeq });
    expect(row.row.latencyMs).toBeGreaterThanOrEqual(0);
    const failed = await ran(page, { kind: 'tool', name: 'fails', arguments: {} } as never);
    expect(failed.run).toMatchObject({ status: 'done', isError: true });
    const wrong = await ran(page, { kind: 'tool', name: 'none', arguments: {} } as never);
    expect(wrong.run).toMatchObject({ status: 'failed', error: { rpc: { code: -32602 } } });
    expect((await ran(page, { kind: 'resource', uri: 'notes://one' } as never)).result).toMatchObject({
      contents: [{ text: 'a note' }],
    });
    const prompt = await ran(page, { kind: 'prompt', name: 'hello', arguments: { name: 'Ada' } } as never);
    expect(prompt.result).toMatchObject({ messages: [{ content: { text: 'Hello Ada' } }] });
    expect((await page.call('overview', {})).runs.map(({ id }) => id)).toEqual(['r5', 'r4', 'r3', 'r2', 'r1']);
    await page.call('forget', { runs: ['r1'] });
    expect(await page.answer('result', { run: 'r1' })).toMatchObject({ ok: false, error: { code: 'not-found' } });
  });

  it.each([newest, older])(
    'passes server requests of revision %s to the page, which answers, refuses or lets them go',
    async (protocolVersion) => {
      const page = await opened({
        servers: { sample: createSample() },
        start: { server: 'sample', protocolVersion },
      });
      await ready(page);
      const started = ran(page, { kind: 'tool', name: 'book', arguments: {} } as never);
      const { question } = await page.event('question');
      expect(question).toMatchObject({ kind: 'form', client: 'c1', request: { message: 'For whom?' } });
      const wrong = { question: question.id, answer: { action: 'accept', content: { name: 1 } } };
      expect(await page.answer('answer', wrong)).toMatchObject({ ok: false, error: { code: 'invalid-request' } });
      await page.call('answer', { question: question.id, answer: { action: 'accept', content: { name: 'Ada' } } });
      expect((await started).result).toMatchObject({ content: [{ text: 'booked for Ada' }] });
      await page.event('question-closed', (event) => event.question === question.id && event.reason === 'answered');
      const again = { question: question.id, answer: { action: 'decline' } };
      expect(await page.answer('answer', again)).toMatchObject({ ok: false, error: { code: 'not-found' } });

      const thinking = ran(page, { kind: 'tool', name: 'think', arguments: {} } as never);
      const sampling = (await page.event('question', (event) => event.question.kind === 'sampling')).question;
      const message = { role: 'assistant', model: 'me', content: { type: 'text', text: 'tea' } } as const;
      await page.call('answer', { question: sampling.id, answer: { action: 'sample', message } });
      expect(JSON.stringify((await thinking).result)).toContain('tea');

      const { run } = await page.call('run', { client: 'c1', request: { kind: 'tool', name: 'book', arguments: {} } });
      const last = await page.event(
        'question',
        (event) => event.question.kind === 'form' && event.question.id !== question.id,
      );
      await page.call('cancel', { run: run.id });
      await page.event(
        'question-closed',
        (event) => event.question === last.question.id && event.reason === 'withdrawn',
      );
      const cancelled = await page.event('run', (event) => event.run.id === run.id && event.run.status !== 'running');
      expect(cancelled.run).toMatchObject({ status: 'cancelled', error: { code: 'cancelled' } });
    },
  );

  it('reports progress, logs, log levels, roots, ping, completion and validation', async () => {
    const page = await opened();
    await ready(page);
    await ran(page, { kind: 'tool', name: 'work', arguments: {} } as never);
    await page.event('run', (event) => event.run.progress?.message === 'half');
    expect(await page.event('log')).toMatchObject({ client: 'c1', level: 'warning', data: { half: true } });
    expect((await page.call('ping', { client: 'c1' })).ms).toBeGreaterThanOrEqual(0);
    const roots = [{ uri: 'file:///home/me' }];
    expect((await page.call('roots', { client: 'c1', roots })).client.roots).toEqual(roots);
    expect(await page.answer('roots', { client: 'c1', roots: [{ uri: 'file:///a/../b' }] })).toMatchObject({
      error: { code: 'invalid-request' },
    });
    const given = { client: 'c1', tool: 'add', arguments: { a: 'x', b: 1 } };
    expect((await page.call('validate', given)).problems).toMatchObject([{ path: '/a' }]);
    expect((await page.call('validate', { ...given, arguments: { a: 1, b: 1 } })).problems).toEqual([]);
  });

  it('has several clients at once, of several revisions, whose connections have numbers of their own', async () => {
    const page = await opened();
    await ready(page);
    const { client } = await page.call('duplicate', {
      client: 'c1',
      options: { protocolVersion: older },
    });
    const second = await ready(page, client.id);
    expect(second.client).toMatchObject({ id: 'c2', protocolVersion: older, hasSession: true });
    await ran(page, { kind: 'tool', name: 'add', arguments: { a: 1, b: 1 } } as never, 'c2');
    const { rows } = await page.call('rows', { recording: 'live', after: 0 });
    expect(rows.find((row) => row.client === 'c2' && row.method === 'tools/call')?.connection).toBe(2);
    await page.call('disconnect', { client: 'c2' });
    expect(await page.answer('list', { client: 'c2', kind: 'tools' })).toMatchObject({
      error: { code: 'not-connected' },
    });
    await page.call('reconnect', { client: 'c2' });
    await page.event('client', (event) => event.client.connections.length === 2 && event.client.state === 'ready');
    await page.call('remove', { client: 'c2' });
    await page.event('client-removed', (event) => event.client === 'c2');
  });

  it('shows a client as disconnected at once, also while a question holds its call open', async () => {
    const page = await opened();
    await ready(page);
    await page.call('run', { client: 'c1', request: { kind: 'tool', name: 'book', arguments: {} } });
    await page.event('question');
    await page.call('disconnect', { client: 'c1' });
    await page.event('question-closed', ({ reason }) => reason === 'withdrawn');
    const shown = page.events.map((event) => (event.type === 'client' ? event.client.state : event.type));
    expect(shown.indexOf('closed')).toBeGreaterThan(shown.indexOf('question'));
    expect(shown.indexOf('closed')).toBeLessThan(shown.indexOf('question-closed'));
  });

  it('connects to a URL, and says at which step that failed', async () => {
    const http = await serveHttp(createSample(), { port: 0 });
    open.push(http);
    const page = await opened({});
    const { client } = await page.call('connect', {
      target: { kind: 'url', url: http.url, headers: { 'x-a': 'secret-value' } },
    });
    expect((await ready(page, client.id)).client).toMatchObject({
      transport: 'http',
      target: { headers: { 'x-a': '‹hidden›' } },
    });
    const rows = JSON.stringify(await page.call('rows', { recording: 'live', after: 0 }));
    expect(rows).not.toContain('secret-value');
    const dead = await page.call('connect', { target: { kind: 'url', url: 'http://127.0.0.1:1/mcp' } });
    const failed = await page.event(
      'client',
      (event) => event.client.id === dead.client.id && event.client.state === 'closed',
    );
    expect(failed.client.error).toMatchObject({ code: 'connection-refused', hint: expect.any(String) });
    expect(await page.answer('connect', { target: { kind: 'url', url: 'file:///etc/passwd' } })).toMatchObject({
      ok: false,
      error: { code: 'invalid-argument' },
    });
  });

  it('sends an edited message on a new connection', async () => {
    const page = await opened();
    await ready(page);
    const { run } = await ran(page, { kind: 'tool', name: 'add', arguments: { a: 1, b: 2 } } as never);
    const { texts } = await page.call('texts', { recording: 'live', seqs: [run.requestSeq ?? 0] });
    const text = String(texts[0]?.text).replace('"b":2', '"b":40');
    const resent = await page.call('resend', { client: 'c1', text });
    await page.event('run', (event) => event.run.id === resent.run.id && event.run.status === 'done');
    expect((await page.call('result', { run: resent.run.id })).result).toMatchObject({ content: [{ text: '41' }] });
    expect(resent.client.id).toBe('c2');
    const refused = await page.answer('resend', { client: 'c1', text: '{"method":' });
    expect(refused).toMatchObject({ error: { code: 'invalid-request' } });
  });

  it('saves what it has recorded as a capture without secrets, opens it, and replays it as a server', async () => {
    const page = await opened();
    await ready(page);
    await ran(page, { kind: 'tool', name: 'add', arguments: { a: 1, b: 2, token: 'tok-12345678' } } as never);
    const saved = await page.call('saveCapture', { recording: 'live' });
    expect(saved.name).toMatch(/^inspector-.*\.mcp\.ndjson$/);
    expect(saved.text).not.toContain('tok-12345678');
    const { recording } = await page.call('openCapture', saved);
    const { rows } = await page.call('rows', { recording: recording.id, after: 0 });
    expect(rows.some((row) => row.name === 'add' && row.type === 'response')).toBe(true);
    const found = await page.call('search', { recording: recording.id, text: 'TOOLS/CALL' });
    expect(found.seqs.length).toBeGreaterThan(0);
    const { client } = await page.call('connect', { target: { kind: 'recording', recording: recording.id } });
    await ready(page, client.id);
    const again = await page.call('saveCapture', { recording: recording.id });
    expect(again).toEqual(saved);
    await page.call('closeCapture', { recording: recording.id });
    expect(await page.answer('rows', { recording: recording.id, after: 0 })).toMatchObject({
      error: { code: 'not-found' },
    });
    expect(await page.answer('openCapture', { name: 'x', text: 'no capture' })).toMatchObject({
      error: { code: 'invalid-capture' },
    });
  });

  it('has the state at any moment, and numbers for charts', async () => {
    const page = await opened({ stats: () => ({ sessions: 7, streams: 3 }) });
    await ready(page);
    const { run } = await ran(page, { kind: 'tool', name: 'add', arguments: { a: 1, b: 2 } } as never);
    const during = await page.call('state', { recording: 'live', seq: run.requestSeq ?? 0 });
    expect(during.connections[1]).toMatchObject({ state: 'ready', server: { name: 'sample' } });
    expect(during.connections[1]?.openRequests.some(({ name }) => name === 'add')).toBe(true);
    const after = await page.call('state', { recording: 'live', seq: run.responseSeq ?? 0 });
    expect(after.connections[1]?.openRequests.some(({ name }) => name === 'add')).toBe(false);
    const { buckets } = await page.call('numbers', { after: 0 });
    expect(buckets.reduce((sum, { calls }) => sum + calls, 0)).toBeGreaterThanOrEqual(2);
    expect(buckets.at(-1)).toMatchObject({ sessions: 7, streams: 3 });
    expect(
      (await page.call('numbers', { after: 0, client: 'c9' })).buckets.every(({ messages }) => messages === 0),
    ).toBe(true);
  });

  it('resumes events after a seq, in order and without a gap, or says that there is one', async () => {
    const page = await opened({ limits: withFixed({}, { maxEvents: 64 }) });
    await ready(page);
    await ran(page, { kind: 'tool', name: 'add', arguments: { a: 1, b: 2 } } as never);
    const [first] = page.events;
    const resumed = await enter(page.service.url, first?.seq ?? 0);
    open.push(resumed);
    await resumed.event('run', (event) => event.run.status === 'done');
    const events = [...resumed.events];
    const seqs = events.map(({ seq }) => seq);
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
    // The first page has a stream of its own, which may be later.
    const isResumed = ({ seq }: { seq: number }) => seq > (first?.seq ?? 0) && seq <= (seqs.at(-1) ?? 0);
    // Only new rows come with their texts.
    const withoutTexts = () => page.events.filter(isResumed).map((event) => ({ ...event, text: undefined }));
    await expect.poll(withoutTexts).toEqual(events.map((event) => ({ ...event, text: undefined })));
    for (let n = 0; n < 40; n++) await ran(page, { kind: 'tool', name: 'add', arguments: { a: n, b: 2 } } as never);
    const late = await enter(page.service.url, first?.seq ?? 0);
    open.push(late);
    await late.event('reset');
    const { rows, recording } = await page.call('rows', { recording: 'live', after: 0 });
    expect(recording.rows).toBeLessThanOrEqual(64);
    expect(rows[0]?.seq).toBe(recording.firstSeq);
    // What was dropped still counts.
    const state = await page.call('state', { recording: 'live', seq: recording.lastSeq });
    expect(state.connections[1]).toMatchObject({ server: { name: 'sample' } });
  });
});
