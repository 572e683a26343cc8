/** Callbacks of a server that reject: the server keeps working, and the rejection is reported. */
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

/** Resolves with the error that is written to the console. */
function written(): Promise<unknown> {
  const { promise, resolve } = deferred<unknown>();
  vi.spyOn(console, 'error').mockImplementation((_text, error) => resolve(error));
  return promise;
}

const broken = tool({}, () => {
  throw new Error('of the handler');
});

it('a rejection of `onError` is written to the console', async () => {
  const received = written();
  const server = createServer({ name: 's', version: '1', tools: { broken } }, { onError: reject });
  await using client = await connect(server);
  await client.tools.call('broken').catch(() => {});
  expect(await received).toBe(mine);
});

it('a rejection of `onWarning` is passed to `onError`', async () => {
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

it('a rejection of `onWarning` is written to the console without a call where there is no `onError`', async () => {
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
