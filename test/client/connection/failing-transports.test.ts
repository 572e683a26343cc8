/** A user's transport whose `close` throws. */
import { connect, createServer, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { createMemoryTransports, type Transport } from 'tenon/transport';
import { expect, it } from 'vitest';

const server = createServer({
  name: 's',
  version: '1',
  tools: { hang: tool({}, () => new Promise<string>(() => {})) },
});

const broken = (): void => {
  throw new Error('cannot close');
};

it.each(
  protocolVersions.flatMap((revision) => [
    ['throws', revision, broken] as const,
    ['rejects', revision, async () => broken()] as const,
  ]),
)('a client whose transport %s in close, at %s, is closed all the same', async (_how, revision, close) => {
  const [here, there] = createMemoryTransports();
  server.accept(there);
  const transport: Transport = {
    get state() {
      return here.state;
    },
    open: (listener) => here.open(listener),
    send: (frame) => here.send(frame),
    close,
  };
  const warnings: Error[] = [];
  const client = await connect(transport, { protocolVersions: [revision], onWarning: (error) => warnings.push(error) });
  const hanging = client.tools.call('hang').catch((error) => error);
  await client.close({ timeoutMs: 1 });
  expect(await hanging).toMatchObject({ code: 'connection-closed' });
  expect(client.connection.state).toBe('closed');
  expect(warnings).toMatchObject([{ code: 'callback-failed', cause: { message: 'cannot close' } }]);
  here.close();
});
