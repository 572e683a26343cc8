/** Progress for another node: what is passed on is short, and a client that sends faster than it is passed on waits. */
import { createServer, serveHttp, tool } from 'tenon';
import type { MemoryStore } from 'tenon/store';
import { expect, it, onTestFinished } from 'vitest';
import { asyncStore } from '../../kit/async-store.ts';
import { deferred } from '../../kit/deferred.ts';
import { notification, request, startSession } from '../../kit/http/messages.ts';

/** For a node that does not exist: every other one gets it. */
const progress = notification('notifications/progress', {
  progressToken: 'nowhere0-1',
  progress: 1,
  message: 'x'.repeat(1_000_000),
  more: 'y'.repeat(1_000_000),
});

async function start(publish: MemoryStore['bus']['publish'], version = '2025-11-25') {
  const store = asyncStore();
  const server = createServer(
    { name: 's', version: '1', tools: { hello: tool({}, () => 'hi') } },
    { secrets: ['a secret of the nodes'] },
  );
  const service = await serveHttp(server, { port: 0, store: { ...store, bus: { ...store.bus, publish } } });
  onTestFinished(() => service.close());
  return startSession(service.url, version);
}

const isProgress = (text: string): boolean => text.includes('"kind":"progress"');

it('has no more of it than the other node reads [S24, S36]', async () => {
  const published: string[] = [];
  const session = await start(async (_topic, text) => void published.push(text));
  expect((await session.post(progress)).status).toBe(202);
  const passed = published.find(isProgress) ?? '';
  expect(passed).toContain('"progress":1');
  expect(passed.length).toBeLessThan(2000);
});

it.each([
  ['alone', '2025-11-25', progress],
  ['in a batch', '2025-03-26', [progress, progress]],
])('is accepted once it is passed on, %s [S24, S36]', async (_name, version, body) => {
  const [begun, passed] = [deferred(), deferred()];
  const session = await start(async (_topic, text) => {
    if (!isProgress(text)) return;
    begun.resolve();
    await passed.promise;
  }, version);
  let isAccepted = false;
  const posted = session.post(body).then(({ status }) => {
    isAccepted = true;
    return status;
  });
  await begun.promise;
  for (let n = 0; n < 3; n++) await session.post(request('ping', undefined, n));
  expect(isAccepted).toBe(false);
  passed.resolve();
  expect(await posted).toBe(202);
});
