import { connect, createServer, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { createMemoryTransports } from 'tenon/transport';
import { describe, expect, it } from 'vitest';
import { handshake, openRaw, request } from '../../kit/transport/raw-connection.ts';

/** More messages than a memory transport queues by default. */
const flood = 70_000;

/** A queue that is full soon. */
const maxMessages = 100;

describe.each(protocolVersions)('A tool that sends more than a memory transport queues, at %s', (revision) => {
  it.each(['log', 'progress'] as const)('by %s closes the connection, and its call rejects', async (kind) => {
    const server = createServer({
      name: 's',
      version: '1',
      tools: {
        chatter: tool({}, (_given, context) => {
          const notify = (n: number): void => (kind === 'log' ? context.log('info', n) : context.reportProgress(n));
          for (let n = 1; n <= 2 * maxMessages; n++) notify(n);
          return 'done';
        }),
      },
    });
    const closeReasons: unknown[] = [];
    const [near, far] = createMemoryTransports({ maxMessages });
    server.accept(far);
    const client = await connect(near, {
      protocolVersions: [revision],
      logLevel: 'debug',
      onClose: (reason) => closeReasons.push(reason),
    });
    await expect(client.tools.call('chatter', {}, { onProgress: () => {} })).rejects.toMatchObject({
      code: 'outcome-unknown',
      cause: { code: 'queue-full' },
    });
    expect(closeReasons).toMatchObject([{ code: 'queue-full' }]);
  });
});

it('A batch response that does not fit into the queue closes the connection, too', async () => {
  const server = createServer({
    name: 's',
    version: '1',
    tools: {
      chatter: tool({}, (_given, context) => {
        for (let n = 1; n <= flood; n++) context.log('info', n);
        return 'done';
      }),
    },
  });
  const raw = openRaw(server);
  raw.send(handshake('2025-03-26'));
  await raw.next();
  raw.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  raw.send([request(1, 'tools/call', { name: 'chatter' }), request(2, 'ping')]);
  await raw.next();
  while (raw.transport.state !== 'closed') await new Promise((resolve) => setImmediate(resolve));
  expect(raw.warnings).toContainEqual(expect.objectContaining({ code: 'queue-full' }));
});
