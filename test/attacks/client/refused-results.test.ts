/** Servers that hold a task open and refuse its result: a client asks again after pauses, not as fast as it is refused. */
import { connect, toText } from 'tenon';
import { createFakeClock } from 'tenon/test';
import { expect, it } from 'vitest';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { answer, type Received, scripted, session, textResult } from '../../kit/http/scripted-server.ts';

const created = { createdAt: '2026-01-01T00:00:00Z', lastUpdatedAt: '2026-01-01T00:00:00Z', ttl: null };
const task = (status: string) => ({ taskId: 't1', status, ...created, pollInterval: 0 });
const tool = { name: 'a', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } };
const capabilities = { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } };

/** Its task requires input from the beginning; `refuse` answers the first requests for its result. */
function startServer(refuse: (one: Received, count: number) => boolean) {
  let results = 0;
  const answers: Readonly<Record<string, object>> = {
    initialize: { protocolVersion: session, capabilities, serverInfo: { name: 'x', version: '1' } },
    ping: {},
    'tools/list': { tools: [tool] },
    'tools/call': { task: task('input_required') },
    'tasks/get': task('input_required'),
    'tasks/result': textResult('done'),
  };
  return scripted((one) => {
    const { id, method } = one.message as { id?: unknown; method?: string };
    const known = answers[method ?? ''];
    if (known === undefined) return false;
    if (method === 'tasks/result' && refuse(one, ++results)) return true;
    return answer(one.response, id, known);
  });
}

it('a server that is unavailable for the result only gets one request in each pause [S24]', async () => {
  // It ends also where there is no pause.
  const server = await startServer(({ response }, count) => {
    if (count === 2 || count > 50) return false;
    response.writeHead(503).end();
    return true;
  });
  const clock = createFakeClock();
  await using client = await connect(server.url, { protocolVersions: [session], ...withClock(clock) });
  const call = client.tools.call('a');
  await server.until(({ message }) => message.method === 'tasks/result');
  for (let n = 0; n < 5; n++) await client.ping();
  expect(server.posted('tasks/result')).toHaveLength(1);
  const isOver = watchEnd(call);
  while (!isOver()) {
    clock.advance(500);
    await client.ping();
  }
  expect([toText(await call), server.posted('tasks/result').length]).toEqual(['done', 2]);
});

/** Whether a promise has settled. */
function watchEnd(promise: Promise<unknown>): () => boolean {
  let isOver = false;
  const end = (): void => {
    isOver = true;
  };
  promise.then(end, end);
  return () => isOver;
}
