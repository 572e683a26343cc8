/** What a server's author gives to be told, as an async function that rejects: the server goes on, and somebody hears of it. */
import { connect, createServer, tool } from 'tenon';
import { createMemoryTransports } from 'tenon/transport';
import { afterEach, expect, it, vi } from 'vitest';
import { deferred } from '../../kit/deferred.ts';

const mine = new Error('mine');
const reject = async (): Promise<never> => {
  throw mine;
};

afterEach(() => {
  vi.restoreAllMocks();
});

/** Settles with what is written to the error output last. */
function written(): Promise<unknown> {
  const { promise, resolve } = deferred<unknown>();
  vi.spyOn(console, 'error').mockImplementation((_text, error) => resolve(error));
  return promise;
}

const broken = tool({}, () => {
  throw new Error('of the handler');
});

it('of a failed call', async () => {
  const received = written();
  const server = createServer({ name: 's', version: '1', tools: { broken } }, { onError: reject });
  await using client = await connect(server);
  await client.tools.call('broken').catch(() => {});
  expect(await received).toBe(mine);
});

it('of a fault of a connection', async () => {
  const { promise, resolve } = deferred<unknown>();
  const server = createServer({ name: 's', version: '1', tools: { broken } }, { onError: resolve });
  const [here, there] = createMemoryTransports();
  server.accept(there, { onWarning: reject });
  here.open({ onMessage() {}, onClose() {} });
  here.send('no message');
  expect(await promise).toMatchObject({
    code: 'callback-failed',
    message: 'The callback onWarning threw.',
    cause: mine,
  });
  here.close();
});

it('of a fault of a connection, which is written without the name of a call', async () => {
  const { promise, resolve } = deferred<unknown[]>();
  vi.spyOn(console, 'error').mockImplementation((...words) => resolve(words));
  const server = createServer({ name: 's', version: '1', tools: { broken } });
  const [here, there] = createMemoryTransports();
  server.accept(there, { onWarning: reject });
  here.open({ onMessage() {}, onClose() {} });
  here.send('no message');
  expect(await promise).toEqual([
    'tenon:',
    expect.objectContaining({ message: 'The callback onWarning threw.', cause: mine }),
  ]);
  here.close();
});
