/** What a user gives to be told, as an async function that rejects: told in turn, and never a rejection that nobody handles. */
import { connect, createClient, createServer, tool } from 'tenon';
import { describe, expect, it, vi } from 'vitest';
import { deferred } from '../../kit/deferred.ts';

const server = createServer({
  name: 's',
  version: '1',
  tools: {
    chatter: tool({}, (_given, context) => {
      context.log('info', 'hello');
      context.reportProgress(1);
      return 'done';
    }),
  },
});
const mine = new Error('mine');
const reject = async (): Promise<never> => {
  throw mine;
};

/** Settles with the first fault. */
function receiving() {
  const { promise, resolve } = deferred<Error>();
  return { first: promise, fault: resolve };
}

const failed = { code: 'callback-failed', cause: mine };

describe('An async function that rejects is told of as a fault', () => {
  it.each(['reject', 'throw'])('where it hears progress: %s', async (how) => {
    const { first, fault } = receiving();
    const fail = (): never => {
      throw mine;
    };
    await using client = await connect(server, { onWarning: fault });
    const result = await client.tools.call('chatter', {}, { onProgress: how === 'throw' ? fail : reject });
    expect(result.content).toMatchObject([{ text: 'done' }]);
    expect(await first).toMatchObject(failed);
  });

  it('where it hears logs', async () => {
    const { first, fault } = receiving();
    await using client = await connect(server, { onWarning: fault, logLevel: 'debug', onLog: reject });
    await client.tools.call('chatter');
    expect(await first).toMatchObject(failed);
  });

  it('where it hears of the end', async () => {
    const { first, fault } = receiving();
    const client = await connect(server, { onWarning: fault, onClose: reject });
    await client.close();
    expect(await first).toMatchObject(failed);
  });

  it('where it hears of the state of the connection', async () => {
    const { first, fault } = receiving();
    await using client = createClient(server, { onWarning: fault });
    client.connection.on('state', reject);
    await client.connection.ready();
    expect(await first).toMatchObject(failed);
  });

  it('where it hears the error output of a server', async () => {
    const { first, fault } = receiving();
    const args = ['-e', 'console.error("hello")'];
    const options = { onWarning: fault, reconnect: false };
    await connect({ command: process.execPath, args, stderr: reject }, options).catch(() => {});
    expect(await first).toMatchObject(failed);
  });

  it('and one that hears faults has nobody to tell: the call goes on', async () => {
    const handled = deferred();
    const rejected = Promise.reject(mine);
    const then = rejected.then.bind(rejected);
    vi.spyOn(rejected, 'then').mockImplementation((...settling) => {
      handled.resolve();
      return then(...settling);
    });
    await using client = await connect(server, { onWarning: () => rejected as never });
    const result = await client.tools.call('chatter', {}, { onProgress: reject });
    expect(result.content).toMatchObject([{ text: 'done' }]);
    await handled.promise;
  });
});
