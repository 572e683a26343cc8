/** What a client does when the functions it was given throw, and when it is asked for what cannot be. */

import { connect, createServer, protocolVersions, resource, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { answer, scriptedServer, session } from '../../kit/channel/scripted-server.ts';

const throwing = (): never => {
  throw new Error('thrown by a callback');
};

const makeServer = () => createServer({ name: 's', version: '1', tools: { one: tool({}, () => 'one') } });

describe.each(protocolVersions)('a client at %s', (revision) => {
  it('closes although `onClose` throws, and `onWarning` hears of it', async () => {
    const faults: unknown[] = [];
    const client = await connect(makeServer(), {
      protocolVersions: [revision],
      onClose: throwing,
      onWarning: (error) => faults.push(error),
    });
    await client.close();
    expect(faults).toMatchObject([{ code: 'callback-failed', cause: { message: 'thrown by a callback' } }]);
  });

  it('goes on although `onWarning` throws, and closes although both do', async () => {
    let notified = 0;
    const fault = (): never => {
      notified += 1;
      return throwing();
    };
    const client = await connect(makeServer(), { protocolVersions: [revision], onClose: throwing, onWarning: fault });
    expect(await client.tools.call('one')).toMatchObject({ content: [{ text: 'one' }] });
    await client.close();
    expect(notified).toBe(1);
  });

  it.each([
    ['throws', throwing],
    ['rejects', async () => throwing()],
  ])('tells `onWarning` of a watcher that %s, and goes on watching', async (_, fail) => {
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
      const notified = new Promise<void>((resolve) => (wake = resolve));
      server.update(({ tools }) => {
        tools[name] = tool({}, () => name);
      });
      await notified;
    }
    expect(received).toMatchObject([{ code: 'callback-failed' }, { code: 'callback-failed' }]);
    await client.close();
  });

  it('refuses to watch resources of a server that has none', async () => {
    const client = await connect(makeServer(), { protocolVersions: [revision] });
    const refusal = { code: 'capability-not-supported', details: { capability: 'resources' } };
    await expect(client.subscribe({ resourceSubscriptions: ['a://b'] })).rejects.toMatchObject(refusal);
    await expect(client.resources.watch('a://b', () => {})).rejects.toMatchObject(refusal);
    await client.close();
  });
});

describe.each(protocolVersions.slice(0, -1))('a client at %s', (revision) => {
  it('does not tell that its roots changed when it declared none', async () => {
    const server = createServer({ name: 's', version: '1', resources: { 'a://b': resource({}, () => 'b') } });
    const client = await connect(server, { protocolVersions: [revision] });
    expect(() => client.sendRootsListChanged()).toThrow(expect.objectContaining({ code: 'invalid-outgoing-message' }));
    await client.close();
  });

  it('goes on after a message it cannot read although `onWarning` throws', async () => {
    let notified = 0;
    const fault = (): never => {
      notified += 1;
      return throwing();
    };
    const answerLists = session({ capabilities: { tools: {} } }, (message, send) => {
      if (message.method === 'tools/list') send(answer(message, { tools: [] }));
    });
    const raw = scriptedServer(answerLists);
    const client = await connect(raw.channel, { protocolVersions: [revision], strict: false, onWarning: fault });
    raw.send('this is no message');
    expect(await client.tools.list().all()).toEqual([]);
    expect(notified).toBe(1);
    await client.close();
  });
});
