/** A channel of a user's that throws where it should end. */
import { type Channel, connect, createServer, memoryChannels, revisionIds, tool } from 'tenon';
import { expect, it } from 'vitest';

const server = createServer({
  name: 's',
  version: '1',
  tools: { hang: tool({}, () => new Promise<string>(() => {})) },
});

const broken = (): void => {
  throw new Error('no way out');
};

it.each(
  revisionIds.flatMap((revision) => [
    ['throws', revision, broken] as const,
    ['rejects', revision, async () => broken()] as const,
  ]),
)('one that %s when it is closed at %s is over all the same', async (_how, revision, close) => {
  const [near, far] = memoryChannels();
  server.accept(far);
  const channel: Channel = {
    get state() {
      return near.state;
    },
    open: (listener) => near.open(listener),
    send: (frame) => near.send(frame),
    close,
  };
  const faults: Error[] = [];
  const client = await connect(channel, { revisions: [revision], fault: (error) => faults.push(error) });
  const hanging = client.tools.call('hang').catch((error) => error);
  await client.close({ timeoutMs: 1 });
  expect(await hanging).toMatchObject({ code: 'connection-closed' });
  expect(client.connection.state).toBe('closed');
  expect(faults).toMatchObject([{ code: 'listener-failed', cause: { message: 'no way out' } }]);
  near.close();
});
