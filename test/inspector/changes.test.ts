/** What a server changes while the page watches: lists, resources, tasks; and servers of the first transport. */
import { createServer, resource, serveHttp, tool } from 'tenon';
import { serveInspector } from 'tenon/inspector';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Watching } from '../../src/inspector/clients/watching.ts';
import { protocolVersions } from '../../src/protocol/revisions/revisions.ts';
import { deferred } from '../kit/deferred.ts';
import { enter, type Page } from './page.ts';

const newest = protocolVersions.at(-1) ?? '';
const withTasks = protocolVersions.at(-2) ?? '';

const changing = () => {
  const release = deferred();
  const server = createServer({
    name: 'changing',
    version: '1',
    tools: {
      first: tool({}, () => 'first'),
      report: tool({ task: 'optional' }, async (_, ctx) => {
        ctx.reportProgress(1, 2, 'reading');
        await release.promise;
        return 'report';
      }),
    },
    resources: { 'notes://one': resource({}, () => 'a note') },
  });
  return { server, release };
};

async function opened(servers: Record<string, never>, protocolVersion?: string): Promise<Page> {
  const [name = ''] = Object.keys(servers);
  const start = { server: name, ...(protocolVersion !== undefined && { protocolVersion }) };
  const service = await serveInspector({ servers, start });
  onTestFinished(() => service.close());
  const page = await enter(service.url);
  onTestFinished(page.close);
  await page.event('client', (event) => event.client.state === 'ready');
  return page;
}

describe.each([newest, withTasks])('with revision %s the page', (version) => {
  it('gets changes of lists, and of resources that it has subscribed to', async () => {
    const { server } = changing();
    const page = await opened({ server } as never, version);
    const subscribed = await page.call('subscribe', { client: 'c1', uri: 'notes://one', isOn: true });
    expect(subscribed.client.subscriptions).toEqual(['notes://one']);
    server.update((draft) => {
      draft.tools.second = tool({}, () => 'second');
    });
    await page.event('list-changed', (event) => event.kind === 'tools');
    const { items } = await page.call('list', { client: 'c1', kind: 'tools' });
    expect(items.map(({ name }) => name)).toContain('second');
    server.sendResourceUpdated('notes://one');
    await page.event('resource-updated', (event) => event.uri === 'notes://one');
    const ended = await page.call('subscribe', { client: 'c1', uri: 'notes://one', isOn: false });
    expect(ended.client.subscriptions).toEqual([]);
  });

  it('sees a task from its start to its result, and can follow it again', async () => {
    const { server, release } = changing();
    const page = await opened({ server } as never, version);
    const request = { kind: 'tool', name: 'report', arguments: {}, task: true } as const;
    const { run } = await page.call('run', { client: 'c1', request });
    const working = await page.event('task', (event) => event.task.status === 'working');
    const { taskId } = working.task;
    const { tasks } = await page.call('tasks', { client: 'c1' });
    expect(tasks.map((task) => task.taskId)).toContain(taskId);
    release.resolve();
    const done = await page.event('run', (event) => event.run.id === run.id && event.run.status === 'done');
    expect(done.run.task?.taskId).toBe(taskId);
    const again = await page.call('run', { client: 'c1', request: { kind: 'task', taskId } });
    await page.event('run', (event) => event.run.id === again.run.id && event.run.status === 'done');
    expect((await page.call('result', { run: again.run.id })).result).toMatchObject({ content: [{ text: 'report' }] });
  });
});

it('connects to a server that has only HTTP+SSE', async () => {
  const { server } = changing();
  const service = await serveHttp(server, { port: 0 });
  onTestFinished(() => service.close());
  const page = await opened({ old: service.url.replace(/\/mcp$/, '/sse') } as never);
  const { clients } = await page.call('overview', {});
  expect(clients[0]).toMatchObject({ server: { name: 'changing' } });
  const { rows } = await page.call('rows', { recording: 'live', after: 0 });
  expect(rows.filter(({ kind }) => kind === 'http').map(({ summary }) => summary)).toEqual(
    expect.arrayContaining(['GET /sse', expect.stringMatching(/^POST \/messages/)]),
  );
});

it('subscribes to resources that are chosen at the same time', async () => {
  const filters: unknown[] = [];
  const subscription = {
    update: async (filter: unknown) => void filters.push(filter),
    async *[Symbol.asyncIterator]() {},
  };
  const client = { capabilities: { resources: { listChanged: true } }, subscribe: async () => subscription };
  const watching = new Watching('c1', {} as never, () => {});
  watching.start(client as never);
  const uris = ['notes://one', 'notes://two'];
  await Promise.all(uris.map((uri) => watching.set(uri, true)));
  expect(watching.uris).toEqual(uris);
  expect(filters.at(-1)).toEqual({ resourcesListChanged: true, resourceSubscriptions: uris });
});
