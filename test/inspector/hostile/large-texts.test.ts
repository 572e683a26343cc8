/** A hostile server cannot lock the page out, or fill the memory of the inspector, by texts that are long wherever a server can write one. */
import { serveInspector } from 'tenon/inspector';
import { describe, expect, it, onTestFinished } from 'vitest';
import { answer, event, type Json, scripted, session, stream } from '../../kit/http/scripted-server.ts';
import { enter } from '../page.ts';

const long = 'x'.repeat(200_000);
const count = 20;

/** Messages of 4 MB together during a call, by where the text is. */
const messages: Readonly<Record<string, (n: number, progressToken: unknown) => Json>> = {
  'the logger of a log message': () => ({
    method: 'notifications/message',
    params: { level: 'info', logger: long, data: 'text' },
  }),
  'the data of a log message': (n) => ({
    method: 'notifications/message',
    params: { level: 'info', data: `${long}${n}` },
  }),
  'a progress message': (n, progressToken) => ({
    method: 'notifications/progress',
    params: { progressToken, progress: n + 1, message: long },
  }),
  'the name of a method': () => ({ method: long }),
  'the name in a notification': () => ({ method: 'notifications/other', params: { name: long } }),
  'the ID of a request': (n) => ({ id: `${long}${n}`, method: 'ping' }),
  'the status of a task': (n) => ({
    method: 'notifications/tasks/status',
    params: { taskId: `t${n}`, status: 'working', createdAt: '', lastUpdatedAt: '', ttl: null, statusMessage: long },
  }),
  'the ID of a task': (n) => ({
    method: 'notifications/tasks/status',
    params: { taskId: `${long}${n}`, status: 'working', createdAt: '', lastUpdatedAt: '', ttl: null },
  }),
  'a resource that was updated': (n) => ({
    method: 'notifications/resources/updated',
    params: { uri: `file:///${long}${n}` },
  }),
};

const serverOf = (): Json => ({
  protocolVersion: session,
  capabilities: { tools: {}, logging: {}, resources: { subscribe: true }, tasks: {} },
  serverInfo: { name: 'large', version: '1' },
});

/** An inspector that has called a tool, which sends these messages and then its result. */
async function called(send: (n: number, progressToken: unknown) => Json, end: Json = { result: { content: [] } }) {
  const server = await scripted(({ message, response }) => {
    const { id, method, params } = message as { id?: unknown; method?: string; params?: { _meta?: Json } };
    if (method === 'initialize') return answer(response, id, serverOf());
    if (method !== 'tools/call') return false;
    const output = stream(response);
    for (let n = 0; n < count; n++) output.write(event(send(n, params?._meta?.progressToken)));
    output.end(event({ id, ...end }));
  });
  const inspector = await serveInspector({
    servers: { large: server.url },
    start: { server: 'large', protocolVersion: session },
  });
  onTestFinished(() => inspector.close());
  const page = await enter(inspector.url);
  onTestFinished(page.close);
  const { client } = await page.event('client', (event) => event.client.state === 'ready');
  await page.call('run', { client: client.id, request: { kind: 'tool', name: 'any', arguments: {} } });
  await page.event('run', ({ run }) => run.status !== 'running');
  return { inspector, page };
}

const charsOf = (value: unknown): number => JSON.stringify(value).length;

describe('a server whose texts are long [S24, S32]', () => {
  it.each(Object.keys(messages))(
    'in %s: a page that connects again gets what it has missed, shortened',
    async (where) => {
      const { inspector, page } = await called(messages[where] as (n: number) => Json);
      const again = await enter(inspector.url);
      onTestFinished(again.close);
      await again.event('run', ({ run }) => run.status !== 'running');
      expect(charsOf(again.events)).toBeLessThan(1_000_000);
      expect(charsOf(await page.call('overview', {}))).toBeLessThan(1_000_000);
    },
  );

  it('in an error: the run has its beginning', async () => {
    const { page } = await called(() => ({ method: 'notifications/other' }), {
      error: { code: -32_000, message: long },
    });
    const { run } = await page.event('run', (event) => event.run.status === 'failed');
    expect(run.error?.message).toMatch(/^x{4000}…$/);
  });
});
