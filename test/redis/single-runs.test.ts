/** Nodes that share a Redis run each call once; without it, calls that may run once are refused, and others go on. */
import { connect, createServer, serveHttp, tool } from 'tenon';
import { openRedisStore } from 'tenon/redis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { loneCall } from '../kit/http/messages.ts';
import { send } from '../kit/http/raw-http.ts';
import { testSingleRuns } from '../store/single-runs.ts';
import { hasRedis, patient, type RedisServer, startRedis } from './fixtures/redis-server.ts';

describe.runIf(hasRedis)('With Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always']);
  });
  afterAll(() => redis.close());

  let round = 0;
  testSingleRuns('in Redis', true, () => {
    const prefix = `runs${round++}:`;
    return {
      open: (now) => openRedisStore(redis.url, { prefix, timeouts: patient, ...(now && { now }) }),
      elsewhere: { address: redis.url, prefix },
    };
  });

  it('away, a call with a key is refused by name before it runs, and one without is served; then both are [S20]', async () => {
    const store = await openRedisStore(redis.url, {
      prefix: 'away:',
      timeouts: { commandMs: 3000, connectMs: 60_000 },
    });
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
    await redis.kill();
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
    await redis.start();
    expect(await called).toMatchObject({ content: [{ text: 'payment 2' }] });
    expect((await pay('k')).json).toMatchObject({ result: { content: [{ text: 'payment 2' }] } });
    await client.close();
  });
});
