/** Nodes that share a Redis whose connections for messages are cut: answers and changes arrive all the same. */
import { openRedisStore } from 'tenon/redis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { connectRedis } from '../../src/redis/connection.ts';
import { call, lone, request, sessionAt, startSession } from '../kit/http/messages.ts';
import { open } from '../kit/http/raw-http.ts';
import { type Served, serve } from '../kit/http/sample-server.ts';
import { withTimeout } from '../kit/with-timeout.ts';
import { hasRedis, patient, type RedisServer, startRedis } from './fixtures/redis-server.ts';

const revision = '2025-11-25';

describe.runIf(hasRedis)('Nodes that share a Redis', () => {
  let server: RedisServer;
  let cutMessages: () => Promise<unknown>;
  beforeAll(async () => {
    server = await startRedis();
    const admin = await connectRedis(server.url, { ...patient, onError: () => undefined });
    cutMessages = () => admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    return () => admin.disconnect();
  });
  afterAll(() => server.close());

  async function node(): Promise<Served> {
    const store = await openRedisStore(server.url, { timeouts: patient });
    onTestFinished(() => store.close());
    return serve({ store }, { secrets: ['a secret that both of them know'] });
  }

  it('pass an answer on although the message about it is lost [S20, S31]', async () => {
    const [a, b] = [await node(), await node()];
    const session = await startSession(a.url, revision, { capabilities: { elicitation: {} } });
    const stream = await session.open({ body: call('greet') });
    await stream.until(() => stream.messages().length >= 1, 'the elicitation');
    const answer = { action: 'accept', content: { name: 'Ada' } };
    await cutMessages();
    const posted = await sessionAt(b.url, session).post({
      jsonrpc: '2.0',
      id: stream.messages()[0]?.id,
      result: answer,
    });
    expect(posted.status).toBe(202);
    await withTimeout(stream.ended, 'the result');
    expect(stream.messages()[1]).toMatchObject({ result: { content: [{ text: 'Hello, Ada' }] } });
  });

  it('send changes to all listeners although the messages about them are lost [S20, S31]', async () => {
    const [a, b] = [await node(), await node()];
    const session = await startSession(b.url, revision);
    await session.post(request('resources/subscribe', { uri: 'note://one' }));
    const listening = await session.listen();
    const filter = { notifications: { resourceSubscriptions: ['note://one'] } };
    const subscription = await open(b.url, lone('subscriptions/listen', filter));
    await subscription.until(() => subscription.messages().length >= 1, 'the acknowledgement');
    const updates = (): number[] => [listening.messages().length, subscription.messages().length - 1];
    for (let n = 1; n <= 5; n++) {
      await cutMessages();
      a.server.sendResourceUpdated('note://one');
      for (const stream of [listening, subscription])
        await stream.until(() => updates().every((count) => count >= n), `update ${n}`);
    }
    expect(updates()).toEqual([5, 5]);
    listening.cut();
    subscription.cut();
  });
});
