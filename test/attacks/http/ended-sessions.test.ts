/** A session that ends while a batch of it waits for the store: nothing of the batch runs, and nothing is stored for the session. */
import { createServer, type HttpService, serveHttp, tool } from 'tenon';
import { createMemoryStore } from 'tenon/store';
import { expect, it, onTestFinished } from 'vitest';
import { createDeferred } from '../../../src/lib/values/deferred.ts';
import { call, notification, type RawSession, startSession } from '../../kit/http/messages.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

type End = (session: RawSession, service: HttpService) => unknown;

it.each<[string, End]>([
  ['its client ends it', (session) => session.end()],
  ['its principal is revoked', (_session, service) => service.revoke({ issuer: 'https://id.test', subject: 'ada' })],
])('and the batch gets 404 if %s [S24, S36]', async (_how, end) => {
  const runs: string[] = [];
  const memory = createMemoryStore();
  const [asked, goOn] = [createDeferred(), createDeferred()];
  const update: typeof memory.sessions.update = async (...given) => {
    asked.resolve();
    await goOn.promise;
    return memory.sessions.update(...given);
  };
  const work = tool({}, (_given, ctx) => {
    runs.push('work');
    ctx.reportProgress(1);
    return 'done';
  });
  const server = createServer(
    { name: 's', version: '1', tools: { work } },
    { secrets: ['at least sixteen characters'] },
  );
  const service = await serveHttp(server, {
    port: 0,
    store: { ...memory, sessions: { ...memory.sessions, update } },
    authenticate: () => ({ issuer: 'https://id.test', subject: 'ada' }),
    timeouts: { shutdownMs: 100 },
    onWarning() {},
  });
  onTestFinished(() => service.close());
  const session = await startSession(service.url, '2025-03-26', { isReady: false });
  const batch = session.post([notification('notifications/initialized'), call('work', {}, 7, { progressToken: 1 })]);
  await asked.promise;
  const ended = end(session, service);
  await expect.poll(() => service.stats().sessions).toBe(0);
  goOn.resolve();
  await ended;
  expect((await withTimeout(batch, 'the answer to the batch')).status).toBe(404);
  expect(runs).toEqual([]);
});
