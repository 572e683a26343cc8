import { createServer, tool } from 'tenon';
import { expect, it } from 'vitest';
import { envelope, handshake, openAt, request } from '../kit/transport/raw-connection.ts';

const batching = '2025-03-26';
const server = createServer({ name: 's', version: '1', tools: { look: tool({}, () => 'seen') } });

const whole = { error: { code: -32600, message: expect.stringContaining('batch') } };

it('in a batch of a session, each request of an exchange is refused on its own, and the others run', async () => {
  const { send, settled } = await openAt(server, batching);
  const filter = { notifications: { toolsListChanged: true } };
  send([
    request(1, 'tools/call', { name: 'look' }),
    request(2, 'tools/call', envelope({ name: 'look' })),
    request(3, 'subscriptions/listen', envelope(filter)),
    request(4, 'server/discover', envelope()),
    request(5, 'ping'),
  ]);
  const [answers, ...more] = await settled();
  expect(more).toEqual([]);
  const sorted = (answers as unknown as Array<{ id: number }>).sort((one, other) => one.id - other.id);
  expect(sorted).toMatchObject([
    { id: 1, result: { content: [{ text: 'seen' }] } },
    { id: 2, ...whole },
    { id: 3, ...whole },
    { id: 4, ...whole },
    { id: 5, result: {} },
  ]);
});

it('initialize is refused in a batch', async () => {
  const { send, settled } = await openAt(server, batching);
  send([{ ...handshake(batching), id: 'again' }]);
  expect(await settled()).toMatchObject([[{ id: 'again', ...whole }]]);
});
