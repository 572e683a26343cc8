/** Pipelined requests: all of them end when their connection closes. */
import { tool } from 'tenon';
import { expect, it, vi } from 'vitest';
import { call, lone, loneCall, resumableRevisions, sessionRevisions, startSession } from '../../kit/http/messages.ts';
import { dial, written } from '../../kit/http/raw-socket.ts';
import { serve } from '../../kit/http/sample-server.ts';

const nothing = { sessions: 0, streams: 0, activeCalls: 0 };

function slow() {
  const left: unknown[] = [];
  const state = { begun: 0, left };
  const wait = tool({}, async (_given, { signal }) => {
    state.begun++;
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    left.push(signal.reason);
    return 'left';
  });
  return { state, tools: { slow: wait } };
}

it('stateless calls are all cancelled when their client disconnects', async () => {
  const { state, tools } = slow();
  const served = await serve({}, {}, { tools });
  const { socket } = dial(served);
  for (let id = 0; id < 5; id++) socket.write(written(loneCall('slow', {}, {}, id)));
  await vi.waitFor(() => expect(state.begun).toBe(5));
  socket.destroy();
  await vi.waitFor(() => expect(state.left).toHaveLength(5));
  await vi.waitFor(() => expect(served.stats()).toMatchObject(nothing));
});

it('a call is not cancelled by the responses sent before it on its connection', async () => {
  const { state, tools } = slow();
  const served = await serve({}, {}, { tools });
  const { socket, until } = dial(served);
  socket.write(written(loneCall('wait')) + written(loneCall('wait', {}, {}, 2)));
  await served.waits;
  served.release();
  await until(/waited[^]*waited/);
  socket.write(written(loneCall('slow')));
  await vi.waitFor(() => expect(state.begun).toBe(1));
  expect(state.left).toEqual([]);
  socket.destroy();
  await vi.waitFor(() => expect(served.stats()).toMatchObject(nothing));
});

it('subscriptions/listen requests free their slots when their connections close', async () => {
  // Node stops reading a connection with so many pending responses: only a write detects that it has closed.
  const served = await serve({ timeouts: { keepAliveMs: 50 } });
  const listen = { notifications: { resourcesListChanged: true } };
  // One caller gets half of the 1000.
  const dialled = Array.from({ length: 4 }, () => dial(served));
  for (const [n, { socket }] of dialled.entries())
    for (let id = 0; id < 125; id++) socket.write(written(lone('subscriptions/listen', listen, {}, `${n} ${id}`)));
  await vi.waitFor(() => expect(served.stats().streams).toBe(500), 20_000);
  const refused = dial(served);
  refused.socket.write(written(lone('subscriptions/listen', listen)));
  await refused.until(/^HTTP\/1\.1 503 [^]*All callers together can have at most 1000 subscriptions/);
  for (const { socket } of dialled) socket.destroy();
  await vi.waitFor(() => expect(served.stats()).toMatchObject(nothing), 20_000);
  const welcome = dial(served);
  welcome.socket.write(written(lone('subscriptions/listen', listen)));
  await welcome.until(/acknowledged/);
});

it.each(resumableRevisions)('streams of a session of %s close with their connection', async (revision) => {
  const served = await serve();
  const session = await startSession(served.url, revision);
  const { socket, until } = dial(served);
  const headers = { ...session.headers, accept: 'text/event-stream' };
  const progressCall = { headers: session.headers, body: call('wait', {}, 1, { progressToken: 1 }) };
  socket.write(written(progressCall) + written({ method: 'GET', headers }));
  await until(/notifications\/progress/);
  await vi.waitFor(() => expect(served.stats().streams).toBe(2));
  socket.destroy();
  await vi.waitFor(() => expect(served.stats().streams).toBe(0));
});

it('streams of HTTP+SSE close with their connection', async () => {
  const served = await serve();
  const { socket, until } = dial(served);
  socket.write(written({ method: 'GET' }, '/sse').repeat(3));
  await until(/endpoint/);
  await vi.waitFor(() => expect(served.stats().sessions).toBe(3));
  socket.destroy();
  await vi.waitFor(() => expect(served.stats()).toMatchObject(nothing));
});

it.each(sessionRevisions)('responses in a session of %s come in the order of their requests', async (revision) => {
  const served = await serve();
  const session = await startSession(served.url, revision);
  const { socket, until, text } = dial(served);
  const bodies = [call('wait', {}, 'first'), call('echo', { text: 'x' }, 'second')];
  for (const body of bodies) socket.write(written({ headers: session.headers, body }));
  await served.waits;
  served.release();
  await until(/"id":"second"/);
  expect(text().indexOf('"first"')).toBeLessThan(text().indexOf('"second"'));
});
