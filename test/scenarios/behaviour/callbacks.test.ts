/** What a client does when the functions it was given throw, and when it is asked for what cannot be. */

import { connect, createServer, resource, revisionIds, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { answer, scriptedServer, session } from '../../kit/channel/scripted-server.ts';

const throwing = (): never => {
  throw new Error('thrown by a callback');
};

const makeServer = () => createServer({ name: 's', version: '1', tools: { one: tool({}, () => 'one') } });

describe.each(revisionIds)('a client at %s', (revision) => {
  it('closes although `closed` throws, and `fault` hears of it', async () => {
    const faults: unknown[] = [];
    const client = await connect(makeServer(), {
      revisions: [revision],
      closed: throwing,
      fault: (error) => faults.push(error),
    });
    await client.close();
    expect(faults).toMatchObject([{ code: 'listener-failed', cause: { message: 'thrown by a callback' } }]);
  });

  it('goes on although `fault` throws, and closes although both do', async () => {
    let told = 0;
    const fault = (): never => {
      told += 1;
      return throwing();
    };
    const client = await connect(makeServer(), { revisions: [revision], closed: throwing, fault });
    expect(await client.tools.call('one')).toMatchObject({ content: [{ text: 'one' }] });
    await client.close();
    expect(told).toBe(1);
  });

  it.each([
    ['throws', throwing],
    ['rejects', async () => throwing()],
  ])('tells `fault` of a watcher that %s, and goes on watching', async (_, fail) => {
    const server = makeServer();
    let wake = (): void => {};
    const heard: Error[] = [];
    const client = await connect(server, {
      revisions: [revision],
      fault: (error) => {
        heard.push(error);
        wake();
      },
    });
    let looks = 0;
    await client.tools.watch(() => (looks++ === 0 ? undefined : fail()));
    for (const name of ['two', 'three']) {
      const told = new Promise<void>((resolve) => (wake = resolve));
      server.update(({ tools }) => {
        tools[name] = tool({}, () => name);
      });
      await told;
    }
    expect(heard).toMatchObject([{ code: 'listener-failed' }, { code: 'listener-failed' }]);
    await client.close();
  });

  it('refuses to watch resources of a server that has none', async () => {
    const client = await connect(makeServer(), { revisions: [revision] });
    const refusal = { code: 'capability-not-supported', details: { capability: 'resources' } };
    await expect(client.changes({ uris: ['a://b'] })).rejects.toMatchObject(refusal);
    await expect(client.resources.watch('a://b', () => {})).rejects.toMatchObject(refusal);
    await client.close();
  });
});

describe.each(revisionIds.slice(0, -1))('a client at %s', (revision) => {
  it('does not tell that its roots changed when it declared none', async () => {
    const server = createServer({ name: 's', version: '1', resources: { 'a://b': resource({}, () => 'b') } });
    const client = await connect(server, { revisions: [revision] });
    expect(() => client.rootsChanged()).toThrow(expect.objectContaining({ code: 'invalid-outgoing' }));
    await client.close();
  });

  it('goes on after a message it cannot read although `fault` throws', async () => {
    let told = 0;
    const fault = (): never => {
      told += 1;
      return throwing();
    };
    const answerLists = session({ capabilities: { tools: {} } }, (message, say) => {
      if (message.method === 'tools/list') say(answer(message, { tools: [] }));
    });
    const raw = scriptedServer(answerLists);
    const client = await connect(raw.channel, { revisions: [revision], strict: false, fault });
    raw.say('this is no message');
    expect(await client.tools.list().all()).toEqual([]);
    expect(told).toBe(1);
    await client.close();
  });
});
