/** Nodes that share a Redis or a PostgreSQL run each call once; without it, calls that may run once are refused, and others go on. */
import { connect, createServer, serveHttp, tool } from 'tenon';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { loneCall } from '../../kit/http/messages.ts';
import { send } from '../../kit/http/raw-http.ts';
import { enginesWithServers, type StartedEngine, type StoreServer } from '../../kit/stores/engines.ts';
import { openAt } from '../../kit/stores/open-at.ts';
import { testSingleRuns } from '../../store/single-runs.ts';

/** For a store that must answer, however busy the machine is. */
const patient = { commandMs: 60_000, connectMs: 60_000 };

describe.each(enginesWithServers)('With %s', (label, engine) => {
  let started: StartedEngine;
  beforeAll(async () => {
    started = await engine.start();
  });
  afterAll(() => started.close());

  testSingleRuns(`in ${label}`, true, () => {
    const address = started.next();
    return { open: (now) => openAt(address, { ...patient, ...(now && { now }) }), address };
  });

  it('away, a call with a key is refused by name before it runs, and one without is served; then both are [S20]', async () => {
    const database = started.server as StoreServer;
    const store = await openAt(started.next(), { ...patient, commandMs: 3000 });
    let paid = 0;
    const onError = vi.fn();
    const tools = { pay: tool({}, () => `payment ${++paid}`) };
    const server = createServer({ name: 's', version: '1', tools }, { secrets: ['a secret of this test'], onError });
    const service = await serveHttp(server, { port: 0, store });
    onTestFinished(async () => {
      await service.close();
      await store.close();
    });
    const pay = async (key?: string) => {
      const { headers, body } = loneCall('pay', {}, key === undefined ? {} : { 'dev.tenon/idempotency-key': key });
      return send(service.url, { headers, body });
    };
    await database.kill();
    const { status, json, headers } = await pay('k');
    expect([status, headers['retry-after']]).toEqual([503, '1']);
    expect(json.error).toMatchObject({
      code: -31503,
      message: expect.stringContaining('store'),
      data: { outcome: 'not-started', retryAfterMs: 1000 },
    });
    expect(paid).toBe(0);
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ code: expect.stringMatching(/^store-/) }), {
      method: 'tools/call',
      target: 'pay',
      requestId: expect.any(String),
    });
    expect((await pay()).json).toMatchObject({ result: { content: [{ text: 'payment 1' }] } });
    // A client repeats what was not begun, until it is served.
    const client = await connect(service.url, { protocolVersions: ['2026-07-28'] });
    const called = client.tools.call('pay', {}, { idempotencyKey: 'k' });
    await database.start();
    expect(await called).toMatchObject({ content: [{ text: 'payment 2' }] });
    expect((await pay('k')).json).toMatchObject({ result: { content: [{ text: 'payment 2' }] } });
    await client.close();
  });
});
