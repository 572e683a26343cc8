/** A channel of a user's that throws where it should end. */
import { connect, createServer, protocolVersions, tool } from 'tenon';
import { createMemoryTransports, type Transport } from 'tenon/transport';
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
  protocolVersions.flatMap((revision) => [
    ['throws', revision, broken] as const,
    ['rejects', revision, async () => broken()] as const,
  ]),
)('one that %s when it is closed at %s is over all the same', async (_how, revision, close) => {
  const [near, far] = createMemoryTransports();
  server.accept(far);
  const channel: Transport = {
    get state() {
      return near.state;
    },
    open: (listener) => near.open(listener),
    send: (frame) => near.send(frame),
    close,
  };
  const faults: Error[] = [];
  const client = await connect(channel, { protocolVersions: [revision], onWarning: (error) => faults.push(error) });
  const hanging = client.tools.call('hang').catch((error) => error);
  await client.close({ timeoutMs: 1 });
  expect(await hanging).toMatchObject({ code: 'connection-closed' });
  expect(client.connection.state).toBe('closed');
  expect(faults).toMatchObject([{ code: 'callback-failed', cause: { message: 'no way out' } }]);
  near.close();
});
