/** A client whose callbacks throw, and a client that is used for what its server cannot do. */
import { connect, createServer, resource, tool } from 'tenon';

import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { answer, scriptedServer, session } from '../../kit/transport/scripted-server.ts';
import { sessionVersions } from '../../kit/version-order.ts';

const throwing = (): never => {
  throw new Error('thrown by a callback');
};

const makeServer = () => createServer({ name: 's', version: '1', tools: { one: tool({}, () => 'one') } });

describe.each(protocolVersions)('a client at %s', (revision) => {
  it('closes although `onClose` throws, and passes the error to `onWarning`', async () => {
    const warnings: unknown[] = [];
    const client = await connect(makeServer(), {
      protocolVersions: [revision],
      onClose: throwing,
      onWarning: (error) => warnings.push(error),
    });
    await client.close();
    expect(warnings).toMatchObject([{ code: 'callback-failed', cause: { message: 'thrown by a callback' } }]);
  });

  it('still calls tools after `onWarning` throws, and closes although `onClose` throws too', async () => {
    let calls = 0;
    const onWarning = (): never => {
      calls += 1;
      return throwing();
    };
    const client = await connect(makeServer(), { protocolVersions: [revision], onClose: throwing, onWarning });
    expect(await client.tools.call('one')).toMatchObject({ content: [{ text: 'one' }] });
    await client.close();
    expect(calls).toBe(1);
  });

  it.each([
    ['throws', throwing],
    ['rejects', async () => throwing()],
  ])('passes the error of a watcher that %s to `onWarning`, and keeps watching', async (_, fail) => {
    const server = makeServer();
    let wake = (): void => {};
    const received: Error[] = [];
    const client = await connect(server, {
      protocolVersions: [revision],
      onWarning: (error) => {
        received.push(error);
        wake();
      },
    });
    let looks = 0;
    await client.tools.watchList(() => (looks++ === 0 ? undefined : fail()));
    for (const name of ['two', 'three']) {
      const warned = new Promise<void>((resolve) => (wake = resolve));
      server.update(({ tools }) => {
        tools[name] = tool({}, () => name);
      });
      await warned;
    }
    expect(received).toMatchObject([{ code: 'callback-failed' }, { code: 'callback-failed' }]);
    await client.close();
  });

  it('refuses to watch resources of a server that has none', async () => {
    const client = await connect(makeServer(), { protocolVersions: [revision] });
    const refusal = { code: 'capability-not-supported', details: { capability: 'resources.subscribe' } };
    await expect(client.subscribe({ resourceSubscriptions: ['a://b'] })).rejects.toMatchObject(refusal);
    await expect(client.resources.watch('a://b', () => {})).rejects.toMatchObject(refusal);
    await client.close();
  });
});

describe.each(sessionVersions)('a client at %s', (revision) => {
  it('refuses to send roots/list_changed when it declared no roots', async () => {
    const server = createServer({ name: 's', version: '1', resources: { 'a://b': resource({}, () => 'b') } });
    const client = await connect(server, { protocolVersions: [revision] });
    expect(() => client.sendRootsListChanged()).toThrow(expect.objectContaining({ code: 'invalid-outgoing-message' }));
    await client.close();
  });

  it('still works after an unreadable message for which `onWarning` throws', async () => {
    let calls = 0;
    const onWarning = (): never => {
      calls += 1;
      return throwing();
    };
    const answerLists = session({ capabilities: { tools: {} } }, (message, send) => {
      if (message.method === 'tools/list') send(answer(message, { tools: [] }));
    });
    const raw = scriptedServer(answerLists);
    const client = await connect(raw.transport, { protocolVersions: [revision], strict: false, onWarning });
    raw.send('not a message');
    expect(await client.tools.list().all()).toEqual([]);
    expect(calls).toBe(1);
    await client.close();
  });
});
