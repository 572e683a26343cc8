/** A channel of a user's that throws where it should end. */
import { type Channel, connect, createServer, memoryChannels, revisionIds, tool } from 'tenon';
import { expect, it } from 'vitest';

const server = createServer({
  name: 's',
  version: '1',
  tools: { hang: tool({}, () => new Promise<string>(() => {})) },
});

it.each(revisionIds)('one that throws when it is closed at %s is over all the same', async (revision) => {
  const [near, far] = memoryChannels();
  server.accept(far);
  const channel: Channel = {
    get state() {
      return near.state;
    },
    open: (listener) => near.open(listener),
    send: (frame) => near.send(frame),
    close() {
      throw new Error('no way out');
    },
  };
  const faults: Error[] = [];
  const client = await connect(channel, { revisions: [revision], fault: (error) => faults.push(error) });
  const hanging = expect(client.tools.call('hang')).rejects.toMatchObject({ code: 'connection-closed' });
  await client.close({ timeoutMs: 1 });
  await hanging;
  expect(client.connection.state).toBe('closed');
  expect(faults).toMatchObject([{ code: 'listener-failed', cause: { message: 'no way out' } }]);
  near.close();
});
