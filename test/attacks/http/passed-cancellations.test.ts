/** Floods of cancellations for calls of another node: they wait in the record of the session, which they must not fill. */
import { createServer, serveHttp, tool } from 'tenon';
import { expect, it, onTestFinished } from 'vitest';
import { asyncStore } from '../../kit/async-store.ts';
import { notification, startSession } from '../../kit/http/messages.ts';
import { sessionVersions } from '../../kit/version-order.ts';

it.each(sessionVersions)(
  'with IDs that no request can have are not stored, and not passed on [S24, S36], %s',
  async (revision) => {
    const store = asyncStore();
    const server = createServer(
      { name: 's', version: '1', tools: { hello: tool({}, () => 'hi') } },
      { secrets: ['a secret of the nodes'] },
    );
    const service = await serveHttp(server, { port: 0, store });
    onTestFinished(() => service.close());
    let passedOn = 0;
    const { publish } = store.bus;
    store.bus.publish = (topic, text) => {
      passedOn += text.length;
      return publish(topic, text);
    };
    const session = await startSession(service.url, revision);
    const cancel = async (requestId: unknown) =>
      (await session.post(notification('notifications/cancelled', { requestId }))).status;
    for (let n = 0; n < 24; n++) expect(await cancel(`${n}${'x'.repeat(100_000)}`)).toBe(400);
    expect([await cancel('an id'), await cancel('y'.repeat(1000)), await cancel(7)]).toEqual([202, 202, 202]);
    const fields = (await store.sessions.read(session.id.slice(0, 16))) ?? {};
    expect(JSON.stringify(fields).length).toBeLessThan(10_000);
    expect(passedOn).toBeLessThan(10_000);
  },
);
